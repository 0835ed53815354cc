// Arms held still: the whole moves as the robot file that is written of it does.
#include "fathom/assembly/held_arms.hpp"

#include <gtest/gtest.h>

#include "fathom/dynamics/test/arms.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/dynamics/vehicle_with_arms.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::assembly::held_arms_test {
namespace {

using dynamics::test::random_vec3;
using dynamics::test::random_vec6;

model::VehicleWithArms with_arms(const model::Robot& robot, RandomStream& random) {
  model::VehicleWithArms whole{"whole", "", "", robot, "", {}};
  for (const char* name : {"left", "right"}) {
    model::MountedArm mounted{
        name, dynamics::test::random_arm(random.next(), {.joints = 3, .tree = true, .prismatic = true})};
    mounted.position_b.value = random_vec3(random, 0.5);
    mounted.attitude_rpy.value = random_vec3(random, 1);
    for (std::size_t k = 0; k < mounted.arm.size(); ++k) mounted.posture.push_back(random.normal());
    whole.arms.push_back(std::move(mounted));
  }
  return whole;
}

/// The wrench of any motion, from the recursion over links and from one rigid body: two ways that share no
/// code.
TEST(HeldArms, MoveAsOneRobot) {
  RandomStream random(1, "held arms");
  for (const auto& [name, vehicle] : dynamics::test::all_robots()) {
    const model::VehicleWithArms whole = with_arms(vehicle, random);
    const model::Robot robot = hold_arms(whole).robot;
    const dynamics::Vehicle one(robot);
    const dynamics::VehicleWithArms many(whole);
    dynamics::VehicleWithArmsWorkspace workspace(many);
    std::vector<double> q, zero(many.joints(), 0.0), efforts(many.joints());
    for (const model::MountedArm& arm : whole.arms) q.insert(q.end(), arm.posture.begin(), arm.posture.end());
    for (int k = 0; k < 5; ++k) {
      const dynamics::Motion motion{random_vec6(random), random_vec6(random), random_vec3(random).normalized()};
      Vec6 tau;
      inverse_dynamics(many, motion, q, zero, zero, workspace, tau, efforts);
      const Vec6 expected = inverse_dynamics(one, motion);
      EXPECT_LT((tau - expected).norm(), 1e-9 * (1 + expected.norm())) << name;
    }
  }
}

TEST(HeldArms, KeepWhatIsTheVehicles) {
  RandomStream random(2, "held arms");
  const model::Robot& vehicle = dynamics::test::robot_named("bluerov2-heavy");
  const HeldArms held = hold_arms(with_arms(vehicle, random));
  EXPECT_EQ(held.robot.thrusters().size(), vehicle.thrusters().size());
  EXPECT_EQ(held.robot.thrusters().front().name, vehicle.thrusters().front().name);
  EXPECT_EQ(held.robot.sensors().size(), vehicle.sensors().size());
  EXPECT_FALSE(held.robot.hull().symmetry.port_starboard);  // an arm hangs on one side
  const model::Robot again = model::parse_robot(model::robot_to_yaml(held.robot), "held.yaml");
  EXPECT_EQ(again.hull().mass.value, held.robot.hull().mass.value);
  EXPECT_GT(held.robot.hull().mass.value, vehicle.hull().mass.value);
}

}  // namespace
}  // namespace fathom::assembly::held_arms_test
