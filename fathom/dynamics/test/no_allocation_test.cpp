// What runs at every step of an arm, a vehicle with arms, or an allocation takes no memory from the heap
// (HABITS 13).
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/base/test/count_allocations.hpp"
#include "fathom/dynamics/allocation.hpp"
#include "fathom/dynamics/arm_regressor.hpp"
#include "fathom/dynamics/attainable.hpp"
#include "fathom/dynamics/test/arms.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/dynamics/vehicle_with_arms.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::dynamics::no_allocation_test {
namespace {

using fathom::test::allocations_of;

/// Everything twice: the first call may size its results.
void expect_none(const model::Arm& robot, std::uint64_t seed) {
  const Arm arm(robot);
  ArmWorkspace workspace(arm);
  RandomStream random(seed, "arm without allocation");
  const test::ArmMotion motion = test::random_arm_motion(arm.size(), random);
  const auto q = motion.angles(), dq = motion.speeds(), ddq = motion.rates();
  std::vector<double> efforts(arm.size(), 0.1), rates(arm.size());
  std::vector<Pose> poses(arm.size());
  Vec6 wrench;
  ArmInertia inertia;
  Eigen::MatrixXd C;
  ArmDerivatives derivatives;
  const auto none = [&](const char* what, const auto& work) {
    work();
    EXPECT_EQ(allocations_of(work), 0) << what << " of " << arm.size() << " joints";
  };
  none("inverse_dynamics",
       [&] { inverse_dynamics(arm, motion.base, q, dq, ddq, workspace, efforts, &wrench); });
  none("forward_dynamics", [&] { forward_dynamics(arm, motion.base, q, dq, efforts, workspace, rates); });
  none("link_poses", [&] { link_poses(arm, q, poses); });
  none("joint_inertia", [&] { joint_inertia(arm, q, workspace, inertia); });
  none("coriolis_matrix", [&] { coriolis_matrix(arm, q, dq, workspace, C); });
  none("inverse_derivatives",
       [&] { inverse_derivatives(arm, motion.base, q, dq, ddq, workspace, derivatives); });
}

TEST(NoAllocation, OfArmsChainsAndTreesDryAndWet) {
  std::uint64_t seed = 0;
  for (const model::Arm& robot : test::random_arms()) expect_none(robot, ++seed);
}

TEST(NoAllocation, OfAVehicleWithArms) {
  model::VehicleWithArms whole{"whole", "", "", test::random_robot(1), "", {}};
  for (const std::uint64_t seed : {2, 3})
    whole.arms.push_back({"arm", test::random_arm(seed, {.joints = 5, .tree = true})});
  const VehicleWithArms robot(whole);
  VehicleWithArmsWorkspace workspace(robot);
  RandomStream random(1, "vehicle without allocation");
  const test::ArmMotion motion = test::random_arm_motion(robot.joints(), random);
  const auto q = motion.angles(), dq = motion.speeds();
  std::vector<double> efforts(robot.joints()), rates(robot.joints());
  Vec6 tau, nu_dot;
  const auto both_ways = [&] {
    inverse_dynamics(robot, motion.base, q, dq, motion.rates(), workspace, tau, efforts);
    forward_dynamics(robot, motion.base, q, dq, tau, efforts, workspace, nu_dot, rates);
    tau = impulse(robot, motion.base.nu_r_b, q, dq, workspace);
  };
  both_ways();
  EXPECT_EQ(allocations_of(both_ways), 0);
}

TEST(NoAllocation, ArmRegressor) {
  const Arm arm(test::random_arm(3, {.joints = 7, .tree = true, .full_drag = false}));
  ArmWorkspace workspace(arm);
  RandomStream random(1, "regressor without allocation");
  const test::ArmMotion motion = test::random_arm_motion(arm.size(), random);
  for (const bool in_water : {false, true}) {
    ArmColumns columns;
    columns.viscous = columns.offset = columns.motor = true;
    columns.coulomb = ArmColumns::Coulomb::by_direction;
    columns.buoyancy = columns.added_mass = columns.drag = in_water;
    Eigen::MatrixXd Y(static_cast<Eigen::Index>(arm.size()),
                      static_cast<Eigen::Index>(column_count(arm, columns)));
    Eigen::MatrixXd of_base(6, Y.cols());
    const auto joints = [&] {
      arm_regressor(arm, columns, motion.base, motion.angles(), motion.speeds(), motion.rates(), workspace, Y);
    };
    const auto base = [&] {
      base_regressor(arm, columns, motion.base, motion.angles(), motion.speeds(), motion.rates(), workspace,
                     of_base);
    };
    EXPECT_EQ(allocations_of(joints), 0) << in_water;
    EXPECT_EQ(allocations_of(base), 0) << in_water;
  }
}

TEST(NoAllocation, ThrustersAttainableSetAndAllocation) {
  for (const char* name : {"bluerov2-heavy", "nielsen-bluerov", "rexrov"}) {
    const model::Robot robot = model::read_robot(std::string(FATHOM_ROBOTS_DIR "/") + name + ".yaml");
    std::vector<ThrusterModel> thrusters;
    std::vector<model::ForceRange> limits;
    for (const model::Thruster& thruster : robot.thrusters()) {
      thrusters.emplace_back(thruster, 1000);
      limits.push_back(thrusters.back().force_range());
    }
    const Mat6X B = model::allocation_matrix(robot);
    const Allocator allocator(B, limits);
    Allocator::Workspace workspace = allocator.workspace();
    const AttainableWrench set(B, limits);
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
          const ThrusterModel& t = thrusters[i];
          const double command =
              t.command_for(a.forces[static_cast<Eigen::Index>(i)], t.inflow(1e-3 * tau), 16);
          const double target = t.target(command, 16);
          sum += t.state_rate(0, target, 0) + t.force(target, 0.1, 16) + t.steady_force(command, 0, 16);
          sum += t.flow_rate(target, 0.1, 16) + t.force_in_flow(target, 0.1, 0.1, 16);
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
}  // namespace fathom::dynamics::no_allocation_test
