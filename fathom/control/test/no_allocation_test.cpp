// The hot paths take no memory from the heap (HABITS 13).
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/base/test/count_allocations.hpp"
#include "fathom/control/allocation.hpp"
#include "fathom/dynamics/attainable.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/model/robot_file.hpp"

#ifndef FATHOM_SANITIZED
namespace fathom::control::no_allocation_test {
namespace {

using fathom::test::allocations_of;

TEST(NoAllocation, ThrustersAttainableSetAndAllocation) {
  for (const char* name : {"bluerov2-heavy", "nielsen-bluerov", "rexrov"}) {
    const model::Robot robot = model::read_robot(std::string(FATHOM_ROBOTS_DIR "/") + name + ".yaml");
    std::vector<dynamics::ThrusterModel> thrusters;
    std::vector<model::ForceRange> limits;
    for (const model::Thruster& thruster : robot.thrusters()) {
      thrusters.emplace_back(thruster, 1000);
      limits.push_back(thrusters.back().force_range());
    }
    const Mat6X B = model::allocation_matrix(robot);
    const Allocator allocator(B, limits);
    Allocator::Workspace workspace = allocator.workspace();
    const dynamics::AttainableWrench set(B, limits);
    RandomStream random(1, "no allocation");
    double sum = 0;
    int saturated = 0;
    const long count = allocations_of([&] {
      for (int k = 0; k < 200; ++k) {
        Vec6 tau;
        for (double& x : tau) x = limits[0].max * random.uniform(-2, 2);
        const Allocation& a = allocator.allocate(k % 2 ? tau : Vec6(1e-3 * tau), workspace);
        saturated += a.saturated;
        sum += a.achieved_b.sum() + set.support(tau) + set.largest_scale(tau).value_or(0) + set.contains(tau);
        for (std::size_t i = 0; i < thrusters.size(); ++i) {
          const dynamics::ThrusterModel& t = thrusters[i];
          const double command =
              t.command_for(a.forces[static_cast<Eigen::Index>(i)], t.inflow(1e-3 * tau), 16);
          const double target = t.target(command, 16);
          sum += t.state_rate(0, target, 0) + t.force(target, 0.1) + t.steady_force(command, 0, 16);
          sum += t.flow_rate(target, 0.1) + t.force_in_flow(target, 0.1, 0.1);
        }
      }
    });
    EXPECT_EQ(count, 0) << name;
    EXPECT_GT(saturated, 20);
    EXPECT_TRUE(std::isfinite(sum));
  }
}

TEST(NoAllocation, AllocationToTheThrustersOfManyRobots) {
  RandomStream random(1, "many");
  Mat6X B(6, 384);
  for (Eigen::Index i = 0; i < B.cols(); ++i) {
    const Vec3 e = Vec3{random.normal(), random.normal(), random.normal()}.normalized();
    B.col(i) << e, Vec3{random.normal(), random.normal(), random.normal()}.cross(e);
  }
  const Allocator allocator(B, std::vector<model::ForceRange>(384, {-40, 50}));
  Allocator::Workspace workspace = allocator.workspace();
  std::array<int, 3> saturated{};
  const long count = allocations_of([&] {
    for (std::size_t k = 0; k < 30; ++k) {
      Vec6 tau;
      for (double& x : tau) x = std::array{500, 3000, 30000}[k % 3] * random.uniform(-1, 1);
      saturated[k % 3] += allocator.allocate(tau, workspace).saturated;
    }
  });
  EXPECT_EQ(count, 0);
  EXPECT_EQ(saturated[0], 0);
  EXPECT_EQ(saturated[2], 10);
}

}  // namespace
}  // namespace fathom::control::no_allocation_test
#endif
