// The matrices of a step against dense ones.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/solve/internal/iterate.hpp"
#include "fathom/solve/internal/step_matrix.hpp"
#include "fathom/solve/test/random_program.hpp"

namespace fathom::solve::matrices_test {
namespace {

using Eigen::ArrayXd;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using internal::CompactBfgs;
using internal::RowPanels;

/// The rows in the panels' order; zeros where a panel is filled up.
MatrixXd rows_in_order(const RowPanels& rows, const BlockProgram& program) {
  MatrixXd A = MatrixXd::Zero(rows.slots(), rows.unknowns());
  for (Eigen::Index slot = 0; slot < rows.slots(); ++slot) {
    const RowPanels::Row& row = rows.row(slot);
    if (row.row < 0) continue;
    const Eigen::Index offset = row.block == 0 ? 0 : program.blocks[0].A.cols();
    A.row(slot).segment(offset, program.blocks[row.block].A.cols()) =
        VectorXd(program.blocks[row.block].A.row(row.row)).transpose();
  }
  return A;
}

TEST(RowPanels, HoldEveryRowOnceAndMultiplyAsADenseMatrixDoes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const BlockProgram program = test::random_program(seed).program;
    const RowPanels rows(program);
    const MatrixXd A = rows_in_order(rows, program);
    std::vector<std::vector<int>> seen = {std::vector<int>(23), std::vector<int>(10)};
    for (Eigen::Index slot = 0; slot < rows.slots(); ++slot)
      if (rows.row(slot).row >= 0) ++seen[rows.row(slot).block][rows.row(slot).row];
    EXPECT_EQ(seen, (std::vector<std::vector<int>>{std::vector<int>(23, 1), std::vector<int>(10, 1)}));
    RandomStream random(seed, "vectors");
    const VectorXd x = test::random_vector(random, 15);
    const ArrayXd y = test::random_vector(random, rows.slots());
    ArrayXd Ax(rows.slots());
    VectorXd At_y(15);
    rows.multiply(x, Ax);
    rows.multiply_transposed(y, At_y);
    EXPECT_LT((Ax.matrix() - A * x).norm(), 1e-13);
    EXPECT_LT((At_y - A.transpose() * y.matrix()).norm(), 1e-13);
  }
}

TEST(RowPanels, BlocksWithTheSameRowsShareThemAndNothingElse) {
  RandomStream random(1, "twins");
  const SparseRows A = test::random_rows(random, 12, 7, 3), B = test::random_rows(random, 12, 7, 3);
  BlockProgram program;
  for (const SparseRows& rows : {A, B, A})
    program.blocks.push_back(test::block_around(random, rows, test::random_vector(random, 7)));
  const RowPanels rows(program);
  const VectorXd x = test::random_vector(random, 21);
  ArrayXd Ax(rows.slots());
  rows.multiply(x, Ax);
  int checked = 0;
  for (Eigen::Index slot = 0; slot < rows.slots(); ++slot) {
    const RowPanels::Row& row = rows.row(slot);
    if (row.row < 0) continue;
    const VectorXd own = program.blocks[row.block].A * x.segment(7 * static_cast<Eigen::Index>(row.block), 7);
    EXPECT_NEAR(Ax[slot], own[row.row], 1e-14);
    ++checked;
  }
  EXPECT_EQ(checked, 36);
}

TEST(SumOfLogs, IsTheSumWhateverTheRange) {
  for (const double power : {0.0, -30.0, 30.0}) {
    RandomStream random(3, "slacks");
    ArrayXd s(37);
    double sum = 0;
    for (double& slack : s) sum += std::log(slack = random.uniform(0.1, 2) * std::pow(10, power));
    EXPECT_NEAR(internal::sum_of_logs(s), sum, 1e-11);
  }
}

/// B after Powell's damped updates of sigma I by all pairs in order: the recursion that the compact form sums
/// up.
MatrixXd bfgs(double sigma, const std::vector<VectorXd>& s, const std::vector<VectorXd>& y) {
  MatrixXd B = sigma * MatrixXd::Identity(s[0].size(), s[0].size());
  for (std::size_t k = 0; k < s.size(); ++k) {
    const VectorXd Bs = B * s[k];
    B += y[k] * y[k].transpose() / y[k].dot(s[k]) - Bs * Bs.transpose() / s[k].dot(Bs);
  }
  return B;
}

TEST(StepMatrix, SolvesWithTheBfgsMatrixOfTheLatestPairsAndTheRows) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const BlockProgram program = test::random_program(seed).program;
    const RowPanels rows(program);
    RandomStream random(seed, "pairs");
    const MatrixXd root = MatrixXd::NullaryExpr(15, 15, [&] { return random.normal(); });
    const MatrixXd hessian = root * root.transpose() / 15 + 0.3 * MatrixXd::Identity(15, 15);
    CompactBfgs B(15);
    B.start(4);
    std::vector<VectorXd> s, y;
    const std::size_t pairs = 1 + seed % 7;
    for (std::size_t k = 0; k < pairs; ++k) {
      s.push_back(test::random_vector(random, 15));
      y.emplace_back(hessian * s.back());
      B.add(s.back(), y.back());
    }
    if (pairs > 4) {
      s.erase(s.begin(), s.end() - 4);
      y.erase(y.begin(), y.end() - 4);
    }
    const ArrayXd theta = test::random_vector(random, rows.slots()).array().square();
    const MatrixXd A = rows_in_order(rows, program);
    const MatrixXd K = bfgs(B.sigma(), s, y) + A.transpose() * theta.matrix().asDiagonal() * A;
    const VectorXd r = test::random_vector(random, 15);
    VectorXd x = r;
    const internal::KnownCurvature none(program);
    internal::StepMatrix matrix(rows, none);
    matrix.factor(rows, B.sigma(), theta, none);
    matrix.solve(B, x);
    EXPECT_LT((K * x - r).norm(), 1e-10 * K.norm() * x.norm()) << "seed " << seed;
  }
}

TEST(KnownCurvature, MultipliesAndSolvesAsADenseMatrixDoes) {
  RandomStream random(1, "curvature");
  BlockProgram program;
  for (const int widest : {2, 5})  // rows within the reach, and beyond it
    program.blocks.push_back(
        test::block_around(random, test::random_rows(random, 12, 7, widest), test::random_vector(random, 7)));
  program.curvature_reach = 3;
  const RowPanels rows(program);
  internal::KnownCurvature H(program);
  MatrixXd dense = MatrixXd::Zero(14, 14);
  for (Eigen::Index first = 0; first <= 4; ++first) {
    const VectorXd v = test::random_vector(random, 6);  // x0 y0 x1 y1 x2 y2
    const MatrixXd square = v * v.transpose();
    H.add(first, 3, square.data());
    VectorXd in_x = VectorXd::Zero(14);
    for (Eigen::Index i = 0; i < 6; ++i) in_x[i % 2 * 7 + first + i / 2] = v[i];
    dense += in_x * in_x.transpose();
  }
  const VectorXd r = test::random_vector(random, 14);
  VectorXd product(14);
  H.multiply(r, product);
  EXPECT_LT((product - dense * r).norm(), 1e-13);

  CompactBfgs B(14);
  B.start(4);
  const ArrayXd theta = test::random_vector(random, rows.slots()).array().square();
  const MatrixXd A = rows_in_order(rows, program);
  internal::StepMatrix matrix(rows, H);
  for (int pairs = 0; pairs < 2; ++pairs) {
    MatrixXd K = dense + A.transpose() * theta.matrix().asDiagonal() * A;
    if (pairs == 0) {
      K += MatrixXd::Identity(14, 14);
    } else {
      const VectorXd s = test::random_vector(random, 14);
      B.add(s, 2 * s);
      K += bfgs(B.sigma(), {s}, {2 * s});
    }
    VectorXd x = r;
    matrix.factor(rows, B.sigma(), theta, H);
    matrix.solve(B, x);
    EXPECT_LT((K * x - r).norm(), 1e-11 * K.norm() * x.norm()) << pairs;
  }
  const MatrixXd wide = MatrixXd::Identity(8, 8);
  EXPECT_THROW(H.add(0, 4, wide.data()), InputError);
  EXPECT_THROW(H.add(5, 3, wide.data()), InputError);
}

TEST(CompactBfgs, StaysPositiveDefiniteOnNegativeCurvature) {
  const BlockProgram program = test::random_program(1).program;
  const RowPanels rows(program);
  RandomStream random(1, "saddle");
  CompactBfgs B(15);
  B.start(8);
  for (int k = 0; k < 30; ++k) {
    const VectorXd s = test::random_vector(random, 15);
    B.add(s, -s + 0.5 * test::random_vector(random, 15));
    VectorXd x = test::random_vector(random, 15);
    const VectorXd r = x;
    const internal::KnownCurvature none(program);
    internal::StepMatrix matrix(rows, none);
    matrix.factor(rows, B.sigma(), ArrayXd::Zero(rows.slots()), none);
    matrix.solve(B, x);
    EXPECT_GT(x.dot(r), 0) << "pair " << k;
  }
  EXPECT_EQ(B.columns(), 16);
}

}  // namespace
}  // namespace fathom::solve::matrices_test
