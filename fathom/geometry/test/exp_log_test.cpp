#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/geometry/rotation.hpp"
#include "fathom/geometry/test/random_geometry.hpp"

namespace fathom::exp_log_test {
namespace {

using std::numbers::pi;
using test::distance;

Vec3 random_direction(RandomStream& random) { return test::random_matrix<Vec3>(random).normalized(); }

TEST(ExpRotation, OfZeroIsExactlyNoRotation) {
  const Quat q = exp_rotation(Vec3::Zero());
  EXPECT_EQ(q.w(), 1);
  EXPECT_TRUE(q.vec().isZero(0));
}

TEST(ExpRotation, AgreesWithAngleAndAxisAtEverySize) {
  RandomStream random(1, "exp");
  for (const double angle :
       {1e-300, 1e-12, 1e-6, 0.99e-4, 1e-4, 1.01e-4, 0.01, 1.0, 3.0, pi, 4.0, 2 * pi, 20.0}) {
    const Vec3 axis = random_direction(random);
    const Quat expected(Eigen::AngleAxisd(angle, axis));
    const Quat q = exp_rotation(angle * axis);
    EXPECT_LT(distance(q.coeffs(), expected.coeffs()), 4e-15) << angle;
    EXPECT_NEAR(q.norm(), 1, 4e-16) << angle;
    // Small rotations keep their relative accuracy, which the line above would not see.
    EXPECT_LT((q.vec() - std::sin(angle / 2) * axis).norm(), 1e-15 * std::min(angle, 1.0) * (1 + angle))
        << angle;
  }
}

TEST(ExpRotation, TurnsTheRightWay) {
  const Vec3 turned = exp_rotation(Vec3(0, 0, pi / 2)) * Vec3::UnitX();
  EXPECT_LT(distance(turned, Vec3::UnitY()), 1e-15);
}

TEST(LogRotation, InvertsExpAtEverySizeBelowHalfATurn) {
  RandomStream random(1, "log");
  for (const double angle :
       {0.0, 1e-300, 1e-12, 1e-8, 1e-7, 1.9e-6, 2e-6, 2.1e-6, 1e-4, 0.1, 1.0, 3.0, pi - 1e-3, pi - 1e-9}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Vec3 theta = angle * random_direction(random);
      EXPECT_LE((log_rotation(exp_rotation(theta)) - theta).norm(), 2e-15 * angle) << angle;
    }
  }
}

TEST(LogRotation, OfNoRotationIsExactlyZero) { EXPECT_TRUE(log_rotation(Quat::Identity()).isZero(0)); }

TEST(LogRotation, OfHalfATurnHasLengthPi) {
  RandomStream random(1, "half turn");
  for (int k = 0; k < 50; ++k) {
    const Vec3 axis = random_direction(random);
    const Vec3 theta = log_rotation(Quat(0, axis.x(), axis.y(), axis.z()));
    EXPECT_NEAR(theta.norm(), pi, 1e-15);
    EXPECT_LT(distance(theta.normalized(), axis), 1e-15);
  }
}

TEST(LogRotation, TakesTheShortWay) {
  RandomStream random(1, "short way");
  for (int k = 0; k < 1000; ++k) {
    const Quat q = test::random_attitude(random);
    const Vec3 theta = log_rotation(q);
    EXPECT_LE(theta.norm(), pi + 1e-15);
    EXPECT_LT(distance(exp_rotation(theta), q), 1e-14);
    EXPECT_LT(distance(log_rotation(Quat(-q.coeffs())), theta), 1e-14) << "q and -q are one rotation";
  }
}

TEST(LogRotation, OfMoreThanHalfATurnIsTheTurnBack) {
  const Vec3 theta = log_rotation(exp_rotation(Vec3(0, pi + 0.5, 0)));
  EXPECT_LT(distance(theta, Vec3(0, 0.5 - pi, 0)), 1e-15);
}

}  // namespace
}  // namespace fathom::exp_log_test
