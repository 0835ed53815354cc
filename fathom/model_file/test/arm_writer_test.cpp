#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/model/test/random_arm.hpp"
#include "fathom/model_file/arm_file.hpp"
#include "fathom/model_file/test/arms.hpp"

namespace fathom::model::arm_writer_test {
namespace {

TEST(ArmWriter, RandomArmsComeBackBitByBit) {
  RandomStream random(1, "random arms");
  for (int k = 0; k < 60; ++k) {
    const Arm arm = Arm::make(test::random_arm(1 + static_cast<std::size_t>(k) % 7, random));
    const std::string text = arm_to_yaml(arm);
    const Arm again = parse_arm(text, "again.yaml");
    ASSERT_EQ(test::difference(arm, again), "") << text;
    ASSERT_EQ(arm_to_yaml(again), text);
  }
}

TEST(ArmWriter, WritesWhatPeopleWrite) {
  ArmSpec spec = test::small_arm();
  spec.joints[0].limits.min = -90 * degree;
  spec.joints[0].zero.q_pc = quaternion_from_euler({0, std::numbers::pi / 2, 0});
  spec.joints[0].actuator = Actuator();
  const std::string text = arm_to_yaml(Arm::make(spec));
  EXPECT_NE(text.find("limits: {min_deg: -90, max: 1}"), std::string::npos) << text;
  EXPECT_NE(text.find("attitude_deg: [0, 90, 0]"), std::string::npos) << text;
  EXPECT_NE(text.find("gear: {ratio: 1}"), std::string::npos) << text;
  EXPECT_NE(text.find("parent: \"turn-link\""), std::string::npos) << text;
}

}  // namespace
}  // namespace fathom::model::arm_writer_test
