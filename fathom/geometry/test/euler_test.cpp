#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/derivative.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/geometry/test/random_geometry.hpp"

namespace fathom::euler_test {
namespace {

using std::numbers::pi;
using test::distance;

Vec3 random_angles(RandomStream& random, double largest_pitch) {
  return {random.uniform(-pi, pi), random.uniform(-largest_pitch, largest_pitch), random.uniform(-pi, pi)};
}

TEST(WrapAngle, LandsInTheHalfOpenCircle) {
  EXPECT_EQ(wrap_angle(0.5), 0.5);
  EXPECT_NEAR(wrap_angle(0.5 + 20 * pi), 0.5, 1e-13);
  EXPECT_NEAR(wrap_angle(-7), -7 + 2 * pi, 1e-15);
  EXPECT_EQ(wrap_angle(pi), pi);
  EXPECT_EQ(wrap_angle(-pi), pi);
}

TEST(QuaternionFromEuler, IsYawThenPitchThenRoll) {
  // Fossen 2011, eq. 2.18.
  const double phi = 0.3, theta = -0.7, psi = 2.1;
  const double cf = std::cos(phi), sf = std::sin(phi), ct = std::cos(theta), st = std::sin(theta);
  const double cp = std::cos(psi), sp = std::sin(psi);
  Mat3 R;
  R << cp * ct, -sp * cf + cp * st * sf, sp * sf + cp * cf * st,  //
      sp * ct, cp * cf + sf * st * sp, -cp * sf + st * sp * cf,   //
      -st, ct * sf, ct * cf;
  EXPECT_LT(distance(quaternion_from_euler({phi, theta, psi}).toRotationMatrix(), R), 1e-15);
}

TEST(QuaternionFromEuler, PutsTheNoseUpForPositivePitch) {
  const Vec3 nose_n = quaternion_from_euler({0, 0.2, 0}) * Vec3::UnitX();
  EXPECT_NEAR(nose_n.z(), -std::sin(0.2), 1e-16);  // z is down
}

TEST(EulerFromQuaternion, GivesTheAnglesBack) {
  RandomStream random(1, "euler");
  for (int k = 0; k < 1000; ++k) {
    const Vec3 angles = random_angles(random, 1.5);
    EXPECT_LT(distance(euler_from_quaternion(quaternion_from_euler(angles)), angles), 1e-13);
  }
  EXPECT_TRUE(euler_from_quaternion(Quat::Identity()).isZero(0));
}

TEST(EulerFromQuaternion, GivesAnglesOfTheSameRotationForEveryAttitude) {
  RandomStream random(1, "attitudes");
  for (int k = 0; k < 1000; ++k) {
    const Quat q = test::random_attitude(random);
    const Vec3 angles = euler_from_quaternion(q);
    EXPECT_LE(std::abs(angles.y()), pi / 2);
    EXPECT_LT(distance(quaternion_from_euler(angles), q), 1e-14);
  }
}

TEST(EulerFromQuaternion, HasNoRollAtGimbalLockAndKeepsTheRotation) {
  RandomStream random(1, "gimbal lock");
  for (int k = 0; k < 100; ++k) {
    for (const double pitch : {pi / 2, -pi / 2}) {
      const Quat q = quaternion_from_euler({random.uniform(-pi, pi), pitch, random.uniform(-pi, pi)});
      const Vec3 angles = euler_from_quaternion(q);
      EXPECT_EQ(angles.x(), 0);
      EXPECT_NEAR(angles.y(), pitch, 1e-9);
      EXPECT_LT(distance(quaternion_from_euler(angles), q), 2e-9);
    }
  }
}

TEST(EulerFromQuaternion, KeepsTheRotationNearGimbalLock) {
  RandomStream random(1, "near gimbal lock");
  for (const double gap : {1e-3, 1e-6, 1e-8, 2e-9, 1e-10, 1e-12}) {
    // Roll and yaw are each read off entries of size `gap` that carry rounding errors; below 1e-9 roll is
    // dropped.
    const double bound = gap > 1e-9 ? 1e-14 / gap : 2 * gap + 1e-15;
    for (int k = 0; k < 100; ++k) {
      const Quat q = quaternion_from_euler({random.uniform(-pi, pi), pi / 2 - gap, random.uniform(-pi, pi)});
      EXPECT_LT(distance(quaternion_from_euler(euler_from_quaternion(q)), q), bound) << gap;
    }
  }
}

TEST(EulerRateMatrix, IsTheDerivativeOfTheAngles) {
  RandomStream random(1, "euler rates");
  for (int k = 0; k < 50; ++k) {
    Vec3 angles = random_angles(random, 1.2);
    angles.x() *= 0.8;  // stay clear of the jumps at +-pi
    angles.z() *= 0.8;
    const Quat q = quaternion_from_euler(angles);
    const auto moved = [&](const Eigen::VectorXd& dtheta) {
      return Eigen::VectorXd(euler_from_quaternion(q * exp_rotation(Vec3(dtheta))));
    };
    const DerivativeCheck check =
        check_derivative(moved, Eigen::VectorXd::Zero(3), euler_rate_matrix(angles), 0.02, 1e-8);
    EXPECT_TRUE(check.ok) << check.text() << " at " << angles.transpose();
  }
}

TEST(EulerRateMatrix, OfALevelVehicleIsTheIdentity) {
  EXPECT_EQ(euler_rate_matrix({0, 0, 1.3}), Mat3(Mat3::Identity()));
}

}  // namespace
}  // namespace fathom::euler_test
