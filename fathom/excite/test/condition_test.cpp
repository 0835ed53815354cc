// The smoothed condition number: powers against eigenvectors, and both against eigenvectors in long double.
#include "fathom/excite/condition.hpp"

#include <cmath>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "fathom/base/random.hpp"

namespace fathom::excite::condition_test {
namespace {

using Long = long double;
using LongMatrix = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;

constexpr Eigen::Index n = 23;

/// Eigenvalues from 1 to `condition`, evenly in their logarithm, in random directions.
Eigen::MatrixXd information(double condition, std::uint64_t seed) {
  RandomStream random(seed, "information");
  const Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return random.normal(); });
  const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(A).householderQ();
  Eigen::VectorXd lambda(n);
  for (Eigen::Index i = 0; i < n; ++i)
    lambda[i] = std::pow(condition, static_cast<double>(i) / static_cast<double>(n - 1));
  const Eigen::MatrixXd G = Q * lambda.asDiagonal() * Q.transpose();
  return 0.5 * (G + G.transpose());
}

struct Truth {
  double value;
  Eigen::MatrixXd W;
};
Truth in_long_double(const Eigen::MatrixXd& G, double power) {
  const Eigen::SelfAdjointEigenSolver<LongMatrix> spectrum(G.cast<Long>());
  const Eigen::Array<Long, Eigen::Dynamic, 1> lambda = spectrum.eigenvalues().array();
  const Eigen::Array<Long, Eigen::Dynamic, 1> high = (lambda / lambda[n - 1]).pow(Long(power)),
                                              low = (lambda[0] / lambda).pow(Long(power));
  const LongMatrix slope = ((high / high.sum() - low / low.sum()) / lambda / 2).matrix().asDiagonal();
  const LongMatrix W = spectrum.eigenvectors() * slope * spectrum.eigenvectors().transpose();
  const Long value =
      (std::log(lambda[n - 1] / lambda[0]) + (std::log(high.sum()) + std::log(low.sum())) / Long(power)) / 2;
  return {static_cast<double>(value), W.cast<double>()};
}

TEST(SmoothCondition, PowersAreThoseOfEigenvectors) {
  SmoothCondition condition(n);
  Eigen::MatrixXd W(n, n), by_eigenvectors(n, n);
  for (const double power : {1.0, 2.0, 8.0, 64.0})
    for (std::uint64_t seed = 1; seed < 4; ++seed) {
      condition.set_power(power);
      const Eigen::MatrixXd G = information(1e4, seed);
      const auto value = condition.by_powers(G, W);
      ASSERT_TRUE(value);
      EXPECT_NEAR(*value, condition.by_eigenvectors(G, by_eigenvectors), 1e-12 * *value);
      EXPECT_LT((W - by_eigenvectors).norm(), 1e-9 * W.norm());
      EXPECT_EQ(W, W.transpose());
    }
}

TEST(SmoothCondition, BothWaysKeepWhatTheConditionNumberLeavesOfTheDigits) {
  SmoothCondition condition(n);
  Eigen::MatrixXd W(n, n);
  for (const double number : {1e1, 1e3, 1e5, 1e7, 1e9, 1e11})
    for (const double power : {8.0, 64.0}) {
      condition.set_power(power);
      const Eigen::MatrixXd G = information(number, 1);
      const Truth truth = in_long_double(G, power);
      const double left = 100 * std::numeric_limits<double>::epsilon() * number;
      SCOPED_TRACE(testing::Message() << "condition number " << number << ", power " << power);
      const auto value = condition.by_powers(G, W);
      ASSERT_TRUE(value);
      EXPECT_NEAR(*value, truth.value, left);
      EXPECT_LT((W - truth.W).norm(), left * truth.W.norm());
      EXPECT_NEAR(condition.by_eigenvectors(G, W), truth.value, left);
      EXPECT_LT((W - truth.W).norm(), left * truth.W.norm());
    }
}

TEST(SmoothCondition, EigenvectorsTakeOverWherePowersEnd) {
  SmoothCondition condition(n);
  Eigen::MatrixXd W(n, n), expected(n, n);
  const auto expect_eigenvectors = [&](const Eigen::MatrixXd& G) {
    EXPECT_FALSE(condition.by_powers(G, W));
    EXPECT_EQ(condition.evaluate(G, W), condition.by_eigenvectors(G, expected));
    EXPECT_EQ(W, expected);
  };
  expect_eigenvectors(information(1e13, 1));
  const Eigen::MatrixXd G = information(100, 1);
  for (const double power : {3.0, 5.5, 128.0}) {
    condition.set_power(power);
    expect_eigenvectors(G);
    EXPECT_NEAR(condition.evaluate(G, W), in_long_double(G, power).value, 1e-12);
  }
  condition.set_power(64);
  EXPECT_FALSE(condition.by_powers(-G, W));
  EXPECT_EQ(condition.evaluate(-G, W), std::numeric_limits<double>::infinity());
  EXPECT_EQ(condition.evaluate(G, W), condition.by_powers(G, expected));  // and it recovers
}

}  // namespace
}  // namespace fathom::excite::condition_test
