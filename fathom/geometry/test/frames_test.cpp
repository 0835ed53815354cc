#include "fathom/geometry/frames.hpp"

#include <gtest/gtest.h>

#include "fathom/geometry/test/random_geometry.hpp"

namespace fathom::frames_test {
namespace {

using test::distance;
using test::random_attitude;
using test::random_matrix;

TEST(Frames, SwapWorldAxesByTheirMeaning) {
  EXPECT_EQ(swap_ned_enu(Vec3(1, 2, 3)), Vec3(2, 1, -3));  // north 1, east 2, down 3
}

TEST(Frames, SwapBodyAxesByTheirMeaning) {
  EXPECT_EQ(swap_frd_flu(Vec3(1, 2, 3)), Vec3(1, -2, -3));
  Vec6 nu, expected;
  nu << 1, 2, 3, 4, 5, 6;
  expected << 1, -2, -3, 4, -5, -6;
  EXPECT_EQ(swap_frd_flu(nu), expected);
}

TEST(Frames, SwapBackToWhereTheyCameFrom) {
  RandomStream random(1, "involution");
  for (int k = 0; k < 100; ++k) {
    const Vec3 v = random_matrix<Vec3>(random);
    const Vec6 nu = random_matrix<Vec6>(random);
    const Mat3 I = random_matrix<Mat3>(random);
    const Mat6 m = random_matrix<Mat6>(random);
    const Quat q = random_attitude(random);
    EXPECT_EQ(swap_ned_enu(swap_ned_enu(v)), v);
    EXPECT_EQ(swap_frd_flu(swap_frd_flu(v)), v);
    EXPECT_EQ(swap_frd_flu(swap_frd_flu(nu)), nu);
    EXPECT_EQ(swap_frd_flu(swap_frd_flu(I)), I);
    EXPECT_EQ(swap_frd_flu(swap_frd_flu(m)), m);
    EXPECT_LT(distance(swap_attitude_ned_enu(swap_attitude_ned_enu(q)), q), 1e-14);
    EXPECT_NEAR(swap_attitude_ned_enu(q).norm(), 1, 1e-14);
  }
}

TEST(Frames, SwapAttitudesAsTheySwapVectors) {
  RandomStream random(1, "attitudes");
  for (int k = 0; k < 100; ++k) {
    const Quat q_ned_frd = random_attitude(random);
    const Quat q_enu_flu = swap_attitude_ned_enu(q_ned_frd);
    const Vec3 v_frd = random_matrix<Vec3>(random);
    // One arrow: through the body in FRD and NED, or through FLU and ENU.
    EXPECT_LT(distance(q_enu_flu * swap_frd_flu(v_frd), swap_ned_enu(q_ned_frd * v_frd)), 1e-14);
  }
}

TEST(Frames, TurnHeadingNorthIntoYawOfNinetyDegrees) {
  // A level vehicle that points north has, by REP-103, yaw 90 degrees in ENU: its nose lies along y.
  const Vec3 nose_enu = swap_attitude_ned_enu(Quat::Identity()) * Vec3::UnitX();
  EXPECT_LT(distance(nose_enu, Vec3::UnitY()), 1e-15);
  const Vec3 up_enu = swap_attitude_ned_enu(Quat::Identity()) * Vec3::UnitZ();
  EXPECT_LT(distance(up_enu, Vec3::UnitZ()), 1e-15);
}

TEST(Frames, KeepThePowerOfAMatrix) {
  RandomStream random(1, "power");
  for (int k = 0; k < 100; ++k) {
    const Mat6 D = random_matrix<Mat6>(random);
    const Vec6 nu = random_matrix<Vec6>(random);
    const Vec6 nu_flu = swap_frd_flu(nu);
    EXPECT_NEAR(nu_flu.dot(swap_frd_flu(D) * nu_flu), nu.dot(D * nu), 1e-12);
  }
}

TEST(Frames, SwapAMatrixAsTheForceThatItMakes) {
  RandomStream random(1, "matrix");
  const Mat6 D = random_matrix<Mat6>(random);
  const Vec6 nu = random_matrix<Vec6>(random);
  EXPECT_LT(distance(swap_frd_flu(D) * swap_frd_flu(nu), swap_frd_flu(Vec6(D * nu))), 1e-14);
  const Mat3 I = random_matrix<Mat3>(random);
  const Vec3 omega = nu.tail<3>();
  EXPECT_LT(distance(swap_frd_flu(I) * swap_frd_flu(omega), swap_frd_flu(Vec3(I * omega))), 1e-14);
}

TEST(Frames, KeepTheRightHand) {
  const Vec3 a(1, 2, 3), b(-2, 0.5, 1);
  EXPECT_EQ(swap_ned_enu(Vec3(a.cross(b))), swap_ned_enu(a).cross(swap_ned_enu(b)));
  EXPECT_EQ(swap_frd_flu(Vec3(a.cross(b))), swap_frd_flu(a).cross(swap_frd_flu(b)));
}

}  // namespace
}  // namespace fathom::frames_test
