// The hot paths take no memory from the heap (HABITS 13).
#include <gtest/gtest.h>

#include "fathom/base/test/count_allocations.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/excite/path_limits.hpp"

#ifndef FATHOM_SANITIZED
namespace fathom::excite {
namespace {

using fathom::test::allocations_of;

TEST(NoAllocation, barrier_of_path_limits) {
  const Vec6 start = Vec6::Zero();
  const Problem problem{"test",
                        "",
                        "",
                        dynamics::test::robot_named("bluerov2-heavy"),
                        "",
                        model::Environment(),
                        model::structure_by_name("vehicle-24"),
                        start,
                        start,
                        {},
                        0.2,
                        {},
                        Criterion::a_optimal,
                        {},
                        {},
                        ThrusterShare{},
                        View{Vec3::Zero(), Vec3::UnitZ(), 0.5, {Vec3(0, 0, 3), Vec3(0.1, 0, 3)}},
                        TetherReach{Vec3(1, 0, 0), Vec3::Zero(), 5},
                        {},
                        8};
  const PathLimits limits(problem);
  Samples at(1000), adjoint(1000);
  at.down.col(2).setOnes();
  const Eigen::ArrayXd weight = Eigen::ArrayXd::Ones(1000);
  double sum = 0;
  EXPECT_EQ(
      allocations_of([&] { sum = limits.barrier(at, weight, nullptr) + limits.barrier(at, weight, &adjoint); }),
      0);
  EXPECT_TRUE(std::isfinite(sum));
}

}  // namespace
}  // namespace fathom::excite
#endif
