#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/solve/least_squares.hpp"
#include "fathom/solve/test/random_program.hpp"

namespace fathom::solve::total_least_squares_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using fathom::test::error_text;

MatrixXd random_matrix(RandomStream& random, Index rows, Index columns) {
  MatrixXd A(rows, columns);
  for (double& number : A.reshaped()) number = random.normal();
  return A;
}

LinearFit total_of(const MatrixXd& A, const VectorXd& y, const VectorXd& sigma) {
  Rows rows(A.cols());
  rows.add(A, y);
  return total(rows, sigma);
}

/// Least sum of squares of corrections, from the variational form: with x fixed they are
/// (A x - y)^2 / (sigma_y^2 + sum sigma_j^2 x_j^2), row by row.
double corrections(const MatrixXd& A, const VectorXd& y, const VectorXd& sigma, const VectorXd& x) {
  const Index n = x.size();
  return (A * x - y).squaredNorm() / (sigma[n] * sigma[n] + x.cwiseProduct(sigma.head(n)).squaredNorm());
}

TEST(Total, IsTheSvdClosedForm) {
  RandomStream random(1, "total");
  for (int trial = 0; trial < 20; ++trial) {
    const MatrixXd A = random_matrix(random, 50, 4);
    const VectorXd y = A * random_matrix(random, 4, 1) + 0.3 * random_matrix(random, 50, 1);
    const VectorXd sigma = random_matrix(random, 5, 1).cwiseAbs().array() + 0.1;
    MatrixXd Ay(50, 5);
    Ay << A, y;
    const auto svd = (Ay * sigma.cwiseInverse().asDiagonal()).jacobiSvd(Eigen::ComputeThinV);
    const VectorXd v = svd.matrixV().col(4).cwiseQuotient(sigma);
    const LinearFit fit = total_of(A, y, sigma);
    EXPECT_LT((fit.x + v.head(4) / v[4]).norm(), 1e-12 * fit.x.norm());
    EXPECT_NEAR(fit.rss, std::pow(svd.singularValues()[4], 2), 1e-12 * fit.rss);
    const LinearFit scaled = total_of(A, y, 1e-3 * sigma);
    EXPECT_LT((fit.x - scaled.x).norm(), 1e-12 * fit.x.norm());  // the common factor does not matter
    EXPECT_LT((fit.covariance - scaled.covariance).norm(), 1e-10 * fit.covariance.norm());
  }
}

TEST(Total, MixedProblemsHaveTheLeastCorrections) {
  RandomStream random(1, "mixed");
  const MatrixXd A = random_matrix(random, 40, 4);
  const VectorXd y = A * VectorXd::Ones(4) + 0.2 * random_matrix(random, 40, 1);
  for (const std::vector<double>& sigmas : std::vector<std::vector<double>>{
           {0, 1, 0, 2, 1}, {0, 0, 0, 1, .5}, {1, 0, 1, 1, 0}, {0, 1, 0, 0, 0}, {0, 0, 0, 0, 3}}) {
    const VectorXd sigma = Eigen::Map<const VectorXd>(sigmas.data(), 5);
    const LinearFit fit = total_of(A, y, sigma);
    EXPECT_NEAR(fit.rss, corrections(A, y, sigma, fit.x), 1e-12 * fit.rss);
    for (int trial = 0; trial < 50; ++trial) {
      const VectorXd near = fit.x + 1e-3 * random_matrix(random, 4, 1);
      EXPECT_GT(corrections(A, y, sigma, near), fit.rss) << sigma.transpose();
    }
  }
}

TEST(Total, WithExactColumnsIsOrdinary) {
  RandomStream random(1, "exact");
  const MatrixXd A = random_matrix(random, 40, 3);
  const VectorXd y = random_matrix(random, 40, 1), sigma = Eigen::Vector4d(0, 0, 0, 1);
  Rows rows(3);
  rows.add(A, y);
  const LinearFit fit = total(rows, sigma), same = ordinary(rows);
  EXPECT_LT((fit.x - same.x).norm(), 1e-13);
  EXPECT_NEAR(fit.rss, same.rss, 1e-12);
  EXPECT_LT((fit.covariance - same.covariance).norm(), 1e-12 * same.covariance.norm());
}

TEST(Total, CovarianceIsThatOfManyTrials) {
  RandomStream random(1, "trials");
  constexpr int trials = 2000;
  const Index n = 100;
  const VectorXd x = Eigen::Vector3d(1, -1, 2), sigma = Eigen::Vector4d(0.3, 0, 0.15, 0.3);
  const MatrixXd truth = random_matrix(random, n, 3);
  MatrixXd spread = MatrixXd::Zero(3, 3), told = spread;
  VectorXd mean = VectorXd::Zero(3);
  for (int trial = 0; trial < trials; ++trial) {
    const MatrixXd A = truth + random_matrix(random, n, 3) * sigma.head(3).asDiagonal();
    const VectorXd y = truth * x + sigma[3] * random_matrix(random, n, 1);
    const LinearFit fit = total_of(A, y, 10 * sigma);
    spread += (fit.x - x) * (fit.x - x).transpose() / trials;
    told += fit.covariance / trials;
    mean += fit.x / trials;
  }
  EXPECT_LT((mean - x).norm(), 0.02);  // ordinary least squares is off by 0.2
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> ratio(told, spread);
  EXPECT_GT(ratio.eigenvalues().minCoeff(), 0.85);
  EXPECT_LT(ratio.eigenvalues().maxCoeff(), 1.15);
}

TEST(Total, NongenericProblemsAreRefused) {
  // y is orthogonal to the direction of the least singular value; the next is the root of 7 - sqrt(13).
  MatrixXd A = MatrixXd::Zero(3, 2);
  A(0, 0) = 2;
  A(1, 1) = 1;
  EXPECT_EQ(
      error_text([&] { total_of(A, Eigen::Vector3d(1, 0, 3), Eigen::Vector3d::Ones()); }),
      "rows have no total least squares solution: the least singular value 1, next to 1.8424, belongs to a "
      "direction without y (the problem is nongeneric: leave out an unknown that the rows hardly show)");
  // Two directions as good as each other.
  EXPECT_NE(error_text([&] { total_of(A, Eigen::Vector3d(0, 0, 1), Eigen::Vector3d::Ones()); }),
            "(nothing was thrown)");
  // No change of the only column with errors reaches y, which is exact.
  EXPECT_NE(
      error_text([&] { total_of(MatrixXd::Identity(3, 1), Eigen::Vector3d(0, 0, 1), Eigen::Vector2d(1, 0)); }),
      "(nothing was thrown)");
}

TEST(Total, ExactDataGiveTheirExactSolution) {
  RandomStream random(1, "exact data");
  const MatrixXd A = random_matrix(random, 30, 3);
  const VectorXd x = Eigen::Vector3d(1, 2, 3);
  for (const Eigen::Vector4d& sigma : {Eigen::Vector4d(1, 1, 1, 1), Eigen::Vector4d(0, 0, 0, 1),
                                       Eigen::Vector4d(0, 1, 0, 0), Eigen::Vector4d(0, 1, 1, 2)})
    EXPECT_LT((total_of(A, A * x, sigma).x - x).norm(), 1e-13);
}

TEST(Total, WhatDoesNotFitIsRefused) {
  const MatrixXd A = MatrixXd::Identity(4, 2);
  const VectorXd y = VectorXd::Ones(4);
  EXPECT_EQ(error_text([&] { total_of(A, y, VectorXd::Ones(2)); }),
            "column_sigma has 2 numbers, must have 3: the unknowns' and y's");
  EXPECT_EQ(error_text([&] { total_of(A, y, Eigen::Vector3d(1, -1, 1)); }),
            "column_sigma must be finite and >= 0");
  EXPECT_EQ(error_text([&] { total_of(A, y, VectorXd::Zero(3)); }),
            "column_sigma is all 0 (some column must have errors)");
  EXPECT_EQ(error_text([&] { total_of(MatrixXd::Ones(4, 2), y, VectorXd::Ones(3)); }),
            "rows show 1 of 2 unknowns (leave out what they do not)");
}

}  // namespace
}  // namespace fathom::solve::total_least_squares_test
