#include "fathom/geometry/pose.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "fathom/geometry/test/random_geometry.hpp"

namespace fathom::pose_test {
namespace {

using test::distance;
using test::random_matrix;
using test::random_pose;

TEST(Pose, MovesAPointFromTheChildToTheParent) {
  // A sensor 1 m ahead that looks to starboard: its x axis is the body's y axis.
  const Pose pose{quaternion_from_euler({0, 0, std::numbers::pi / 2}), Vec3(1, 0, 0)};
  EXPECT_LT(distance(pose * Vec3(2, 0, 0), Vec3(1, 2, 0)), 1e-15);
}

TEST(Pose, ComposesAsPointsAreMovedInTurn) {
  RandomStream random(1, "pose");
  for (int k = 0; k < 100; ++k) {
    const Pose a = random_pose(random), b = random_pose(random);
    const Vec3 point = random_matrix<Vec3>(random);
    EXPECT_LT(distance((a * b) * point, a * (b * point)), 1e-14);
  }
}

TEST(Pose, UndoesItselfByItsInverse) {
  RandomStream random(1, "inverse");
  for (int k = 0; k < 100; ++k) {
    const Pose pose = random_pose(random);
    const Vec3 point = random_matrix<Vec3>(random);
    EXPECT_LT(distance(pose.inverse() * (pose * point), point), 1e-14);
    for (const Pose& nothing : {pose * pose.inverse(), pose.inverse() * pose}) {
      EXPECT_LT(distance(nothing.q_pc, Quat::Identity()), 1e-14);
      EXPECT_LT(nothing.p_pc_p.norm(), 1e-14);
    }
  }
}

TEST(Pose, StaysARotationOverManyCompositions) {
  RandomStream random(1, "drift");
  const Pose step = random_pose(random);
  Pose pose;
  for (int k = 0; k < 100000; ++k) pose = pose * Pose{step.q_pc, Vec3::Zero()};
  EXPECT_NEAR(pose.q_pc.norm(), 1, 1e-15);
}

TEST(Pose, IsNothingByDefault) {
  const Vec3 point(1, 2, 3);
  EXPECT_EQ(Pose{} * point, point);
}

}  // namespace
}  // namespace fathom::pose_test
