#include "fathom/assembly/mating.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "fathom/dynamics/test/robots.hpp"
#include "fathom/geometry/test/random_geometry.hpp"

namespace fathom::assembly::mating_test {
namespace {

TEST(Mating, IsFaceToFace) {
  RandomStream random(1, "mating");
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Pose a = fathom::test::random_pose(random), b = fathom::test::random_pose(random);
    const double turn = random.uniform(-3, 3);
    const Pose b_seen_from_a = mated_pose(a, b, turn) * b;  // b's connector in the frame of body a
    EXPECT_LT((b_seen_from_a.p_pc_p - a.p_pc_p).norm(), 1e-14);
    EXPECT_LT((b_seen_from_a.q_pc * Vec3::UnitX() + a.q_pc * Vec3::UnitX()).norm(), 1e-14);
    const Vec3 z = a.q_pc.conjugate() * (b_seen_from_a.q_pc * Vec3::UnitZ());
    EXPECT_NEAR(z.x(), 0, 1e-14);
    EXPECT_NEAR(std::atan2(-z.y(), z.z()), turn, 1e-13);
  }
}

TEST(Mating, BowToSternIsOneBehindTheOther) {
  const Pose bow{Quat::Identity(), {0.25, 0, 0}}, stern{exp_rotation({0, 0, std::numbers::pi}), {-0.25, 0, 0}};
  const Pose ahead = mated_pose(bow, stern, 0);
  EXPECT_LT((ahead.p_pc_p - Vec3(0.5, 0, 0)).norm(), 1e-15);
  EXPECT_LT(log_rotation(ahead.q_pc).norm(), 1e-15);
}

TEST(Mating, MeetingKnowsGapAngleAndSpeed) {
  const Pose bow{Quat::Identity(), {0.25, 0, 0}}, stern{exp_rotation({0, 0, std::numbers::pi}), {-0.25, 0, 0}};
  dynamics::State a, b;
  b.p_nb_n = {0.5, 0.01, 0};
  Meeting met = meeting(a, bow, b, stern, 0);
  EXPECT_NEAR(met.misfit.distance, 0.01, 1e-15);
  EXPECT_NEAR(met.misfit.angle, 0, 1e-15);
  EXPECT_TRUE(Latch().catches(met));
  b.q_nb = exp_rotation({0, 0, 0.05});
  a.nu_b << 0.1, 0, 0, 0, 0, 0.2;  // its bow goes 0.1 ahead and 0.05 to starboard
  met = meeting(a, bow, b, stern, 0);
  EXPECT_NEAR(met.misfit.angle, 0.05, 1e-12);
  EXPECT_NEAR(met.speed, std::hypot(0.1, 0.05), 1e-12);
  EXPECT_NEAR(met.turn_rate, 0.2, 1e-12);
  EXPECT_TRUE(Latch().catches(met));
  Latch narrow;
  narrow.speed = 0.1;
  EXPECT_FALSE(narrow.catches(met));
  narrow = {};
  narrow.angle = 0.049;
  EXPECT_FALSE(narrow.catches(met));
  narrow = {};
  narrow.turn_rate = 0.19;
  EXPECT_FALSE(narrow.catches(met));
  narrow = {};
  narrow.distance = 0.002;  // the stern has swung back to 2.5 mm
  EXPECT_FALSE(narrow.catches(met));
}

TEST(Mating, MisfitIsSeenAtTheConnector) {
  const Pose wanted{Quat::Identity(), {1, 0, 0}}, actual{exp_rotation({0, 0, 0.1}), {1, 0, 0}};
  const Misfit off = misfit(actual, wanted, {Quat::Identity(), {2, 0, 0}});
  EXPECT_NEAR(off.distance, 2 * 2 * std::sin(0.05), 1e-12);
  EXPECT_NEAR(off.angle, 0.1, 1e-12);
}

}  // namespace
}  // namespace fathom::assembly::mating_test
