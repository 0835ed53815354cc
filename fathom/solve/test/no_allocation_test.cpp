// The search takes no memory from the heap (HABITS 13) but for its result.
#include <gtest/gtest.h>

#include "fathom/base/test/count_allocations.hpp"
#include "fathom/solve/test/objectives.hpp"

#ifndef FATHOM_SANITIZED
namespace fathom::solve {
namespace {

using fathom::test::allocations_of;

TEST(NoAllocation, minimize_but_for_its_result) {
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

TEST(NoAllocation, project_but_for_its_result) {
  const test::RandomProgram around = test::random_program(1);
  InteriorPoint solver(around.program);
  const Eigen::VectorXd target = 10 * around.inner;
  Eigen::VectorXd x;
  EXPECT_LE(allocations_of([&] { x = solver.project(target, around.inner); }), 1);
}

}  // namespace
}  // namespace fathom::solve
#endif
