// The arms that ship: what is printed of them, and what was chosen so that it agrees.
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/model_file/arm_file.hpp"
#include "fathom/model_file/test/arms.hpp"

namespace fathom::model::shipped_arms_test {
namespace {

using std::numbers::pi;

TEST(ShippedArms, ComeBackFromTheirFilesBitByBit) {
  const std::vector<Arm> arms = test::all_arms();
  EXPECT_GE(arms.size(), 2u);
  for (const Arm& arm : arms) {
    const std::string text = arm_to_yaml(arm);
    const Arm again = parse_arm(text, "again.yaml");
    EXPECT_EQ(test::difference(arm, again), "") << text;
    EXPECT_EQ(arm_to_yaml(again), text);
    EXPECT_TRUE(arm.spec().notes_of_reading.empty());
  }
}

TEST(ShippedArms, SayWhereTheirValuesComeFrom) {
  for (const Arm& arm : test::all_arms())
    for (std::size_t k = 0; k < arm.size(); ++k) {
      const Hull& body = arm.links()[k].body;
      EXPECT_NE(arm.joints()[k].source, "");
      EXPECT_NE(body.mass.source, "");
      EXPECT_NE(body.inertia.source, "");
      EXPECT_NE(body.volume.source, "");
      EXPECT_NE(body.added_mass.source, "");
      EXPECT_NE(arm.links()[k].damping.at(0).quadratic.source, "");
      EXPECT_GT(body.mass.value / body.volume.value, 1500);  // denser than water
      EXPECT_LT(body.mass.value / body.volume.value, 2700);  // not solid metal
    }
}

TEST(ShippedArms, ReachAlpha5IsAsPublished) {
  const Arm arm = read_arm((test::arms_folder() / "reach-alpha-5.yaml").string());
  ASSERT_EQ(arm.size(), 4u);
  const double masses[] = {0.194, 0.429, 0.115, 0.333}, efforts[] = {1.5, 1, 1, 0.54};
  const double lowest[] = {1, 0.01, 0.01, 0.01}, highest[] = {5.5, 3.4, 3.4, 5.7};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(arm.links()[k].body.mass.value, masses[k]);
    EXPECT_EQ(arm.joints()[k].limits.effort, efforts[k]);
    EXPECT_EQ(arm.joints()[k].limits.min, lowest[k]);
    EXPECT_EQ(arm.joints()[k].limits.max, highest[k]);
    EXPECT_EQ(arm.joints()[k].parent, k == 0 ? std::nullopt : std::optional(k - 1));
  }
  EXPECT_EQ(arm.joints()[2].zero.p_pc_p, Vec3(-0.04, 0, -0.1453));
  EXPECT_EQ(arm.joints()[3].axis, Vec3(0, 0, -1));
  EXPECT_NEAR(log_rotation(arm.joints()[3].zero.q_pc).z(), 2.09439, 1e-12);
  // The links' cylinders lie between their joints.
  EXPECT_NEAR(2 * arm.links()[1].body.centre_of_mass.value.z(), arm.joints()[2].zero.p_pc_p.z(), 1e-3);
  EXPECT_GT(arm.links()[3].body.centre_of_mass.value.z(), 0);
}

TEST(ShippedArms, ArianeHasTableIIIOfItsPaper) {
  const Arm arm = read_arm((test::arms_folder() / "ariane.yaml").string());
  ASSERT_EQ(arm.size(), 4u);
  struct Row {
    double min, max, increments, speed, acceleration, joint_speed;
  };
  // Leborne et al. 2018, Table III: deg, inc, inc/s, inc/s^2, deg/s.
  const Row table[] = {
      {-90, 32, 20850, 2000, 20000, 28}, {7, 94, 6810, 600, 6000, 9}, {110, 244, 26750, 2000, 20000, 25}};
  for (std::size_t k = 0; k < 3; ++k) {
    const Joint& joint = arm.joints()[k];
    const Row& row = table[k];
    EXPECT_NEAR(joint.limits.min * degrees, row.min, 1e-9);
    EXPECT_NEAR(joint.limits.max * degrees, row.max, 1e-9);
    const Actuator& actuator = *joint.actuator;
    const double counts = *actuator.increments / (2 * pi);
    const double travel = counts * (motor_angle(actuator.transmission, joint.limits.max).angle -
                                    motor_angle(actuator.transmission, joint.limits.min).angle);
    EXPECT_NEAR(travel, row.increments, 0.01 * row.increments) << joint.name;
    EXPECT_NEAR(*actuator.speed * counts, row.speed, 1e-9);
    EXPECT_NEAR(*actuator.acceleration * counts, row.acceleration, 1e-9);
    double fastest = 0;  // of the joint, at the motor's largest speed
    for (int i = 0; i <= 200; ++i) {
      const double q = joint.limits.min + (joint.limits.max - joint.limits.min) * i / 200;
      fastest = std::max(fastest, *actuator.speed / motor_angle(actuator.transmission, q).ratio);
    }
    // Joint 2 cannot be slower at its ends than 9.66 deg/s, whatever the offset: printed 9.
    EXPECT_NEAR(fastest * degrees, row.joint_speed, 0.08 * row.joint_speed) << joint.name;
    std::printf("%s: %.0f increments (%.0f printed), %.1f deg/s (%.0f printed)\n", joint.name.c_str(), travel,
                row.increments, fastest * degrees, row.joint_speed);
  }
  EXPECT_TRUE(std::holds_alternative<Gear>(arm.joints()[3].actuator->transmission));
  // Table II: where frame 4 is in frame 3.
  EXPECT_LT((arm.joints()[3].zero.p_pc_p - Vec3(-0.1, 0.436, 0)).norm(), 1e-12);
  EXPECT_LT((arm.joints()[3].zero.q_pc * Vec3::UnitZ() - Vec3::UnitY()).norm(), 1e-12);
}

TEST(ShippedArms, AreWrittenToFiles) {
  const fathom::test::TemporaryFolder folder;
  const Arm arm = read_arm((test::arms_folder() / "ariane.yaml").string());
  const std::string file = (folder.path() / "arm.yaml").string();
  write_arm(arm, file);
  EXPECT_EQ(test::difference(arm, read_arm(file)), "");
}

}  // namespace
}  // namespace fathom::model::shipped_arms_test
