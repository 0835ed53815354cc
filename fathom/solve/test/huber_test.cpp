#include <Eigen/LU>
#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/solve/least_squares.hpp"
#include "fathom/solve/test/random_program.hpp"

namespace fathom::solve::huber_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using fathom::test::error_text;

RowSource in_blocks(const MatrixXd& A, const VectorXd& y, Index block = 7) {
  return [&A, &y, block](const RowTaker& take) {
    for (Index i = 0; i < A.rows(); i += block) {
      const Index count = std::min(block, A.rows() - i);
      take(A.middleRows(i, count), y.segment(i, count));
    }
  };
}

MatrixXd random_matrix(RandomStream& random, Index rows, Index columns) {
  MatrixXd A(rows, columns);
  for (double& number : A.reshaped()) number = random.normal();
  return A;
}

TEST(Huber, IsThatOfStatsmodels) {
  MatrixXd A(40, 3);
  VectorXd y(40);
  for (int i = 0; i < 40; ++i) {
    A.row(i) << 1, i / 10., std::sin(i);
    y[i] = 1 + 0.5 * A(i, 1) - 0.3 * A(i, 2) + 0.2 * std::cos(7. * i * i);
  }
  y[3] += 5;
  y[11] -= 4;
  y[29] += 7;
  const RobustFit fit = huber(3, in_blocks(A, y));
  // statsmodels 0.15: RLM(y, A, M=HuberT(1.345)).fit(tol=1e-13, conv="coefs", cov="H1"): params, bse, scale
  const Eigen::Vector3d x(1.0200369414393, 0.493183638869679, -0.337092447351331);
  const Eigen::Vector3d sigma(0.0469711152348864, 0.0207135235129574, 0.0339431000094134);
  EXPECT_TRUE(fit.converged);
  EXPECT_LT((fit.x - x).lpNorm<Eigen::Infinity>(), 1e-8);
  EXPECT_LT((fit.covariance.diagonal().cwiseSqrt() - sigma).lpNorm<Eigen::Infinity>(), 1e-8);
  EXPECT_NEAR(fit.scale, 0.17503609239680254, 1e-8);
  EXPECT_EQ(fit.down_weighted, 3);
  EXPECT_NEAR(fit.rss, (y - A * fit.x).squaredNorm(), 1e-12);
  EXPECT_EQ(fit.rows, 40);
}

TEST(Huber, GrossErrorsInATenthOfTheRowsBarelyMoveIt) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RandomStream random(seed, "outliers");
    const MatrixXd A = random_matrix(random, 500, 4);
    const VectorXd x = random_matrix(random, 4, 1), clean = A * x + 0.1 * random_matrix(random, 500, 1);
    VectorXd y = clean;
    for (Index i = 0; i < 500; i += 10) y[i] += random.uniform(10, 1000);
    Rows plain(4), without(4);
    plain.add(A, y);
    without.add(A, clean);
    const LinearFit best = ordinary(without);
    const RobustFit fit = huber(4, in_blocks(A, y, 100));
    EXPECT_TRUE(fit.converged);
    EXPECT_GE(fit.down_weighted, 50);
    EXPECT_LT((fit.x - best.x).norm(), 0.03);
    EXPECT_GT((ordinary(plain).x - best.x).norm(), 1);
    const VectorXd sigmas = (fit.x - x).cwiseQuotient(fit.covariance.diagonal().cwiseSqrt());
    EXPECT_LT(sigmas.norm(), 5);
  }
}

TEST(Huber, LosesLittleWhereThereAreNone) {
  double robust = 0, plain = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RandomStream random(seed, "gaussian");
    const MatrixXd A = random_matrix(random, 100, 3);
    const VectorXd y = random_matrix(random, 100, 1);
    Rows rows(3);
    rows.add(A, y);
    robust += huber(3, in_blocks(A, y)).x.squaredNorm();
    plain += ordinary(rows).x.squaredNorm();
  }
  EXPECT_NEAR(plain / robust, 0.95, 0.04);
}

TEST(Huber, FindsTheExactFitOfMostRows) {
  RandomStream random(1, "exact");
  const MatrixXd A = random_matrix(random, 60, 3);
  VectorXd y = A * VectorXd::Ones(3);
  y.head(10).array() += 100;
  const RobustFit fit = huber(3, in_blocks(A, y));
  EXPECT_TRUE(fit.converged);
  EXPECT_LT((fit.x - VectorXd::Ones(3)).norm(), 1e-9);
  EXPECT_EQ(huber(1, in_blocks(MatrixXd::Ones(5, 1), VectorXd::Zero(5))).iterations, 0);
}

TEST(Huber, RefusesASourceThatChanges) {
  int pass = 0;
  const RowSource changing = [&pass](const RowTaker& take) {
    const Index rows = ++pass == 2 ? 5 : 4;
    take(VectorXd::Ones(rows), VectorXd::LinSpaced(rows, 0, 1));
  };
  EXPECT_EQ(error_text([&] { huber(1, changing); }),
            "rows differ in number from pass to pass (a source must give the same rows each time)");
  EXPECT_EQ(error_text([&] { huber(1, changing, 0); }), "corner = 0, must be positive");
}

}  // namespace
}  // namespace fathom::solve::huber_test
