#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/test/data_folder.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/model_file/arm_file.hpp"
#include "fathom/model_file/test/arms.hpp"

namespace fathom::model::urdf_arm_test {
namespace {

const std::string body = R"(<inertial><origin xyz="0.1 0 0"/><mass value="2"/>
    <inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial>)";

std::string link(const std::string& name, const std::string& inside = body) {
  return "  <link name=\"" + name + "\">" + inside + "</link>\n";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& inside = "") {
  return "  <joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/>" + inside + "</joint>\n";
}
const std::string range = R"(<limit lower="-1" upper="2" effort="30" velocity="3"/>)";

Arm parse(const std::string& inside) {
  return parse_urdf_arm("<robot name=\"r\">\n" + inside + "</robot>\n", "r.urdf");
}
std::string error_text(const std::string& inside) {
  return fathom::test::error_text([&] { parse(inside); });
}

TEST(UrdfArm, ReadsAChain) {
  const Arm arm = parse(link("world", "") + link("a") + link("b") +
                        joint("j1", "revolute", "world", "a",
                              R"(<origin xyz="0 0 1" rpy="0 0 1.5"/><axis xyz="0 0 3"/>)" + range +
                                  R"(<dynamics damping="0.5" friction="0.2"/>)") +
                        joint("j2", "prismatic", "a", "b", range));
  ASSERT_EQ(arm.size(), 2u);
  const Joint& first = arm.joints()[0];
  EXPECT_EQ(first.name, "j1");
  EXPECT_EQ(first.axis, Vec3(0, 0, 1));
  EXPECT_EQ(first.zero.p_pc_p, Vec3(0, 0, 1));
  EXPECT_NEAR(log_rotation(first.zero.q_pc).z(), 1.5, 1e-15);
  EXPECT_EQ(first.limits.min, -1);
  EXPECT_EQ(first.limits.max, 2);
  EXPECT_EQ(first.limits.speed, 3);
  EXPECT_EQ(first.limits.effort, 30);
  EXPECT_EQ(first.friction.viscous.value, 0.5);
  EXPECT_EQ(first.friction.coulomb_backward.value, 0.2);
  EXPECT_EQ(arm.joints()[1].kind, Joint::Kind::prismatic);
  EXPECT_EQ(arm.joints()[1].axis, Vec3(1, 0, 0));  // as URDF has it where nothing is said
  EXPECT_EQ(arm.joints()[1].parent, 0u);
  const Hull& a = arm.links()[0].body;
  EXPECT_EQ(a.mass.value, 2);
  EXPECT_EQ(a.centre_of_mass.value, Vec3(0.1, 0, 0));
  EXPECT_EQ(a.inertia.value(1, 0), 0.001);
  EXPECT_EQ(a.volume.value, 0);
  EXPECT_EQ(a.mass.source, "r.urdf:3");
  EXPECT_EQ(test::difference(arm, parse_arm(arm_to_yaml(arm), "again.yaml")), "");
}

TEST(UrdfArm, ReadsATree) {
  // Joints out of order: a parent comes before what sits on it all the same.
  const Arm arm = parse(joint("j3", "continuous", "b", "c") + joint("j1", "revolute", "base", "a", range) +
                        joint("j2", "revolute", "a", "b", range) + joint("j4", "continuous", "a", "d") +
                        link("a") + link("b") + link("c") + link("d") + link("base"));
  ASSERT_EQ(arm.size(), 4u);
  std::vector<std::string> names;
  for (const Joint& j : arm.joints()) names.push_back(j.name);
  EXPECT_EQ(names, (std::vector<std::string>{"j1", "j2", "j3", "j4"}));
  EXPECT_EQ(arm.joints()[2].parent, 1u);
  EXPECT_EQ(arm.joints()[3].parent, 0u);
  EXPECT_TRUE(std::isinf(arm.joints()[3].limits.min));
}

TEST(UrdfArm, MergesWhatIsFixed) {
  const std::string point =
      R"(<inertial><mass value="1"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>)";
  const std::string tool = joint("weld", "fixed", "a", "tool", R"(<origin xyz="0.4 0 0" rpy="0 0 1"/>)");
  const Arm arm = parse(link("base") + link("a") + link("tool", point) + link("flange", "") + link("b") +
                        joint("j1", "revolute", "base", "a", range) + tool +
                        joint("weld2", "fixed", "tool", "flange", R"(<origin xyz="0.1 0 0"/>)") +
                        joint("j2", "continuous", "flange", "b"));
  ASSERT_EQ(arm.size(), 2u);
  const Hull& a = arm.links()[0].body;
  EXPECT_EQ(a.mass.value, 3);
  EXPECT_NEAR(a.centre_of_mass.value.x(), 0.2, 1e-15);
  EXPECT_NEAR(a.inertia.value(2, 2), 0.04 + 2 * 0.01 + 0.04, 1e-15);  // parallel axes
  EXPECT_NEAR(a.inertia.value(0, 0), 0.02, 1e-15);
  const Pose& j2 = arm.joints()[1].zero;
  EXPECT_LT((j2.p_pc_p - Vec3(0.4 + 0.1 * std::cos(1.0), 0.1 * std::sin(1.0), 0)).norm(), 1e-15);
  bool told = false;
  for (const std::string& note : arm.spec().notes_of_reading)
    told = told || note == "fixed to 'a' and merged into it: 'tool', 'flange'";
  EXPECT_TRUE(told);
}

TEST(UrdfArm, TellsWhatItLeavesOut) {
  const Arm arm = parse_urdf_arm(
      "<robot name=\"my robot\">\n" + link("base") +
          link("a", body + R"(<visual><geometry><mesh filename="package://gone.stl"/></geometry></visual>)") +
          joint("j/1", "revolute", "base", "a", R"(<limit lower="-1" upper="1" effort="0" velocity="2"/>)") +
          "<transmission name=\"t\"/></robot>",
      "r.urdf");
  EXPECT_EQ(arm.name(), "my_robot");
  EXPECT_EQ(arm.joints()[0].name, "j_1");
  EXPECT_TRUE(std::isinf(arm.joints()[0].limits.effort));
  EXPECT_EQ(arm.spec().notes_of_reading,
            (std::vector<std::string>{
                "line 6: effort = 0 of joint j/1 is taken for 'nobody says'",
                "1 meshes: not looked for; Fathom's arms have no surface",
                "1 transmissions: not read; actuators stand in arm files, with their motors",
                "no water in a URDF: volume, added mass and drag of every link are zero",
                "'my robot' is called my_robot",
                "the arm stands on 'base'; no joint moves its 2 kg, which are left out",
                "'j/1' is called j_1",
            }));
}

TEST(UrdfArm, RefusesBodiesThatDoNotExist) {
  const auto with = [](const std::string& inertial) {
    return error_text(link("base", "") + link("a", inertial) + joint("j", "continuous", "base", "a"));
  };
  const auto body_of = [](const std::string& mass, const std::string& moments) {
    return "<inertial><mass value=\"" + mass + "\"/><inertia " + moments + "/></inertial>";
  };
  const std::string zero = R"(ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0")";
  EXPECT_NE(with(body_of("1", R"(ixx="1" ixy="0" ixz="0" iyy="1" izz="1")")).find("iyz"), std::string::npos);
  EXPECT_EQ(
      with(""),
      "r.urdf:3: robot[r]/link[a] is moved by a joint, but neither it nor what is fixed to it has a mass (give "
      "it an <inertial>, or make its joint fixed)");
  EXPECT_NE(with(body_of("0", zero)).find("has a mass"), std::string::npos);
  EXPECT_EQ(
      with(body_of("1", zero)),
      "r.urdf:3: robot[r]/link[a]/inertial has zero inertia, which no body of its mass has (give moments about "
      "the centre of mass; a box of size a, b, c has m (b^2 + c^2) / 12 ...)");
  EXPECT_NE(with(body_of("-1", zero)).find("has mass -1, must be >= 0"), std::string::npos);
  EXPECT_NE(
      with(body_of("0", R"(ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1")")).find("inertia without mass"),
      std::string::npos);
  EXPECT_EQ(
      with(body_of("1", R"(ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="3")")),
      "r.urdf:3: robot[r]/link[a]/inertial inertia breaks the triangle inequality: principal moments 1 + 1 < 3 "
      "(no body has such inertia; two values may be swapped, or not about the centre of mass)");
  EXPECT_NE(
      with(body_of("1", R"(ixx="1" ixy="2" ixz="0" iyy="1" iyz="0" izz="1")")).find("principal moment -1"),
      std::string::npos);
  EXPECT_NE(with(R"(<inertial><mass value="1"/></inertial>)").find("has no <inertia>"), std::string::npos);
  EXPECT_NE(with(body_of("much", zero)).find("@value is 'much', must be a number"), std::string::npos);
}

TEST(UrdfArm, RefusesWhatIsNoTree) {
  EXPECT_EQ(
      error_text(link("base") + link("a") + link("b") + joint("j1", "continuous", "base", "a") +
                 joint("j2", "continuous", "a", "b") + joint("j3", "continuous", "base", "b")),
      "r.urdf:10: robot[r]/joint[j3] closes a loop: link 'b' is already the child of joint 'j2' (an arm is a "
      "tree; cut the loop open, and leave its closing joint out)");
  EXPECT_NE(error_text(link("a") + link("b") + joint("j1", "continuous", "a", "b") +
                       joint("j2", "continuous", "b", "a"))
                .find("has no root"),
            std::string::npos);
  EXPECT_NE(error_text(link("base") + link("a") + link("b") + joint("j1", "continuous", "a", "b") +
                       joint("j2", "continuous", "b", "a"))
                .find("robot[r]/joint[j1] is part of a loop: no joints lead from 'base' to link 'b'"),
            std::string::npos);
  EXPECT_EQ(error_text(link("base") + link("a") + link("lost") + joint("j1", "continuous", "base", "a")),
            "r.urdf:6: robot[r]/link[lost] is a root beside 'base' (join them by a joint, or make two files)");
  EXPECT_NE(error_text(link("base")).find("moves nothing"), std::string::npos);
  EXPECT_NE(error_text("").find("has no link"), std::string::npos);
}

TEST(UrdfArm, RefusesJointsOfOtherTypes) {
  const auto of = [](const std::string& type, const std::string& inside = range) {
    return error_text(link("base") + link("a") + joint("j", type, "base", "a", inside));
  };
  EXPECT_EQ(
      of("floating"),
      "r.urdf:6: robot[r]/joint[j] is of type floating, which an arm's joint cannot be (what an arm stands on "
      "may move: make its vehicle the root of the file)");
  EXPECT_NE(of("planar").find("is of type planar"), std::string::npos);
  EXPECT_EQ(of("revolut"),
            "r.urdf:6: robot[r]/joint[j] is of type 'revolut', expected revolute, continuous, prismatic or "
            "fixed (did "
            "you mean revolute?)");
  EXPECT_NE(of("revolute", "").find("has no <limit>"), std::string::npos);
  EXPECT_NE(of("revolute", R"(<limit lower="1" upper="1" effort="1" velocity="1"/>)").find("lower < upper"),
            std::string::npos);
  EXPECT_NE(of("revolute", R"(<limit lower="-170" upper="170" effort="1" velocity="1"/>)")
                .find("limits.min = -170 rad, more than ten turns (degrees?"),
            std::string::npos);
  EXPECT_NE(of("revolute", range + R"(<axis xyz="0 0 0"/>)").find("is zero"), std::string::npos);
  EXPECT_EQ(of("revolute", range + R"(<mimic joint="other"/>)"),
            "r.urdf:6: robot[r]/joint[j]/mimic ties this joint to another, which Fathom's arms cannot (make it "
            "fixed, "
            "or free: leave out <mimic>)");
  EXPECT_NE(of("revolute", range + R"(<dynamics damping="-1"/>)")
                .find("r.urdf:6: robot[r]/joint[j] friction.viscous = -1, must be >= 0"),
            std::string::npos);
  EXPECT_NE(
      error_text(link("base") + link("a") + joint("j", "continuous", "bsae", "a")).find("did you mean base?"),
      std::string::npos);
  // All at once.
  const std::string all =
      error_text(link("base") + link("a", "<inertial/>") + joint("j", "floating", "base", "a"));
  EXPECT_NE(all.find("has no <mass>"), std::string::npos);
  EXPECT_NE(all.find("is of type floating"), std::string::npos);
}

TEST(UrdfArm, RefusesWhatIsNoUrdf) {
  EXPECT_NE(fathom::test::error_text([] { parse_urdf_arm("<sdf/>", "r.urdf"); }).find("is not <robot>"),
            std::string::npos);
  EXPECT_NE(fathom::test::error_text([] { parse_urdf_arm("format: fathom-arm-1", "r.urdf"); }),
            "(nothing was thrown)");
}

double total_mass(const Arm& arm) {
  double mass = 0;
  for (const Link& link : arm.links()) mass += link.body.mass.value;
  return mass;
}

TEST(UrdfArm, ReadsPublishedArms) {
  const auto file = fathom::test::data_folder() / "arm_ur10e" / "ur10e.urdf";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no " << file << ": FATHOM_DATA names its folder";
  const Arm ur10e = read_arm(file.string());
  EXPECT_EQ(ur10e.size(), 6u);
  EXPECT_EQ(ur10e.joints().front().name, "shoulder_pan_joint");
  EXPECT_EQ(ur10e.joints().back().name, "wrist_3_joint");
  const Arm lwr4 = read_arm((fathom::test::data_folder() / "arm_lwr4" / "kuka_lwr4.urdf").string());
  EXPECT_EQ(lwr4.size(), 7u);
  EXPECT_NEAR(total_mass(lwr4), 4 * 2.7 + 1.7 + 1.6 + 0.3, 1e-12);
  EXPECT_EQ(lwr4.joints()[1].friction.viscous.value, 1.2);
  for (const Arm& arm : {ur10e, lwr4})
    EXPECT_EQ(test::difference(arm, parse_arm(arm_to_yaml(arm), "again.yaml")), "");
}

}  // namespace
}  // namespace fathom::model::urdf_arm_test
