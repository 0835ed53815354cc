#include "fathom/model/arm.hpp"

#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/model_file/test/arms.hpp"

namespace fathom::model::arm_test {
namespace {

using std::numbers::pi;

std::string error_text(const std::function<void(ArmSpec&)>& change) {
  ArmSpec spec = test::small_arm();
  change(spec);
  try {
    Arm::make(spec);
  } catch (const InputError& error) {
    std::string text;
    for (const Finding& finding : error.findings()) text += (text.empty() ? "" : "\n") + finding.text();
    return text;
  }
  return "";
}

TEST(Arm, IsMadeOfBodiesThatExist) {
  EXPECT_EQ(error_text([](ArmSpec&) {}), "");
  EXPECT_EQ(error_text([](ArmSpec& s) { s.links[0].body.volume.value = 0; }), "");  // in air
  EXPECT_EQ(error_text([](ArmSpec& s) { s.links[1].body.mass.value = 0; }),
            "joints[1].link.mass = 0, must be > 0 (kg, of the dry link)");
  EXPECT_EQ(error_text([](ArmSpec& s) { s.links[1].body.volume.value = -1; }),
            "joints[1].link.volume = -1, must be >= 0 (m^3 of displaced water; 0 in air)");
  EXPECT_EQ(
      error_text([](ArmSpec& s) { s.links[0].body.inertia.value(2, 2) = 0.06; }),
      "joints[0].link.inertia breaks the triangle inequality: principal moments 0.02 + 0.03 < 0.06 (no body "
      "has such inertia; two values may be swapped, or not about the centre of mass)");
  EXPECT_NE(error_text([](ArmSpec& s) {
              s.links[0].body.added_mass.value(1, 1) = -1;
            }).find("joints[0].link.added_mass[1] = -1, must be >= 0 (SNAME sign?"),
            std::string::npos);
  EXPECT_NE(error_text([](ArmSpec& s) {
              s.links[0].damping.emplace_back().name = "a";
              s.links[0].damping[0].linear.value(3, 3) = -2;
            }).find("joints[0].link.damping[0].linear[3] = -2, must be >= 0"),
            std::string::npos);
}

TEST(Arm, HasJointsInOrder) {
  EXPECT_EQ(error_text([](ArmSpec& s) { s.joints.clear(); }),
            "joints is empty (an arm has one joint at least)\n"
            "joints are 0, but links are 2 (each joint moves one link)");
  EXPECT_EQ(error_text([](ArmSpec& s) { s.joints[0].parent = 0; }),
            "joints[0].parent is link 0, which comes later (joints come after the ones that they sit on)");
  EXPECT_EQ(
      error_text([](ArmSpec& s) { s.joints[0].axis = Vec3(0, 0, 2); }),
      "joints[0].axis has length 2, must be 1 (the direction about or along which the joint moves, such as "
      "[0, 0, 1])");
  EXPECT_NE(error_text([](ArmSpec& s) { s.joints[0].axis.x() = std::nan(""); }), "");
  EXPECT_NE(error_text([](ArmSpec& s) { s.joints[0].zero.q_pc.w() = 2; }).find("not of length one"),
            std::string::npos);
  EXPECT_NE(error_text([](ArmSpec& s) {
              s.joints[1].zero.p_pc_p.x() = std::nan("");
            }).find("joints[1].origin.position"),
            std::string::npos);
  EXPECT_EQ(error_text([](ArmSpec& s) { s.joints[1].limits.max = -1; }),
            "joints[1].limits go from -1 to -1, must have min < max (leave both out for a joint without end)");
  EXPECT_NE(error_text([](ArmSpec& s) { s.joints[1].limits.speed = 0; }).find("limits.speed = 0, must be > 0"),
            std::string::npos);
  EXPECT_NE(error_text([](ArmSpec& s) { s.joints.resize(300); }).find("has 300 entries, at most 256"),
            std::string::npos);
}

TEST(Arm, HasNamesOfItsOwn) {
  EXPECT_EQ(error_text([](ArmSpec& s) { s.joints[1].name = "turn"; }),
            "joints[1].name = 'turn' is used twice (give each a name of its own)");
  EXPECT_EQ(error_text([](ArmSpec& s) { s.links[1].name = "base"; }),
            "joints[1].link.name = 'base' (that is what the arm stands on; another name)");
  EXPECT_NE(error_text([](ArmSpec& s) { s.joints[1].name = "a b"; }).find("expected at most 64 letters"),
            std::string::npos);
  EXPECT_NE(error_text([](ArmSpec& s) { s.name = ""; }), "");
}

TEST(Arm, HasFrictionThatTakesEnergy) {
  EXPECT_NE(error_text([](ArmSpec& s) {
              s.joints[0].friction.viscous.value = -1;
            }).find("joints[0].friction.viscous = -1, must be >= 0"),
            std::string::npos);
  EXPECT_NE(error_text([](ArmSpec& s) {
              s.joints[0].friction.coulomb_backward.sigma = -1;
            }).find("joints[0].friction.coulomb_backward.sigma"),
            std::string::npos);
}

TEST(Arm, HasActuatorsThatReach) {
  const auto with = [](const Actuator& actuator, std::size_t k = 0) {
    return error_text([&](ArmSpec& s) { s.joints[k].actuator = actuator; });
  };
  Actuator actuator;
  actuator.transmission = ScrewLever{10, 0.005, 0.3, 0.06, pi / 2, 1};
  EXPECT_EQ(with(actuator), "");  // -57 to 57 degrees about a right angle
  EXPECT_EQ(
      with(actuator, 1),
      "joints[1].actuator.screw_lever is on a prismatic joint (a lever turns; use gear with turns per metre)");
  actuator.transmission = ScrewLever{10, 0.005, 0.3, 0.06, 0.9, 1};
  EXPECT_NE(
      with(actuator).find("joints[0].actuator.screw_lever has a triangle that closes on itself at -51.6 deg"),
      std::string::npos);
  actuator.transmission = Gear{100};
  EXPECT_EQ(with(actuator, 1), "");
  actuator.motor = {0, -1, -1, -1};
  actuator.current = 0;
  actuator.increments = -4;
  const std::string all = with(actuator);
  for (const char* key :
       {"k_t = 0", "inertia = -1", "viscous = -1", "coulomb = -1", "current = 0", "increments = -4"})
    EXPECT_NE(all.find(key), std::string::npos) << all;
}

/// The matrix of Khalil and Kleinfinger 1986, eq. 1, written out for gamma = b = 0.
TEST(KhalilKleinfinger, IsTheirMatrix) {
  const double alpha = 0.7, d = 0.4, theta = -1.1, r = 0.25;
  Eigen::Matrix4d T;
  T << std::cos(theta), -std::sin(theta), 0, d,  //
      std::cos(alpha) * std::sin(theta), std::cos(alpha) * std::cos(theta), -std::sin(alpha),
      -r * std::sin(alpha), std::sin(alpha) * std::sin(theta), std::sin(alpha) * std::cos(theta),
      std::cos(alpha), r * std::cos(alpha),  //
      0, 0, 0, 1;
  const Pose pose = pose_of({0, 0, alpha, d, theta, r});
  EXPECT_LT((pose.q_pc.toRotationMatrix() - T.topLeftCorner<3, 3>()).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((pose.p_pc_p - T.topRightCorner<3, 1>()).cwiseAbs().maxCoeff(), 1e-14);
  // gamma and b come first, about and along the parent's z.
  const Pose tree = pose_of({0.3, 0.1, alpha, d, theta, r});
  const Pose first = {exp_rotation(Vec3(0, 0, 0.3)), Vec3(0, 0, 0.1)};
  EXPECT_LT(((first * pose).p_pc_p - tree.p_pc_p).norm(), 1e-14);
  EXPECT_LT(log_rotation((first * pose).q_pc.conjugate() * tree.q_pc).norm(), 1e-14);
}

}  // namespace
}  // namespace fathom::model::arm_test
