// The search takes no memory from the heap (HABITS 13) but for its result.
#include <gtest/gtest.h>

#include "fathom/base/test/count_allocations.hpp"
#include "fathom/solve/test/conic_problems.hpp"
#include "fathom/solve/test/objectives.hpp"

namespace fathom::solve::no_allocation_test {
namespace {

using fathom::test::allocations_of;

TEST(NoAllocation, MinimizeButForItsResult) {
  const test::RandomProgram around = test::random_program(1);
  InteriorPoint solver(around.program);
  test::Valley f;
  InteriorPointResult result;
  for (const int memory : {8, 20}) {
    InteriorPointOptions options;
    options.memory = memory;
    options.tolerance = 1e-5;
    EXPECT_LE(allocations_of([&] { result = solver.minimize(f, around.inner, options); }), 1);
    EXPECT_GT(result.iterations, memory);
  }
}

TEST(NoAllocation, MinimizeWithKnownCurvatureButForItsResult) {
  constexpr Eigen::Index n = 5;
  const Eigen::MatrixXd rows = Eigen::MatrixXd::Identity(n, n);
  const Block box{test::sparse(rows), Eigen::VectorXd::Constant(n, -2), Eigen::VectorXd::Constant(n, 2)};
  InteriorPoint solver({{box, box}, 1});
  test::Discs f;
  f.targets = Eigen::MatrixX2d::Constant(n, 2, 1.5);
  f.tells = true;
  const Eigen::VectorXd start = Eigen::VectorXd::Zero(2 * n);
  InteriorPointResult result = solver.minimize(f, start);
  EXPECT_LE(allocations_of([&] { result = solver.minimize(f, start); }), 1);
  EXPECT_GT(result.iterations, 5);
}

TEST(NoAllocation, ProjectButForItsResult) {
  const test::RandomProgram around = test::random_program(1);
  InteriorPoint solver(around.program);
  const Eigen::VectorXd target = 10 * around.inner;
  Eigen::VectorXd x;
  EXPECT_LE(allocations_of([&] { x = solver.project(target, around.inner); }), 1);
}

TEST(NoAllocation, ConicSolve) {
  test::ConicProblem problem = test::random_problem(5);  // matrices of 1, 6 and 9 rows
  ConicSolver solver(problem.set);
  const Eigen::VectorXd last = solver.solve(problem.objective).x;
  ConicStatus status = ConicStatus::not_run;
  const auto expect_none = [&] {
    EXPECT_EQ(allocations_of([&] { status = solver.solve(problem.objective).status; }), 0);
    EXPECT_EQ(status, ConicStatus::solved);
    EXPECT_EQ(allocations_of([&] { status = solver.solve(problem.objective, last).status; }), 0);
    EXPECT_EQ(status, ConicStatus::solved);
  };
  expect_none();
  problem.objective.Q = problem.objective.G;
  problem.objective.huber = 0.5;
  expect_none();
  problem.objective.Q.setZero();
  problem.objective.G.setZero();  // flat: asks for directions that lead away
  EXPECT_EQ(allocations_of([&] { status = solver.solve(problem.objective).status; }), 0);
}

}  // namespace
}  // namespace fathom::solve::no_allocation_test
