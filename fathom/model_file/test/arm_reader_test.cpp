#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/model/shape_drag.hpp"
#include "fathom/model_file/arm_file.hpp"
#include "fathom/model_file/test/arms.hpp"

namespace fathom::model::arm_reader_test {
namespace {

using std::numbers::pi;

const std::string full = R"(format: fathom-arm-1
arm:
  name: full
  title: everything
  notes: a tree
  joints:
    - name: waist
      source: drawing
      kind: revolute
      parent: base
      origin: {position: [0, 0, 0.1], attitude_deg: [0, 90, 0]}
      axis: [0, 0, 2]
      limits: {min_deg: -90, max: 1.5, speed_deg: 30, acceleration: 2, effort: 40}
      friction:
        source: bench
        viscous: {value: 0.5, unit: N m s, sigma: 0.1}
        coulomb_forward: 0.2
        coulomb_backward: 0.3
      actuator:
        source: data sheet
        screw_lever: {ratio: 44, pitch: 0.005, l1: 0.3, l2: 0.06, offset_deg: 91, sense: 1}
        motor: {k_t: 0.04, inertia: 1.0e-5, viscous: 1.0e-5, coulomb: 0.01}
        current: 5
        speed: 500
        acceleration: 5000
        increments: 24
      link:
        name: trunk
        source: CAD
        mass: {value: 4, unit: kg, sigma: 0.1}
        inertia: [0.02, 0.03, 0.03]
        centre_of_mass: [0.1, 0, 0]
        volume: 0.002
        centre_of_buoyancy: [0.11, 0, 0]
        sname_added_mass: [-0.1, -2, -2, 0, -0.01, -0.01]
        damping:
          - {name: tube, position: [0.1, 0, 0], linear: [1, 1, 1, 0, 0, 0], quadratic: [1, 10, 10, 0, 0.1, 0.1]}
    - name: rail
      kind: prismatic
      parent: waist
      khalil_kleinfinger: {gamma_deg: 10, b: 0.1, alpha_deg: 90, d: 0.2, theta: 0.1, r: 0.3}
      limits: {min: 0, max: 0.4}
      friction: {coulomb: 2}
      actuator: {gear: {ratio: -300}, motor: {k_t: 0.04}}
      link:
        mass: 2
        shape: {cylinder: {length: 0.3, diameter: 0.08}, position: [0.15, 0, 0]}
    - name: second-hand
      parent: trunk
      origin: {quaternion: [1, 0, 0, 0]}
      link:
        mass: 1
        shape: {ellipsoid: [0.1, 0.1, 0.1], density: 1025}
        payload: {mass: 1, position: [0, 0, 0.2], volume: 1.0e-4}
)";

std::string without_line(const std::string& part, std::string text = full) {
  const std::size_t at = text.find(part), begin = text.rfind('\n', at) + 1;
  return text.erase(begin, text.find('\n', at) + 1 - begin);
}
std::string with(const std::string& part, const std::string& other, std::string text = full) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) ADD_FAILURE() << part;
  return text.replace(at, part.size(), other);
}
std::string error_text(const std::string& text) {
  return fathom::test::error_text([&] { parse_arm(text, "bad.yaml"); });
}

TEST(ArmReader, ReadsEveryKey) {
  const Arm arm = parse_arm(full, "full.yaml");
  EXPECT_EQ(arm.name(), "full");
  EXPECT_EQ(arm.spec().title, "everything");
  ASSERT_EQ(arm.size(), 3u);
  const Joint& waist = arm.joints()[0];
  EXPECT_EQ(waist.axis, Vec3(0, 0, 1));
  EXPECT_EQ(waist.source, "drawing");
  EXPECT_LT((waist.zero.q_pc * Vec3::UnitX() + Vec3::UnitZ()).norm(), 1e-15);
  EXPECT_EQ(waist.limits.min, -90 * degree);
  EXPECT_EQ(waist.limits.max, 1.5);
  EXPECT_EQ(waist.limits.effort, 40);
  EXPECT_EQ(waist.friction.viscous.sigma, 0.1);
  EXPECT_EQ(waist.friction.coulomb_backward.value, 0.3);
  EXPECT_EQ(waist.friction.coulomb_backward.source, "bench");
  EXPECT_EQ(std::get<ScrewLever>(waist.actuator->transmission).pitch, 0.005);
  EXPECT_EQ(waist.actuator->motor.k_t, 0.04);
  EXPECT_EQ(waist.actuator->increments, 24);
  EXPECT_EQ(waist.actuator->acceleration, 5000);
  const Link& trunk = arm.links()[0];
  EXPECT_EQ(trunk.name, "trunk");
  EXPECT_EQ(trunk.body.inertia.source, "CAD");
  EXPECT_EQ(trunk.body.mass.sigma, 0.1);
  EXPECT_EQ(trunk.body.added_mass.value(1, 1), 2);
  EXPECT_EQ(trunk.damping.at(0).quadratic.value.by_speed[1](1, 1), 10);
  const Joint& rail = arm.joints()[1];
  EXPECT_EQ(rail.kind, Joint::Kind::prismatic);
  EXPECT_EQ(rail.parent, 0u);  // by the joint's name
  EXPECT_EQ(rail.friction.coulomb_forward.value, 2);
  EXPECT_EQ(rail.friction.coulomb_backward.value, 2);
  EXPECT_EQ(arm.links()[1].name, "rail");
  const Pose khalil = pose_of({10 * degree, 0.1, 90 * degree, 0.2, 0.1, 0.3});
  EXPECT_LT((rail.zero.p_pc_p - khalil.p_pc_p).norm(), 1e-15);
  EXPECT_EQ(arm.joints()[2].parent, 0u);  // a tree
  EXPECT_TRUE(std::isinf(arm.joints()[2].limits.max));
}

TEST(ArmReader, TakesTheRestFromAShape) {
  const Arm arm = parse_arm(full, "full.yaml");
  const Hull& body = arm.links()[1].body;
  const Cylinder cylinder{0.3, 0.08};
  EXPECT_DOUBLE_EQ(body.volume.value, pi / 4 * 0.08 * 0.08 * 0.3);
  EXPECT_EQ(body.centre_of_buoyancy.value, Vec3(0.15, 0, 0));
  EXPECT_DOUBLE_EQ(body.inertia.value(0, 0), 2 * 0.08 * 0.08 / 8);
  const Vec6 own = added_mass_of_shape(cylinder, 1000);
  EXPECT_DOUBLE_EQ(body.added_mass.value(1, 1), own[1]);
  EXPECT_DOUBLE_EQ(body.added_mass.value(5, 5), own[5] + own[1] * 0.15 * 0.15);
  EXPECT_TRUE(body.added_mass.assumed);
  EXPECT_EQ(body.added_mass.source, "from a cylinder in water of 1000 kg/m^3");
  EXPECT_EQ(arm.links()[1].damping.at(0).quadratic.value.by_speed[2](2, 2),
            quadratic_drag_of(cylinder, HullKind::closed, 1000).value[2]);
  // What is said counts.
  const Arm other =
      parse_arm(with("mass: 2\n", "mass: 2\n        volume: 0.001\n        damping: []\n"), "other.yaml");
  EXPECT_EQ(other.links()[1].body.volume.value, 0.001);
  EXPECT_FALSE(other.links()[1].body.volume.assumed);
  EXPECT_TRUE(other.links()[1].damping.empty());
}

TEST(ArmReader, MergesAPayload) {
  const Arm arm = parse_arm(full, "full.yaml");
  const Hull& body = arm.links()[2].body;
  EXPECT_EQ(body.mass.value, 2);
  EXPECT_LT((body.centre_of_mass.value - Vec3(0, 0, 0.1)).norm(), 1e-15);
  const double sphere = 0.1 * 0.01, arms = 2 * 0.01;  // 2/5 m r^2; two masses at 0.1 m
  EXPECT_NEAR(body.inertia.value(0, 0), sphere + arms, 1e-12);
  EXPECT_NEAR(body.inertia.value(2, 2), sphere, 1e-12);
  const double volume = pi / 6 * 1e-3;
  EXPECT_NEAR(body.volume.value, volume + 1e-4, 1e-15);
  EXPECT_NEAR(body.centre_of_buoyancy.value.z(), 1e-4 * 0.2 / (volume + 1e-4), 1e-12);
  EXPECT_EQ(body.mass.source, "with payload");
}

TEST(ArmReader, ComesBackBitByBit) {
  const Arm arm = parse_arm(full, "full.yaml");
  const std::string text = arm_to_yaml(arm);
  EXPECT_EQ(test::difference(arm, parse_arm(text, "again.yaml")), "") << text;
}

TEST(ArmReader, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(
      error_text(with("fathom-arm-1", "fathom-robot-1")),
      "bad.yaml:1: format = 'fathom-robot-1': this is a robot, not an arm (an arm file begins with 'format: "
      "fathom-arm-1')");
  EXPECT_EQ(error_text(with("kind: prismatic", "kind: slide")),
            "bad.yaml:39: arm.joints[1].kind = 'slide', expected one of revolute, prismatic");
  EXPECT_EQ(
      error_text(with("parent: waist", "parent: wasit")),
      "bad.yaml:40: arm.joints[1].parent = 'wasit', expected base, or a link or joint that stands above (did "
      "you mean waist?)");
  EXPECT_EQ(error_text(with("parent: waist", "parent: second-hand")).find("bad.yaml:40: arm.joints[1].parent"),
            0u);
  EXPECT_EQ(error_text(without_line("khalil_kleinfinger")),
            "bad.yaml:38: arm.joints[1] lacks the key origin (or khalil_kleinfinger: where the joint is on its "
            "parent)");
  EXPECT_NE(error_text(with("theta: 0.1,", "theta: 0.1, theta_deg: 3,")).find("theta_deg stands beside theta"),
            std::string::npos);
  EXPECT_NE(error_text(with("theta: 0.1,", "tehta: 0.1,")).find("did you mean theta?"), std::string::npos);
  EXPECT_NE(error_text(with("gear: {ratio: -300}, ", "")).find("has neither gear nor screw_lever"),
            std::string::npos);
  EXPECT_NE(error_text(with("limits: {min: 0,", "limits: {min_deg: 0,")).find("min_deg"), std::string::npos);
  EXPECT_NE(error_text(with("offset_deg: 91, ", ""))
                .find("lacks the key offset (or offset_deg: the angle between l1"),
            std::string::npos);
  EXPECT_NE(error_text(with("quaternion: [1, 0, 0, 0]", "quaternion: [1, 1, 0, 0]")).find("must be 1"),
            std::string::npos);
  EXPECT_NE(
      error_text(with("payload: {mass: 1", "payload: {mass: -1")).find("payload.mass = -1 kg, must be > 0"),
      std::string::npos);
  EXPECT_NE(error_text(with("diameter: 0.08", "diameter: 0.0001")).find("one side is less than a hundredth"),
            std::string::npos);
  EXPECT_NE(error_text("format: fathom-arm-1\n").find("arm is missing"), std::string::npos)
      << error_text("format: fathom-arm-1\n");
}

TEST(ArmReader, SeesAnotherUnit) {
  EXPECT_EQ(error_text(with("min: 0, max: 0.4", "min: 0, max: 90")), "(nothing was thrown)") << "metres";
  const std::string geared = without_line("screw_lever: {", with("actuator:\n        source: data sheet\n",
                                                                 "actuator:\n        gear: {ratio: 5}\n"));
  EXPECT_EQ(
      error_text(with("min_deg: -90, max: 1.5", "min_deg: -90, max: 90", geared)),
      "bad.yaml:13: arm.joints[0].limits.max = 90 rad, more than ten turns (degrees? use max_deg; leave it "
      "out for a joint without end)");
  EXPECT_EQ(error_text(with("min_deg: -90, max: 1.5", "min: -6283, max: 6283", geared)),
            "(nothing was thrown)");
  EXPECT_EQ(error_text(with("attitude_deg: [0, 90, 0]", "attitude: [0, 90, 0]")),
            "bad.yaml:11: arm.joints[0].origin.attitude[1] = 90, must be within ten turns (degrees? use "
            "attitude_deg)");
  EXPECT_EQ(error_text(with("position: [0, 0, 0.1]", "position: [0, 0, 200]")),
            "bad.yaml:11: arm.joints[0].origin.position is 200 m away (millimetres? Fathom wants m)");
  EXPECT_EQ(error_text(with("centre_of_mass: [0.1, 0, 0]", "centre_of_mass: [200, 0, 0]")),
            "bad.yaml:32: arm.joints[0].link.centre_of_mass is 200 m away (millimetres? Fathom wants m)");
  EXPECT_EQ(error_text(with("mass: 2\n", "mass: 2000\n")),
            "bad.yaml:45: arm.joints[1].link has 2000 kg in 0.00150796 m^3, 1.3e+06 kg/m^3: denser than any "
            "metal (grams? Fathom wants kg; dimensions of the shape in m)");
  EXPECT_EQ(error_text(with("volume: 0.002", "volume: 1.0e-9")), "(nothing was thrown)")
      << "a fit may leave such";
}

TEST(ArmReader, TellsPhysicsWithLines) {
  EXPECT_EQ(
      error_text(with("inertia: [0.02, 0.03, 0.03]", "inertia: [0.02, 0.03, 0.06]")),
      "bad.yaml:31: arm.joints[0].link.inertia breaks the triangle inequality: principal moments 0.02 + 0.03 < "
      "0.06 (no body has such inertia; two values may be swapped, or not about the centre of mass)");
  EXPECT_NE(
      error_text(with("offset_deg: 91", "offset_deg: 120"))
          .find("bad.yaml:21: arm.joints[0].actuator.screw_lever has a triangle that closes on itself at 60.0 "
                "deg, within the joint's range of -90.0 to 85.9 deg"),
      std::string::npos);
  // All at once.
  const std::string both = error_text(
      with("mass: 2\n", "mass: -2\n", with("inertia: [0.02, 0.03, 0.03]", "inertia: [0.02, 0.03, 0.06]")));
  EXPECT_NE(both.find(".link.inertia breaks"), std::string::npos);
  EXPECT_NE(both.find("joints[1].link.mass = -2"), std::string::npos) << both;
}

TEST(ArmReader, SurvivesEveryPrefix) {
  for (std::size_t length = 0; length < full.size(); length += 7) {
    try {
      parse_arm(full.substr(0, length), "prefix.yaml");
    } catch (const InputError& error) {
      EXPECT_FALSE(error.findings().empty());
    }
  }
}

}  // namespace
}  // namespace fathom::model::arm_reader_test
