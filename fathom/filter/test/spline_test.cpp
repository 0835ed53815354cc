#include "fathom/filter/spline.hpp"

#include <cmath>
#include <string>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"

namespace fathom::filter::spline_test {
namespace {

struct Data {
  Eigen::VectorXd t, y, w;
};

Data uneven() {
  Data data;
  data.t.resize(15);
  data.t << 0, .1, .25, .3, .5, .62, .8, .95, 1.1, 1.2, 1.45, 1.5, 1.7, 1.9, 2;
  data.y = (3 * data.t).array().sin() + 0.1 * (40 * data.t).array().cos();
  data.w = 1 + 0.5 * (7 * data.t).array().cos();
  return data;
}

/// SciPy 1.17.1 on the data above:
///   s = scipy.interpolate.make_smoothing_spline(t, y, w=w, lam=1e-3), and without w and lam
///   for d in range(3): print(s(numpy.array([0, .28, 1.0, 1.93]), nu=d))
TEST(Spline, IsThatOfScipy) {
  const Data data = uneven();
  const double at[] = {0, .28, 1.0, 1.93};
  const double given[3][4] = {{0.0744490943216, 0.718194165075, 0.22375050534, -0.433660378557},
                              {2.08124703263, 2.2457245571, -3.14449121463, 2.09081758281},
                              {0, -5.29821107446, -3.20156451979, -0.210003679994}};
  // SciPy leaves the weights out of the score, and its search ends 1e-5 from the smoothing
  const double chosen[3][4] = {{0.0718201073072, 0.730290788297, 0.215673261885, -0.441620411096},
                               {2.25749015814, 2.19801367087, -3.16980980003, 2.10042547023},
                               {0, -5.35320222089, -3.00030238898, 0.2079139549}};
  const double close[] = {1e-5, 1e-4, 1e-3};
  SplineOptions options;
  options.smoothing = 1e-3;
  const Spline with(data.t, data.y, data.w, options), by_data(data.t, data.y);
  for (int d = 0; d < 3; ++d)
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(with.at(at[i], d), given[d][i], 1e-10) << d << " " << i;
      EXPECT_NEAR(by_data.at(at[i], d), chosen[d][i], close[d]) << d << " " << i;
    }
}

/// Natural splines written down densely: polynomials and truncated powers with the natural conditions as
/// equations, and the penalty by Gauss' rule.
using Number = long double;  // truncated powers lose many digits
using Matrix = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Number, Eigen::Dynamic, 1>;

struct Dense {
  Matrix hat;
  Vector coefficients;
};

Number power(Number x, int k) { return k == 0 ? 1 : std::pow(x, k); }

/// d-th derivative of the functions 1, x, .. x^(m-1), (x - t_i)_+^(2m-1) at x.
Vector functions(const Vector& t, int m, Number x, int d) {
  Vector f = Vector::Zero(m + t.size());
  const auto term = [&](Number s, int k) {
    Number factor = 1;
    for (int i = 0; i < d; ++i) factor *= k - i;
    return k < d ? 0 : factor * power(s, k - d);
  };
  for (int k = 0; k < m; ++k) f[k] = term(x, k);
  for (Eigen::Index i = 0; i < t.size(); ++i)
    if (x > t[i]) f[m + i] = term(x - t[i], 2 * m - 1);
  return f;
}

Dense dense(const Data& data, int m, Number smoothing) {
  const Vector t = data.t.cast<Number>(), w = data.w.cast<Number>();
  const Eigen::Index n = t.size();
  Matrix N(n, n + m), natural(m, n + m);
  for (Eigen::Index i = 0; i < n; ++i) N.row(i) = functions(t, m, t[i], 0).transpose();
  for (int k = 0; k < m; ++k) natural.row(k) = functions(t, m, t[n - 1] + 1, m + k).transpose();
  const Matrix basis = natural.fullPivLu().kernel();  // of natural splines
  Matrix penalty = Matrix::Zero(n + m, n + m);
  const Number nodes[] = {-std::sqrt(Number(3) / 5), 0, std::sqrt(Number(3) / 5)},
               weights[] = {Number(5) / 9, Number(8) / 9, Number(5) / 9};
  for (Eigen::Index i = 0; i + 1 < n; ++i)
    for (int q = 0; q < 3; ++q) {
      const Number half = 0.5 * (t[i + 1] - t[i]);
      const Vector f = functions(t, m, t[i] + half * (1 + nodes[q]), m);
      penalty += half * weights[q] * f * f.transpose();
    }
  const Matrix A = N * basis;
  const Matrix normal = A.transpose() * w.asDiagonal() * A + smoothing * basis.transpose() * penalty * basis;
  const Matrix map = normal.fullPivLu().solve(A.transpose() * Matrix(w.asDiagonal()));
  return {A * map, basis * map * data.y.cast<Number>()};
}

TEST(Spline, IsTheDenseSolution) {
  const Data data = uneven();
  for (const int order : {2, 3})
    for (const double smoothing : {1e-6, 1e-4, 1e-2}) {
      const Dense expected = dense(data, order, smoothing);
      SplineOptions options;
      options.order = order;
      options.smoothing = smoothing;
      const Spline spline(data.t, data.y, data.w, options);
      for (const double t : {-0.3, 0.0, 0.07, 0.28, 1.0, 1.5, 1.93, 2.0, 2.4})
        for (int d = 0; d < 3; ++d) {
          const auto value =
              static_cast<double>(functions(data.t.cast<Number>(), order, t, d).dot(expected.coefficients));
          EXPECT_NEAR(spline.at(t, d), value, 1e-8 * (1 + std::abs(value)))
              << order << " " << smoothing << " " << t;
        }
      const auto freedom = static_cast<double>(expected.hat.trace());
      constexpr double n = 15;
      EXPECT_NEAR(spline.freedom(), freedom, 1e-8);
      const Eigen::VectorXd residual = data.y - expected.hat.cast<double>() * data.y;
      EXPECT_NEAR(spline.gcv(), residual.cwiseAbs2().dot(data.w) / n / std::pow(1 - freedom / n, 2), 1e-7);
    }
}

TEST(Spline, LeavesWhatItDoesNotPenalise) {
  const Data data = uneven();
  for (const int order : {2, 3}) {
    SplineOptions options;
    options.order = order;
    options.smoothing = 0.1;
    const Eigen::VectorXd y = order == 2
                                  ? Eigen::VectorXd(1 - 2 * data.t.array())
                                  : Eigen::VectorXd(1 - 2 * data.t.array() + 3 * data.t.array().square());
    const Spline spline(data.t, y, data.w, options);
    for (const double t : {-1.0, 0.4, 3.0}) {
      EXPECT_NEAR(spline.at(t), 1 - 2 * t + (order == 3 ? 3 * t * t : 0), 1e-9);
      EXPECT_NEAR(spline.at(t, 1), -2 + (order == 3 ? 6 * t : 0), 1e-9);
      EXPECT_NEAR(spline.at(t, 2), order == 3 ? 6 : 0, 1e-8);
    }
    EXPECT_GT(spline.freedom(), order);
  }
}

/// The data choose a smoothing near to the one that is nearest to the truth.
TEST(Spline, CrossValidationFindsAGoodSmoothing) {
  RandomStream random(1, "spline");
  constexpr Eigen::Index n = 800;
  for (const int order : {2, 3}) {
    Eigen::VectorXd t(n), y(n), truth(n), slope(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      t[i] = 0.02 * (static_cast<double>(i) + 0.6 * random.uniform());
      truth[i] = std::sin(1.3 * t[i]);
      slope[i] = 1.3 * std::cos(1.3 * t[i]);
      y[i] = truth[i] + 0.05 * random.normal();
    }
    SplineOptions options;
    options.order = order;
    const Spline chosen(t, y, Eigen::VectorXd(), options);
    const double error = (chosen.at(t) - truth).norm() / std::sqrt(n);
    EXPECT_LT(error, 0.012);
    EXPECT_LT((chosen.at(t, 1) - slope).segment(50, n - 100).norm() / std::sqrt(n), 0.06);
    double best = error;
    for (const double factor : {1e-3, 1e-2, 0.1, 10.0, 100.0, 1e3}) {
      options.smoothing = factor * chosen.smoothing();
      const Spline other(t, y, Eigen::VectorXd(), options);
      best = std::min(best, (other.at(t) - truth).norm() / std::sqrt(n));
      EXPECT_GE(other.gcv(), chosen.gcv());
    }
    EXPECT_LT(error, 1.5 * best);
  }
}

TEST(Spline, RefusesWhatIsNoSeries) {
  const Data data = uneven();
  const auto rejection = [](const Data& d, const SplineOptions& options = {}) -> std::string {
    try {
      Spline(d.t, d.y, d.w, options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Data bad = data;
  bad.t[4] = bad.t[3];
  EXPECT_NE(rejection(bad).find("t[4] = 0.3 does not come after 0.3"), std::string::npos) << rejection(bad);
  bad = data;
  bad.y[2] = std::nan("");
  EXPECT_NE(rejection(bad).find("sample 2 is not a number"), std::string::npos);
  bad = data;
  bad.w[1] = 0;
  EXPECT_NE(rejection(bad).find("weight 1 = 0, must be > 0"), std::string::npos);
  bad = {data.t.head(4), data.y.head(4), data.w.head(4)};
  EXPECT_NE(rejection(bad).find("4 samples, at least 5 are needed"), std::string::npos);
  bad = {data.t, data.y.head(4), data.w};
  EXPECT_NE(rejection(bad).find("as many of each"), std::string::npos);
  SplineOptions options;
  options.smoothing = 0;
  EXPECT_NE(rejection(data, options).find("smoothing = 0, must be > 0"), std::string::npos);
  options.order = 4;
  EXPECT_NE(rejection(data, options).find("order = 4, must be 2 or 3"), std::string::npos);
}

}  // namespace
}  // namespace fathom::filter::spline_test
