#include "fathom/trajectory/bezier.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"

namespace fathom::trajectory::bezier_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_points(Eigen::Index rows, Eigen::Index columns, RandomStream& random) {
  MatrixXd points(rows, columns);
  for (double& x : points.reshaped()) x = random.uniform(-2, 2);
  return points;
}

// The curve at u by repeated interpolation of its control points.
VectorXd casteljau(MatrixXd points, double u) {
  for (Eigen::Index n = points.cols() - 1; n > 0; --n)
    points.leftCols(n) = ((1 - u) * points.leftCols(n) + u * points.middleCols(1, n)).eval();
  return points.col(0);
}

MatrixXd hodograph(const MatrixXd& points) {
  const Eigen::Index n = points.cols() - 1;
  return static_cast<double>(n) * (points.rightCols(n) - points.leftCols(n));
}

struct Bernstein {
  VectorXd value, first, second;
  Bernstein(int n, double u) : value(n + 1), first(n + 1), second(n + 1) {
    bernstein(n, u, value, first, second);
  }
};

TEST(Bernstein, AgreesWithTheClosedFormToFullPrecision) {
  for (const int n : {0, 1, 2, 3, 20, 60})
    for (const double u : {0.0, 1e-9, 0.1, 0.37, 0.5, 0.93, 1.0}) {
      const Bernstein b(n, u);
      for (int i = 0; i <= n; ++i) {
        const long double x = u, binomial = std::exp(std::lgamma(n + 1.0L) - std::lgamma(i + 1.0L) -
                                                     std::lgamma(n - i + 1.0L));
        const auto exact = static_cast<double>(binomial * std::pow(x, i) * std::pow(1 - x, n - i));
        EXPECT_NEAR(b.value[i], exact, 1e-13 * exact + 1e-300) << n << " " << i << " " << u;
      }
    }
}

TEST(Bernstein, DerivativesAtDegreeSixtyAreThoseOfTheClosedForm) {
  const int n = 60;
  for (const double u : {0.02, 0.31, 0.5, 0.88}) {
    const Bernstein b(n, u);
    for (int i = 0; i <= n; ++i) {
      // b' = b (i/u - (n-i)/(1-u)), and once more.
      const long double x = u, slope = i / x - (n - i) / (1 - x);
      const long double bend = slope * slope - i / (x * x) - (n - i) / ((1 - x) * (1 - x));
      EXPECT_NEAR(b.first[i], static_cast<double>(b.value[i] * slope), 1e-13 * n);
      EXPECT_NEAR(b.second[i], static_cast<double>(b.value[i] * bend), 1e-13 * n * n);
    }
    EXPECT_NEAR(b.first.sum(), 0, 1e-12);
    EXPECT_NEAR(b.second.sum(), 0, 1e-10);
  }
}

TEST(Bernstein, LowDegreesHaveTheirShortDerivatives) {
  EXPECT_EQ(Bernstein(0, 0.3).first, VectorXd::Zero(1));
  EXPECT_EQ(Bernstein(1, 0.3).first, Eigen::Vector2d(-1, 1));
  EXPECT_EQ(Bernstein(1, 0.3).second, Eigen::Vector2d::Zero());
  EXPECT_EQ(Bernstein(2, 0.3).second, Eigen::Vector3d(2, -4, 2));
}

TEST(Bezier, EqualsDeCasteljauOfThePointsAndOfTheirDifferences) {
  RandomStream random(1, "points");
  for (const int n : {1, 3, 20, 60}) {
    const std::vector<double> knots = {-1, 0.5, 4, 4.25};
    const Bezier curve(knots, n, random_points(4, 3 * (n + 1), random));
    for (int k = 0; k < 50; ++k) {
      const double t = random.uniform(-1, 4.25);
      const std::size_t piece = t < 0.5 ? 0 : t < 4 ? 1 : 2;
      const double h = knots[piece + 1] - knots[piece], u = (t - knots[piece]) / h;
      const MatrixXd points = curve.points().middleCols(piece * (n + 1), n + 1);
      const Bezier::Sample sample = curve.at(t);
      EXPECT_LT((sample.value - casteljau(points, u)).norm(), 1e-13);
      EXPECT_LT((sample.rate - casteljau(hodograph(points), u) / h).norm(), 1e-12 * n / h);
      const VectorXd bend = n < 2 ? VectorXd::Zero(4) : casteljau(hodograph(hodograph(points)), u);
      EXPECT_LT((sample.acceleration - bend / (h * h)).norm(), 1e-12 * n * n / (h * h));
    }
  }
}

TEST(Bezier, StaysAtItsEndsOutside) {
  RandomStream random(2, "points");
  const Bezier curve({1, 2, 4}, 5, random_points(2, 12, random));
  EXPECT_EQ(curve.begin(), 1);
  EXPECT_EQ(curve.end(), 4);
  EXPECT_EQ(curve.pieces(), 2);
  EXPECT_EQ(curve.coordinates(), 2);
  EXPECT_EQ(curve.at(1).value, curve.points().col(0));
  EXPECT_EQ(curve.at(-7).value, curve.points().col(0));
  EXPECT_EQ(curve.at(4).value, curve.points().col(11));
  EXPECT_EQ(curve.at(1e9).value, curve.points().col(11));
  EXPECT_EQ(curve.at(2).value, curve.points().col(6)) << "a knot belongs to the piece that begins there";
}

std::string error_of(std::vector<double> knots, int degree, const MatrixXd& points) {
  try {
    Bezier(std::move(knots), degree, points);
  } catch (const InputError& error) {
    return error.findings().at(0).text();
  }
  return "";
}

TEST(Bezier, RefusesWhatIsNoCurve) {
  const MatrixXd points = MatrixXd::Zero(1, 8);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of({0}, 3, points), "knots has 1 entries, at least 2 are needed");
  EXPECT_EQ(error_of({0, 1, 1}, 3, points), "knots[2] = 1 s, must be above the knot before, 1 s");
  EXPECT_EQ(error_of({0, nan, 1}, 3, points), "knots[1] = nan s, is not finite");
  EXPECT_EQ(error_of({0, 1, 2}, 0, points), "degree = 0, must be >= 1");
  EXPECT_EQ(error_of({0, 1, 2}, 4, points), "points has 8 columns, 2 pieces of degree 4 need 10");
  EXPECT_EQ(error_of({0, 1, 2}, 3, MatrixXd::Constant(1, 8, nan)), "points is not finite");
  EXPECT_EQ(error_of({0, 1, 2}, 3, points), "");
  EXPECT_THROW(Bezier({0, 1, 2}, 3, points).at(nan), InputError);
}

}  // namespace
}  // namespace fathom::trajectory::bezier_test
