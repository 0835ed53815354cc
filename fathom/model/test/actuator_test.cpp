#include "fathom/model/actuator.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/derivative.hpp"
#include "fathom/base/random.hpp"
#include "fathom/model/shaft_motion.hpp"

namespace fathom::model::actuator_test {
namespace {

using std::numbers::pi;

ScrewLever random_lever(RandomStream& random) {
  ScrewLever lever;
  lever.ratio = random.uniform(1, 100) * (random.uniform() < 0.5 ? -1 : 1);
  lever.pitch = random.uniform(0.001, 0.01);
  lever.l1 = random.uniform(0.03, 0.6);
  lever.l2 = random.uniform(0.03, 0.6);
  lever.offset = random.uniform(-pi, pi);
  lever.sense = random.uniform() < 0.5 ? -1 : 1;
  return lever;
}

/// A joint coordinate at which the triangle's angle is that far within 0 and pi.
double random_joint(const ScrewLever& lever, RandomStream& random, double margin = 0.1) {
  return lever.sense * (random.uniform(margin, pi - margin) - lever.offset);
}

TEST(Actuator, ScrewHasTheTrianglesLength) {
  RandomStream random(1, "levers");
  for (int k = 0; k < 200; ++k) {
    const ScrewLever lever = random_lever(random);
    const double q = random_joint(lever, random);
    const auto length = [&](double joint) {  // law of cosines
      return std::sqrt(lever.l1 * lever.l1 + lever.l2 * lever.l2 -
                       2 * lever.l1 * lever.l2 * std::cos(lever.sense * joint + lever.offset));
    };
    const double expected = lever.ratio * 2 * pi / lever.pitch * (length(q) - length(0));
    EXPECT_NEAR(motor_angle(lever, q).angle, expected, 1e-9 * (1 + std::abs(expected)));
  }
  EXPECT_EQ(motor_angle(ScrewLever{20, 0.005, 0.3, 0.06, 1.2, 1}, 0).angle, 0);
}

TEST(Actuator, DerivativesAreThoseOfTheAngle) {
  RandomStream random(2, "levers");
  for (int k = 0; k < 200; ++k) {
    const ScrewLever lever = random_lever(random);
    const double q = random_joint(lever, random, 0.3), scale = std::abs(lever.ratio) / lever.pitch;
    const auto at = [&](const Eigen::VectorXd& x) {
      const MotorAngle m = motor_angle(lever, x[0]);
      return Eigen::VectorXd(Eigen::Vector2d(m.angle, m.ratio) / scale);
    };
    const MotorAngle m = motor_angle(lever, q);
    const DerivativeCheck check =
        check_derivative(at, Eigen::VectorXd::Constant(1, q), Eigen::Vector2d(m.ratio, m.slope) / scale, 0.02);
    EXPECT_TRUE(check.ok) << check.text();
  }
}

TEST(Actuator, VirtualWorkIsTheLeversArm) {
  // The screw's force F = 2 pi ratio tau_m / pitch acts at the end of l2, along the screw: F l2 sin(alpha)
  // about the joint, alpha by the law of sines. Leborne et al. 2018, eq. 4.
  RandomStream random(3, "levers");
  for (int k = 0; k < 200; ++k) {
    ScrewLever lever = random_lever(random);
    lever.sense = 1;
    const double q = random_joint(lever, random), phi = q + lever.offset;
    const Eigen::Vector2d end_of_l1(lever.l1, 0), end_of_l2(lever.l2 * std::cos(phi), lever.l2 * std::sin(phi));
    const Eigen::Vector2d along = (end_of_l2 - end_of_l1).normalized();  // a longer screw pushes so
    const double moment = end_of_l2.x() * along.y() - end_of_l2.y() * along.x();
    const double force_per_torque = 2 * pi * lever.ratio / lever.pitch;
    EXPECT_NEAR(motor_angle(lever, q).ratio, force_per_torque * moment, 1e-9 * std::abs(force_per_torque));
  }
}

TEST(Actuator, JointIsFoundAgain) {
  RandomStream random(4, "levers");
  for (int k = 0; k < 500; ++k) {
    const ScrewLever lever = random_lever(random);
    const double q = random_joint(lever, random, 0.02);
    const double back = joint_at(lever, motor_angle(lever, q).angle, q + random.uniform(-0.01, 0.01));
    EXPECT_NEAR(back, q, 1e-9);
  }
  EXPECT_EQ(joint_at(Gear{-50}, motor_angle(Gear{-50}, 0.3).angle, 0), 0.3);
}

TEST(Actuator, NoJointWhereTheScrewDoesNotReach) {
  const ScrewLever lever{10, 0.005, 0.3, 0.06, 1, 1};
  const double per_metre = 10 * 2 * pi / 0.005;
  EXPECT_TRUE(std::isnan(joint_at(lever, per_metre * 0.2, 0)));
  EXPECT_TRUE(std::isnan(joint_at(lever, -per_metre * 0.2, 0)));
  EXPECT_TRUE(std::isnan(joint_at(lever, std::nan(""), 0)));
  // Where the triangle lies flat the answer is still one.
  EXPECT_NEAR(joint_at(lever, motor_angle(lever, pi - 1).angle, 2), pi - 1, 1e-6);
}

TEST(Actuator, GearIsAFactor) {
  const MotorAngle m = motor_angle(Gear{-80}, 0.25);
  EXPECT_EQ(m.angle, -20);
  EXPECT_EQ(m.ratio, -80);
  EXPECT_EQ(m.slope, 0);
}

std::string error_text(const Transmission& transmission, double min_deg, double max_deg) {
  std::string text;
  for (const Finding& f : check_transmission(transmission, min_deg * degree, max_deg * degree, "actuator"))
    text += (text.empty() ? "" : "\n") + f.text();
  return text;
}

TEST(Actuator, RefusesALeverWithoutArmAndSaysWhere) {
  const ScrewLever lever{44, 0.005, 0.323, 0.058, 124.7 * degree, 1};
  EXPECT_EQ(error_text(lever, -90, 32), "");
  EXPECT_EQ(
      error_text(lever, -90, 60),
      "actuator.screw_lever has a triangle that closes on itself at 55.3 deg, within the joint's range of "
      "-90.0 to 60.0 deg: sides l1 and l2 would be at 184.7 deg, and the lever has no arm at 180 (look at "
      "offset and sense, or narrow the limits: the sides' angle, sense q + offset, must stay between 1 and "
      "179 deg)");
  EXPECT_NE(error_text(lever, -124, 32).find("at -124.7 deg, too near to the joint's range"),
            std::string::npos);
  // Both ends at once.
  EXPECT_NE(error_text(lever, -130, 60).find('\n'), std::string::npos);
  ScrewLever other = lever;
  other.sense = -1;  // phi = 124.7 - q: 214.7 to 92.7
  EXPECT_NE(error_text(other, -90, 32).find("at -55.3 deg, within"), std::string::npos);
}

TEST(Actuator, RefusesNumbersThatCannotBe) {
  EXPECT_EQ(error_text(Gear{0}, 0, 10),
            "actuator.gear.ratio = 0, must be a number other than 0 (turns of the motor per turn of what it "
            "drives; negative where it turns the other way)");
  EXPECT_NE(error_text(Gear{std::nan("")}, 0, 10), "");
  ScrewLever lever{0, -0.005, 0, -1, 20, 2};
  const std::string all = error_text(lever, 0, 10);
  for (const char* key : {".ratio = 0", ".pitch = -0.005", ".l1 = 0", ".l2 = -1", ".sense = 2", ".offset = 20"})
    EXPECT_NE(all.find(key), std::string::npos) << key << "\n" << all;
  lever = {10, 0.005, 0.3, 0.06, 1, 1};
  EXPECT_EQ(error_text(lever, 0, std::numeric_limits<double>::infinity()),
            "actuator.screw_lever is on a joint without limits (give limits: a lever reaches less than half a "
            "turn)");
}

TEST(Actuator, MotionOfAShaftIsTakenBackToItsJoint) {
  RandomStream random(5, "shaft motions");
  for (int k = 0; k < 200; ++k) {
    const ScrewLever lever = random_lever(random);
    const Transmission transmission = k % 4 == 0 ? Transmission(Gear{lever.ratio}) : Transmission(lever);
    const double q = random_joint(lever, random), dq = random.normal(), ddq = random.normal();
    const MotorAngle at = motor_angle(transmission, q);
    const CoordinateMotion joint =
        joint_motion(transmission, {at.angle, at.ratio * dq, at.ratio * ddq + at.slope * dq * dq}, q + 0.01);
    EXPECT_NEAR(joint.position, q, 1e-9);
    EXPECT_NEAR(joint.speed, dq, 1e-7 * (1 + std::abs(dq)));
    EXPECT_NEAR(joint.acceleration, ddq, 1e-6 * (1 + std::abs(ddq) + dq * dq * std::abs(at.slope / at.ratio)));
  }
  EXPECT_TRUE(std::isnan(joint_motion(ScrewLever{1, 0.005, 0.1, 0.2, 1, 1}, {1e6, 0, 0}, 0).position));
  EXPECT_EQ(middle_of_range({}), 0);
  JointLimits limits;
  limits.min = 1, limits.max = 2;
  EXPECT_EQ(middle_of_range(limits), 1.5);
}

}  // namespace
}  // namespace fathom::model::actuator_test
