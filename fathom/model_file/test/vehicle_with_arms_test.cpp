// The robot file of a vehicle with arms.
#include "fathom/model/vehicle_with_arms.hpp"

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/model_file/vehicle_with_arms_file.hpp"

namespace fathom::model::vehicle_with_arms_test {
namespace {

namespace fs = std::filesystem;
using fathom::test::error_text;

const fs::path root = fs::path(FATHOM_SOURCE_DIR);

VehicleWithArms parsed(const std::string& text) {
  return parse_vehicle_with_arms(text, (root / "robot.yaml").string(),
                                 {{FATHOM_ROBOTS_DIR}, {root / "data/arms"}});
}

std::string file_with(const std::string& arms) {
  return "format: fathom-robot-1\nname: whole\nvehicle: bluerov2-heavy\narms:\n" + arms;
}

/// Of an arm that is written out.
constexpr const char* written = R"(  - name: stick
    position: [0.1, 0, 0.2]
    attitude_deg: [0, 90, 0]
    arm:
      name: stick
      joints:
        - name: swing
          khalil_kleinfinger: {r: 0.1}
          limits: {min_deg: -90, max_deg: 90}
          link: {name: rod, mass: 0.5, shape: {cylinder: {length: 0.3, diameter: 0.03}, density: 1000}}
)";

TEST(VehicleWithArms, ExampleIsRead) {
  const fs::path file = root / "examples/vehicle-with-arm/heavy-alpha-5.yaml";
  EXPECT_TRUE(names_arms(file));
  const VehicleWithArms robot = read_vehicle_with_arms(file, {{FATHOM_ROBOTS_DIR}, {root / "data/arms"}});
  EXPECT_EQ(robot.vehicle.name(), "bluerov2-heavy");
  ASSERT_EQ(robot.arms.size(), 1u);
  const MountedArm& arm = robot.arms[0];
  EXPECT_EQ(arm.arm.name(), "reach-alpha-5");
  EXPECT_EQ(arm.posture, (std::vector<double>{3.14, 1.57, 1.57, 2.8}));
  EXPECT_TRUE(arm.position_b.assumed);
  EXPECT_NEAR((arm.pose() * Vec3(0, 0, 1) - Vec3(0.18, 0, 1.12)).norm(), 0, 1e-12);
}

TEST(VehicleWithArms, ArmMayStandInTheFile) {
  const VehicleWithArms robot = parsed(file_with(written));
  ASSERT_EQ(robot.arms.size(), 1u);
  EXPECT_EQ(robot.arms[0].arm.links()[0].name, "rod");
  EXPECT_EQ(robot.arms[0].posture, std::vector<double>{0.0});
  EXPECT_TRUE(robot.arms[0].file.empty());
}

/// Zero is not in every joint's range.
TEST(VehicleWithArms, RestsNearZero) {
  const VehicleWithArms robot = parsed(file_with("  - {name: alpha, arm: reach-alpha-5}\n"));
  EXPECT_EQ(robot.arms[0].posture, (std::vector<double>{1, 0.01, 0.01, 0.01}));
}

TEST(VehicleWithArms, SaysWhatIsWrongAndWhere) {
  const auto message_of = [](const std::string& text) { return error_text([&] { parsed(text); }); };
  const auto expect = [&](const std::string& text, const std::string& words) {
    const std::string said = message_of(text);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  expect(file_with("  - {name: a, arm: reach-alpha-6}\n"), "robot.yaml:5: arms[0].arm cannot be found");
  expect(file_with("  - {name: a, arm: reach-alpha-6}\n"), "did you mean reach-alpha-5?");
  expect(file_with("  - {name: a, arm: none.urdf}\n"), "does not exist (a path is meant from the folder");
  expect(file_with("  - {name: a, arm: data/robots/rexrov.yaml}\n"), "cannot be used");
  expect(file_with("  - {name: a}\n"), "arms[0] lacks the key arm");
  expect(file_with("  - {name: a, arm: reach-alpha-5, posture: {d: 4}}\n"),
         "posture.d = 4, but joint d goes from 0.01 to 3.4 rad");
  expect(file_with("  - {name: a, arm: reach-alpha-5, posture: {d: 90}}\n"), "(degrees? use posture_deg)");
  expect(file_with("  - {name: a, arm: reach-alpha-5, position: [180, 0, 0]}\n"),
         "arms[0] has its base 180 m away (millimetres? Fathom wants m)");
  expect(file_with("  - {name: a, arm: reach-alpha-5, attitude: [0, 90, 0]}\n"), "(degrees? use attitude_deg)");
  expect(file_with("  - {name: a, arm: reach-alpha-5, posture_deg: {z: 4}}\n"), "z");
  expect(file_with("  - {name: a, arm: reach-alpha-5, posture: {d: 1}, posture_deg: {d: 1}}\n"),
         "stands beside posture");
  expect(file_with("  - {name: a, arm: reach-alpha-5}\n  - {name: a, arm: reach-alpha-5}\n"),
         "is the second arm named 'a'");
  expect(file_with("  - {name: a/b, arm: reach-alpha-5}\n"),
         "arms[0].name = 'a/b', expected at most 64 letters");
  expect(file_with("  - {name: a, arm: reach-alpha-5, position: [.inf, 0, 0]}\n"), "position");
  expect(file_with("  []\n"), "arms is empty (without arms it is a robot file as any)");
  expect("format: fathom-robot-1\nname: whole\narms:\n  - {name: a, arm: reach-alpha-5}\n", "vehicle");
  expect(file_with(written) + "hull: {}\n", "hull");
  std::string heavy = written;
  heavy.replace(heavy.find("mass: 0.5"), 9, "mass: -1");
  expect(file_with(heavy), "arms[0].arm.joints[0].link.mass");
}

/// Verbs that know one body say what to do.
TEST(VehicleWithArms, IsNoRobotOfOneBody) {
  const std::string said = error_text([] { parse_robot(file_with(written), "robot.yaml"); });
  EXPECT_NE(said.find("robot.yaml:4: arms stand here: this is a vehicle with arms"), std::string::npos) << said;
  EXPECT_NE(said.find("fathom assemble FILE"), std::string::npos) << said;
  EXPECT_FALSE(names_arms(fs::path(FATHOM_ROBOTS_DIR) / "bluerov2-heavy.yaml"));
  EXPECT_FALSE(names_arms("nowhere.yaml"));
}

}  // namespace
}  // namespace fathom::model::vehicle_with_arms_test
