#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/identify/commanded/acceleration_fit.hpp"
#include "fathom/identify/commanded/test/swimming_vehicle.hpp"

namespace fathom::identify::acceleration_model_test {
namespace {

using fathom::test::error_text;
using Kind = AccelerationTerm::Kind;

Instant random_instant() {
  RandomStream random(3, "instant");
  Instant at;
  for (int i = 0; i < 6; ++i) {
    at.nu_b[i] = random.normal();
    at.tau_b[i] = 10 * random.normal();
  }
  at.down_b = Vec3(random.normal(), random.normal(), random.normal()).normalized();
  return at;
}

TEST(AccelerationTerm, HasTheValueOfItsName) {
  const Instant at = random_instant();
  const Vec3 v = at.nu_b.head<3>(), omega = at.nu_b.tail<3>();
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR((AccelerationTerm{Kind::turning, i}.value(at)), -omega.cross(v)[i], 1e-14);
    EXPECT_DOUBLE_EQ((AccelerationTerm{Kind::drag, i}.value(at)), v.norm() * v[i]);
    EXPECT_DOUBLE_EQ((AccelerationTerm{Kind::restoring, i}.value(at)), at.down_b[i]);
  }
  EXPECT_DOUBLE_EQ((AccelerationTerm{Kind::wrench, 4}.value(at)), at.tau_b[4]);
  EXPECT_DOUBLE_EQ((AccelerationTerm{Kind::velocity, 3}.value(at)), at.nu_b[3]);
  EXPECT_DOUBLE_EQ((AccelerationTerm{Kind::own_drag, 5}.value(at)), std::abs(at.nu_b[5]) * at.nu_b[5]);
  EXPECT_DOUBLE_EQ((AccelerationTerm{Kind::product, 0, 1}.value(at)), at.nu_b[0] * at.nu_b[1]);
  EXPECT_EQ((AccelerationTerm{Kind::constant}.value(at)), 1);
}

TEST(AccelerationTerm, TellsWhatItDependsOn) {
  const Instant at = random_instant();
  Instant other = at;  // another wrench, and the twist of another point
  other.tau_b *= 2;
  other.nu_b.head<3>() += Vec3(at.nu_b.tail<3>()).cross(Vec3(0.3, 0.2, 0.1));
  for (const AccelerationTerms& terms : {linear_terms(), level_terms(), full_terms()})
    for (const auto& axis : terms)
      for (const AccelerationTerm& term : axis) {
        if (term.is_linear_in_velocity()) continue;
        EXPECT_EQ(term.depends_on_wrench_or_place(), term.value(at) != term.value(other)) << term.name();
      }
}

TEST(AccelerationModel, AddsItsTerms) {
  const AccelerationModel model = test::known_model();
  const Instant at = random_instant();
  const double u = at.nu_b[0], v = at.nu_b[1], w = at.nu_b[2], q = at.nu_b[4], r = at.nu_b[5];
  const double speed = std::sqrt(u * u + v * v + w * w);
  EXPECT_NEAR(model.acceleration_b(at)[0], (at.tau_b[0] - 22 * u - 74 * speed * u) / 77 + v * r - w * q, 1e-12);
  EXPECT_NEAR(1 / model.coefficient(1, {Kind::wrench, 1}), 120, 1e-12);
  EXPECT_NEAR(model.in_newton(1, {Kind::drag, 1}), -100, 1e-12);
  EXPECT_NE(error_text([&] {
              model.coefficient(0, {Kind::product, 1, 5});
            }).find("u_dot has no term v r"),
            std::string::npos);
  EXPECT_EQ((AccelerationTerm{Kind::own_drag, 5}.name()), "|r| r");
}

TEST(AccelerationModel, KeepsVelocitiesWithoutTerms) {
  AccelerationModel level{level_terms(), {}};
  for (std::size_t i = 0; i < 6; ++i) level.theta[i].setOnes(static_cast<Eigen::Index>(level.terms[i].size()));
  const Vec6 rate = level.acceleration_b(random_instant());
  EXPECT_EQ(rate[3], 0);
  EXPECT_EQ(rate[4], 0);
  EXPECT_NE(rate[5], 0);
}

}  // namespace
}  // namespace fathom::identify::acceleration_model_test
