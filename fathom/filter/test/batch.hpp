#pragma once
#include <functional>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace fathom::filter::testing {

/// Everything at once: the states of a linear system with white noise, at any times, given all measurements.
/// The measurements' joint covariance is written down and solved in long double: no recursion, nothing shared
/// with the smoother.
struct Batch {
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  struct Number {
    double t;
    Eigen::VectorXd h;
    double value, sigma;
  };

  std::function<Eigen::MatrixXd(double)> transition, noise;  ///< over a time
  double t0 = 0;
  Eigen::VectorXd mean;  ///< at t0
  Eigen::MatrixXd prior;
  std::vector<Number> numbers;

  Vector mean_at(double t) const { return transition(t - t0).cast<long double>() * mean.cast<long double>(); }

  /// Of the state at t with that at s.
  Matrix covariance(double t, double s) const {
    if (t < s) return covariance(s, t).transpose();
    const Matrix F = transition(s - t0).cast<long double>();
    const Matrix at_s = F * prior.cast<long double>() * F.transpose() + noise(s - t0).cast<long double>();
    return transition(t - s).cast<long double>() * at_s;
  }

  struct State {
    Eigen::VectorXd mean;
    Eigen::MatrixXd covariance;
  };
  /// Factors the measurements' covariance; then at() answers.
  void solve() {
    const auto n = static_cast<Eigen::Index>(numbers.size());
    Matrix S(n, n);
    Vector y(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Number& a = numbers[static_cast<std::size_t>(i)];
      for (Eigen::Index j = 0; j <= i; ++j) {
        const Number& b = numbers[static_cast<std::size_t>(j)];
        S(i, j) = a.h.cast<long double>().dot(covariance(a.t, b.t) * b.h.cast<long double>());
      }
      S(i, i) += static_cast<long double>(a.sigma) * a.sigma;
      y[i] = a.value - a.h.cast<long double>().dot(mean_at(a.t));
    }
    solver.compute(S);
    weights = solver.solve(y);
  }

  State at(double t) const {
    Matrix C(mean.size(), weights.size());
    for (Eigen::Index i = 0; i < weights.size(); ++i) {
      const Number& a = numbers[static_cast<std::size_t>(i)];
      C.col(i) = covariance(t, a.t) * a.h.cast<long double>();
    }
    return {Vector(mean_at(t) + C * weights).cast<double>(),
            Matrix(covariance(t, t) - C * solver.solve(Matrix(C.transpose()))).cast<double>()};
  }

  Eigen::LDLT<Matrix, Eigen::Lower> solver{};
  Vector weights{};
};

}  // namespace fathom::filter::testing
