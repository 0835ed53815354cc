#include <gtest/gtest.h>

#include "fathom/base/derivative.hpp"
#include "fathom/geometry/pose.hpp"
#include "fathom/geometry/test/random_geometry.hpp"

namespace fathom::twist_transform_test {
namespace {

using test::distance;
using test::random_matrix;
using test::random_pose;

TEST(TwistTransform, AddsTheSpeedOfTheLeverArm) {
  const Pose ahead{Quat::Identity(), Vec3(2, 0, 0)};
  Vec6 nu, expected;
  nu << 1, 0, 0, 0, 0, 0.5;        // ahead, turning to starboard
  expected << 1, 1, 0, 0, 0, 0.5;  // a point 2 m ahead sweeps to starboard with 2 x 0.5
  EXPECT_LT(distance(twist_transform(ahead) * nu, expected), 1e-15);
}

TEST(TwistTransform, IsTheDerivativeOfTheMotionOfTheChildFrame) {
  RandomStream random(1, "moving frame");
  for (int k = 0; k < 20; ++k) {
    const Pose pose = random_pose(random);
    const Vec6 nu = random_matrix<Vec6>(random);
    // The parent moves by Exp(omega t), v t; seen from where the child was, the child moves by this:
    const auto motion = [&](const Eigen::VectorXd& t) {
      const Pose parent{exp_rotation(t[0] * nu.tail<3>()), t[0] * nu.head<3>()};
      const Pose child = pose.inverse() * parent * pose;
      Eigen::VectorXd moved(6);
      moved << child.p_pc_p, log_rotation(child.q_pc);
      return moved;
    };
    const DerivativeCheck check =
        check_derivative(motion, Eigen::VectorXd::Zero(1), twist_transform(pose) * nu, 0.05, 1e-8);
    EXPECT_TRUE(check.ok) << check.text();
  }
}

TEST(TwistTransform, LeavesPowerAsItIs) {
  RandomStream random(1, "power");
  for (int k = 0; k < 100; ++k) {
    const Mat6 H = twist_transform(random_pose(random));
    const Vec6 nu_p = random_matrix<Vec6>(random), tau_c = random_matrix<Vec6>(random);
    const Vec6 nu_c = H * nu_p, tau_p = H.transpose() * tau_c;
    EXPECT_NEAR(tau_p.dot(nu_p), tau_c.dot(nu_c), 1e-13);
  }
}

TEST(TwistTransform, MovesAForceToTheMomentOfItsLeverArm) {
  const Vec3 arm(0.3, -0.2, 0.5), force(1, 2, 3);
  Vec6 at_child, expected;
  at_child << force, Vec3::Zero();
  expected << force, arm.cross(force);
  EXPECT_LT(distance(twist_transform({Quat::Identity(), arm}).transpose() * at_child, expected), 1e-15);
}

TEST(TwistTransform, ComposesLikePoses) {
  RandomStream random(1, "composes");
  for (int k = 0; k < 100; ++k) {
    const Pose a = random_pose(random), b = random_pose(random);
    EXPECT_LT(distance(twist_transform(a * b), twist_transform(b) * twist_transform(a)), 1e-14);
    EXPECT_LT(distance(twist_transform(a.inverse()) * twist_transform(a), Mat6::Identity()), 1e-14);
  }
}

TEST(TwistTransform, MovesInertiaByTheParallelAxisTheorem) {
  RandomStream random(1, "parallel axes");
  const double m = 13.5;
  const Mat3 I_c = Vec3(0.26, 0.23, 0.37).asDiagonal();
  Mat6 M_c = Mat6::Zero();
  M_c.topLeftCorner<3, 3>() = m * Mat3::Identity();
  M_c.bottomRightCorner<3, 3>() = I_c;
  for (int k = 0; k < 50; ++k) {
    const Pose pose = random_pose(random);
    const Mat6 H = twist_transform(pose), M_p = H.transpose() * M_c * H;
    const Vec3& r = pose.p_pc_p;
    const Mat3 R = pose.q_pc.toRotationMatrix();
    const Mat3 I_p = R * I_c * R.transpose() + m * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    EXPECT_LT(distance(M_p.topLeftCorner<3, 3>(), m * Mat3::Identity()), 1e-12);
    EXPECT_LT(distance(M_p.bottomLeftCorner<3, 3>(), m * skew(r)), 1e-12);
    EXPECT_LT(distance(M_p.topRightCorner<3, 3>(), -m * skew(r)), 1e-12);
    EXPECT_LT(distance(M_p.bottomRightCorner<3, 3>(), I_p), 1e-12);
  }
}

}  // namespace
}  // namespace fathom::twist_transform_test
