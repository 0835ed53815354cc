#include "fathom/solve/truncated_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "fathom/base/random.hpp"

namespace fathom::solve::truncated_gaussian_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

ConicSet positive(int unknowns, int which) {
  ConicSet set;
  set.unknowns = unknowns;
  set.scalars.push_back({"x >= 0", 0, {{which, 1}}});
  return set;
}

TEST(TruncatedGaussian, FarFromBordersIsTheGaussian) {
  const TruncatedGaussian plain(VectorXd::Constant(2, 10), MatrixXd::Identity(2, 2), positive(2, 0));
  EXPECT_FALSE(plain.is_truncated());
  EXPECT_NEAR(plain.quantile(0, 0.975), 10 + 1.959964, 1e-5);
  EXPECT_NEAR(plain.quantile(1, 0.025), 10 - 1.959964, 1e-5);
}

TEST(TruncatedGaussian, AtItsBorderIsHalfANormal) {
  const TruncatedGaussian cut(VectorXd::Zero(1), MatrixXd::Constant(1, 1, 4), positive(1, 0));
  ASSERT_TRUE(cut.is_truncated());
  // Quantiles of the half normal distribution: sigma sqrt(2) erfinv(p).
  EXPECT_NEAR(cut.quantile(0, 0.95), 2 * 1.959964, 0.15);
  EXPECT_NEAR(cut.quantile(0, 0.5), 2 * 0.67449, 0.1);
  EXPECT_GE(cut.quantile(0, 0.025), 0);
  EXPECT_NEAR(cut.quantile(0, 0.025), 2 * 0.031338, 0.04);
}

TEST(TruncatedGaussian, BetweenTwoBordersIsUniform) {
  ConicSet set = positive(1, 0);
  set.scalars.push_back({"x <= 1", 1, {{0, -1}}});
  const TruncatedGaussian cut(VectorXd::Constant(1, 0.5), MatrixXd::Constant(1, 1, 1e4), set);
  EXPECT_NEAR(cut.quantile(0, 0.025), 0.025, 0.012);
  EXPECT_NEAR(cut.quantile(0, 0.5), 0.5, 0.04);
  EXPECT_NEAR(cut.quantile(0, 0.975), 0.975, 0.012);
}

/// Quantiles of 2.5, 50 and 97.5 % of all unknowns, a row each, by plain rejection from the Gaussian.
MatrixXd by_rejection(const VectorXd& mean, const MatrixXd& covariance, const ConicSet& set) {
  const MatrixXd L = covariance.llt().matrixL();
  RandomStream random(7, "oracle");
  std::vector<std::vector<double>> kept(static_cast<std::size_t>(mean.size()));
  for (int draw = 0; draw < 30000; ++draw) {
    VectorXd z(mean.size());
    for (double& one : z) one = random.normal();
    const VectorXd x = mean + L * z;
    const std::vector<double> inside = margins(set, x);
    const bool good = std::all_of(inside.begin(), inside.end(), [](double one) { return one >= 0; }) &&
                      std::all_of(set.scalars.begin(), set.scalars.end(),
                                  [&](const ScalarInequality& scalar) { return slack(scalar, x) >= 0; });
    for (std::size_t k = 0; good && k < kept.size(); ++k) kept[k].push_back(x[static_cast<Eigen::Index>(k)]);
  }
  MatrixXd quantiles(mean.size(), 3);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    std::sort(kept[k].begin(), kept[k].end());
    const auto at = [&](double p) {
      return kept[k][static_cast<std::size_t>(p * static_cast<double>(kept[k].size()))];
    };
    quantiles.row(static_cast<Eigen::Index>(k)) << at(0.025), at(0.5), at(0.975);
  }
  return quantiles;
}

// Two damping terms with a coupling, near the border of their matrix, a third unknown correlated with both.
TEST(TruncatedGaussian, UnderAMatrixIsThatOfRejection) {
  ConicSet set = positive(4, 0);
  set.matrices.push_back({"D", MatrixXd::Zero(2, 2), {{0, 0, 0, 1}, {1, 1, 1, 1}, {2, 0, 1, 1}}});
  VectorXd mean(4);
  mean << 0.3, 1, 0.54, 5;
  MatrixXd covariance(4, 4);
  covariance << 1, 0.3, 0.2, 0.8, 0.3, 0.5, 0.1, 0.2, 0.2, 0.1, 0.4, -0.1, 0.8, 0.2, -0.1, 2;
  const TruncatedGaussian cut(mean, covariance, set);
  ASSERT_TRUE(cut.is_truncated());
  EXPECT_FALSE(cut.has_too_few_draws());
  EXPECT_LT(cut.accepted(), 1);
  const MatrixXd expected = by_rejection(mean, covariance, set);
  for (int k = 0; k < 4; ++k) {
    const double sigma = std::sqrt(covariance(k, k));
    EXPECT_NEAR(cut.quantile(k, 0.025), expected(k, 0), 0.12 * sigma) << k;
    EXPECT_NEAR(cut.quantile(k, 0.5), expected(k, 1), 0.12 * sigma) << k;
    EXPECT_NEAR(cut.quantile(k, 0.975), expected(k, 2), 0.12 * sigma) << k;
  }
}

/// Off-diagonal entries of a matrix of unit diagonal with wide sigmas: hardly any draw is positive definite.
TEST(TruncatedGaussian, SaysThatAMatrixLeavesTooFewDraws) {
  constexpr int size = 8;
  ConicSet set;
  set.unknowns = size * (size - 1) / 2;
  set.matrices.push_back({"R", MatrixXd::Identity(size, size), {}});
  int unknown = 0;
  for (int row = 0; row < size; ++row)
    for (int column = row + 1; column < size; ++column)
      set.matrices[0].entries.push_back({unknown++, row, column, 1});
  const MatrixXd covariance = 4 * MatrixXd::Identity(set.unknowns, set.unknowns);
  const TruncatedGaussian plain(VectorXd::Constant(set.unknowns, 0.05), covariance, set);
  EXPECT_TRUE(plain.has_too_few_draws());
  EXPECT_FALSE(plain.is_truncated());
  EXPECT_LT(plain.accepted(), 200. / 40000);
  EXPECT_NEAR(plain.quantile(3, 0.975), 0.05 + 2 * 1.959964, 1e-4);
}

TEST(TruncatedGaussian, OfAnInfeasibleMeanIsThePlainOne) {
  const TruncatedGaussian plain(VectorXd::Constant(1, -1), MatrixXd::Identity(1, 1), positive(1, 0));
  EXPECT_FALSE(plain.is_truncated());
}

TEST(TruncatedGaussian, IsTheSameForTheSameSeed) {
  const auto make = [] {
    return TruncatedGaussian(VectorXd::Zero(1), MatrixXd::Identity(1, 1), positive(1, 0));
  };
  EXPECT_EQ(make().quantile(0, 0.9), make().quantile(0, 0.9));
}

}  // namespace
}  // namespace fathom::solve::truncated_gaussian_test
