#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/solve/test/random_program.hpp"

namespace fathom::solve::inner_point_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::infinity;

/// Misses over the widths at x, from dense rows; positive above, negative below.
VectorXd misses_over_width(const test::DenseRows& all, const VectorXd& x) {
  const VectorXd value = all.A * x;
  VectorXd e(value.size());
  for (Eigen::Index i = 0; i < e.size(); ++i) {
    const double width = all.upper[i] - all.lower[i];
    e[i] = (value[i] - std::clamp(value[i], all.lower[i], all.upper[i])) / (std::isfinite(width) ? width : 1);
  }
  return e;
}

TEST(InnerPoint, IsFoundWhereOneExists) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const BlockProgram program = test::random_program(seed).program;
    const InnerPoint point = find_inner_point(program);
    ASSERT_TRUE(point.found) << "seed " << seed;
    EXPECT_GE(InteriorPoint(program).margin(point.x), 0.5e-3) << "seed " << seed;
    EXPECT_TRUE(point.conflicts.empty());
  }
}

/// A second row close beside the first leaves a slit of `gap`, or with a negative one nothing.
BlockProgram with_slit(const test::RandomProgram& around, double gap) {
  BlockProgram program = around.program;
  Block& block = program.blocks[0];
  const double at = block.A.row(0).dot(around.inner.head(9));
  const Eigen::Index rows = block.A.rows();
  MatrixXd A(rows + 2, 9);
  A << MatrixXd(block.A), MatrixXd(block.A.row(0)), MatrixXd(block.A.row(0));
  block.A = test::sparse(A);
  block.lower.conservativeResize(rows + 2);
  block.upper.conservativeResize(rows + 2);
  block.lower.tail(2) << at - 1, at + (-gap / 2);
  block.upper.tail(2) << at + gap / 2, at + 1;
  return program;
}

TEST(InnerPoint, IsFoundInANarrowSlit) {
  for (const double gap : {1e-3, 1e-5, 1e-7})
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const BlockProgram program = with_slit(test::random_program(seed), gap);
      const InnerPoint point = find_inner_point(program);
      ASSERT_TRUE(point.found) << "seed " << seed << " gap " << gap;
      EXPECT_GT(InteriorPoint(program).margin(point.x), 0) << "seed " << seed;
    }
}

TEST(InnerPoint, AConflictOfTwoRowsIsNamedWithItsMiss) {
  for (const double gap : {-1e-6, -1e-2, -0.5})
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const BlockProgram program = with_slit(test::random_program(seed, 0.9), gap);
      const InnerPoint point = find_inner_point(program);
      ASSERT_FALSE(point.found) << "seed " << seed << " gap " << gap;
      ASSERT_EQ(point.conflicts.size(), 2u) << "seed " << seed << " gap " << gap;
      for (int k = 0; k < 2; ++k) {
        // Rows of equal width share the miss.
        EXPECT_EQ(point.conflicts[k].block, 0u);
        EXPECT_EQ(point.conflicts[k].row, 23 + k);
        EXPECT_NEAR(point.conflicts[k].missed, -gap / 2, 1e-6 * -gap + 1e-12);
      }
    }
}

TEST(InnerPoint, WithoutOneTheMissesHaveTheLeastSumOfSquares) {
  int infeasible = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    test::RandomProgram around = test::random_program(seed);
    RandomStream random(seed, "push");
    for (double& bound : around.program.blocks[0].upper) bound += random.uniform(0, 3);
    for (Block& block : around.program.blocks)  // shifts whole ranges: most of these have no common point
      for (Eigen::Index i = 0; i < block.lower.size(); ++i) {
        const double shift = 2 * random.normal();
        block.lower[i] += shift;
        block.upper[i] += shift;
      }
    const InnerPoint point = find_inner_point(around.program);
    if (point.found) continue;
    ++infeasible;
    // The sum is convex: a gradient of zero proves its minimum.
    const test::DenseRows all = test::dense(around.program);
    VectorXd e = misses_over_width(all, point.x), per_width(e.size());
    for (Eigen::Index i = 0; i < e.size(); ++i) {
      const double width = all.upper[i] - all.lower[i];
      per_width[i] = std::isfinite(width) ? 1 / width : 1;
    }
    EXPECT_GT(e.norm(), 1e-6) << "seed " << seed;
    EXPECT_LT((all.A.transpose() * e.cwiseProduct(per_width)).norm(), 1e-10) << "seed " << seed;
    EXPECT_EQ(static_cast<Eigen::Index>(point.conflicts.size()), (e.array().abs() > 1e-9).count());
  }
  EXPECT_GT(infeasible, 50);
}

/// max t with a_i x - t w_i >= l_i on every side, over all vertices: three sides that meet in (x, t).
double largest_margin_in_the_plane(const test::DenseRows& all) {
  MatrixXd sides(2 * all.A.rows(), 3);
  VectorXd bounds(2 * all.A.rows());
  const VectorXd width = all.upper - all.lower;
  sides << all.A, -width, -all.A, -width;
  bounds << all.lower, -all.upper;
  double best = -infinity;
  const Eigen::Index n = bounds.size();
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = i + 1; j < n; ++j)
      for (Eigen::Index k = j + 1; k < n; ++k) {
        Eigen::Matrix3d at;
        at << sides.row(i), sides.row(j), sides.row(k);
        if (std::abs(at.determinant()) < 1e-12) continue;
        const Eigen::Vector3d vertex = at.inverse() * Eigen::Vector3d(bounds[i], bounds[j], bounds[k]);
        if (((sides * vertex - bounds).array() > -1e-10).all()) best = std::max(best, vertex[2]);
      }
  return best;
}

TEST(InnerPoint, IsFoundJustWhereALinearProgramSaysSo) {
  int with = 0, without = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    RandomStream random(seed, "plane");
    Block block{test::random_rows(random, 6, 2, 2), VectorXd(6), VectorXd(6)};
    for (int i = 0; i < 6; ++i) {
      block.lower[i] = random.uniform(-1, 0.1);
      block.upper[i] = block.lower[i] + random.uniform(0.1, 1);
    }
    const BlockProgram program{{block}};
    const double margin = largest_margin_in_the_plane(test::dense(program));
    if (std::abs(margin) < 1e-8) continue;
    const InnerPoint point = find_inner_point(program);
    EXPECT_EQ(point.found, margin > 0) << "seed " << seed << " margin " << margin;
    ++(margin > 0 ? with : without);
  }
  EXPECT_GT(with, 70);
  EXPECT_GT(without, 100);
}

/// From 0 to `distance` in 41 steps of at most 1 each way; the 40 points between are unknown.
BlockProgram chain(double distance) {
  MatrixXd A = MatrixXd::Zero(41, 40);
  A.diagonal().setOnes();
  A.diagonal(-1).setConstant(-1);
  Block block{test::sparse(A), VectorXd::Constant(41, -1), VectorXd::Constant(41, 1)};
  block.lower[40] -= distance;
  block.upper[40] -= distance;
  return {{block}};
}

TEST(InnerPoint, AChainReachesItsLengthAndNoFarther) {
  for (const double slack : {0.5, 1e-2, 1e-4, 1e-6, 1e-8}) {
    const BlockProgram program = chain(41 * (1 - slack));
    const InnerPoint point = find_inner_point(program);
    ASSERT_TRUE(point.found) << slack;
    EXPECT_GT(InteriorPoint(program).margin(point.x), 0) << slack;
  }
  for (const double excess : {1e-6, 1e-4, 1e-2, 1.0, 100.0}) {
    const InnerPoint point = find_inner_point(chain(41 * (1 + excess)));
    ASSERT_FALSE(point.found) << excess;
    ASSERT_EQ(point.conflicts.size(), 41u) << excess;
    for (const Conflict& row : point.conflicts)
      EXPECT_NEAR(row.missed, excess, 1e-5 * excess);  // alike: convex
  }
  const InnerPoint exactly = find_inner_point(chain(41));  // one point, with nothing inside
  EXPECT_FALSE(exactly.found);
  EXPECT_FALSE(exactly.conflicts.empty());
}

TEST(InnerPoint, ARowWithoutUnknownsCanBeInConflict) {
  MatrixXd A(3, 2);
  A << 1, 0, 0, 0, 0, 0;
  const BlockProgram program{{{test::sparse(A), Eigen::Vector3d(-1, 0.5, 0), Eigen::Vector3d(1, 2, 0)}}};
  const InnerPoint point = find_inner_point(program);
  EXPECT_FALSE(point.found);
  ASSERT_EQ(point.conflicts.size(), 1u);
  EXPECT_EQ(point.conflicts[0].row, 1);
  EXPECT_EQ(point.conflicts[0].missed, 0.5);
  EXPECT_EQ(fathom::test::error_text([&] { InteriorPoint{program}; }),
            "blocks[0] row 1 touches no unknown, and its bounds miss 0 by 0.5");
}

TEST(InnerPoint, RefusesAnInsetThatNoRowHasRoomFor) {
  EXPECT_EQ(fathom::test::error_text([] { find_inner_point({}, 0.5); }),
            "inset = 0.5, must be between 0 and 1/2 (a share of the width of a row's range)");
}

}  // namespace
}  // namespace fathom::solve::inner_point_test
