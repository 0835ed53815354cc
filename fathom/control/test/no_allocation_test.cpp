// The hot paths take no memory from the heap (HABITS 13).
#include <atomic>
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/control/allocation.hpp"
#include "fathom/dynamics/attainable.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/model/robot_file.hpp"

#ifndef FATHOM_SANITIZED  // the sanitizer has its own malloc, which must not be replaced
namespace {
std::atomic<long> allocations{0};
}
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

namespace fathom::control {
namespace {

template <class Work>
long allocations_of(const Work& work) {
  const long before = allocations;
  work();
  return allocations - before;
}

TEST(NoAllocation, the_counter_sees_allocations) {
  const auto allocate = [] {
    int* volatile kept = new int(1);  // volatile: the compiler may remove an allocation that nobody sees
    delete kept;
  };
  EXPECT_EQ(allocations_of(allocate), 1);
}

TEST(NoAllocation, thrusters_attainable_set_and_allocation) {
  for (const char* name : {"bluerov2-heavy", "nielsen-bluerov", "rexrov"}) {
    const model::Robot robot = model::read_robot(std::string(FATHOM_MODELS_DIR "/") + name + ".yaml");
    std::vector<dynamics::ThrusterModel> thrusters;
    std::vector<model::ForceRange> limits;
    for (const model::Thruster& thruster : robot.thrusters()) {
      thrusters.emplace_back(thruster, 1000);
      limits.push_back(thrusters.back().force_range());
    }
    const Mat6X B = model::allocation_matrix(robot);
    const Allocator allocator(B, limits);
    const dynamics::AttainableWrench set(B, limits);
    RandomStream random(1, "no allocation");
    double sum = 0;
    int saturated = 0;
    const long count = allocations_of([&] {
      for (int k = 0; k < 200; ++k) {
        Vec6 tau;
        for (double& x : tau) x = limits[0].max * random.uniform(-2, 2);
        const Allocation a = allocator.allocate(k % 2 ? tau : Vec6(1e-3 * tau));
        saturated += a.saturated;
        sum += a.achieved_b.sum() + set.support(tau) + set.largest_scale(tau).value_or(0) + set.contains(tau);
        for (std::size_t i = 0; i < thrusters.size(); ++i) {
          const dynamics::ThrusterModel& t = thrusters[i];
          const double command =
              t.command_for(a.forces[static_cast<Eigen::Index>(i)], t.inflow(1e-3 * tau), 16);
          const double target = t.target(command, 16);
          sum += t.state_rate(0, target, 0) + t.force(target, 0.1) + t.steady_force(command, 0, 16);
        }
      }
    });
    EXPECT_EQ(count, 0) << name;
    EXPECT_GT(saturated, 20);
    EXPECT_TRUE(std::isfinite(sum));
  }
}

}  // namespace
}  // namespace fathom::control
#else
TEST(NoAllocation, is_tested_in_the_release_build) {
  GTEST_SKIP() << "the sanitizer's malloc cannot be counted";
}
#endif
