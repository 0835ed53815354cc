#include "fathom/model/environment.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"

namespace fathom::model::environment_test {
namespace {

using fathom::test::error_text;

TEST(Environment, IsFreshWaterOnEarthByDefault) {
  const Environment environment;
  EXPECT_EQ(environment.density(), 1000);
  EXPECT_EQ(environment.gravity(), 9.81);
}

TEST(Environment, PullsDown) { EXPECT_EQ(Environment(1025, 3.7).gravity_n(), Vec3(0, 0, 3.7)); }

TEST(Environment, RefusesDensitiesThatAreNotPositiveAndFinite) {
  EXPECT_EQ(error_text([] { Environment{0}; }),
            "density = 0, must be positive and finite (kg/m^3; fresh water 1000, sea water 1025)");
  EXPECT_EQ(error_text([] { Environment{-1000}; }),
            "density = -1000, must be positive and finite (kg/m^3; fresh water 1000, sea water 1025)");
  EXPECT_EQ(error_text([] { Environment{HUGE_VAL}; }),
            "density = inf, must be positive and finite (kg/m^3; fresh water 1000, sea water 1025)");
  EXPECT_EQ(error_text([] { Environment{std::nan("")}; }),
            "density = nan, must be positive and finite (kg/m^3; fresh water 1000, sea water 1025)");
}

TEST(Environment, RefusesGravitiesThatAreNotPositiveAndFinite) {
  EXPECT_EQ(error_text([] {
              Environment{1000, -9.81};
            }),
            "gravity = -9.81, must be positive and finite (m/s^2, as a magnitude; 9.81)");
  EXPECT_EQ(error_text([] {
              Environment{1000, 0};
            }),
            "gravity = 0, must be positive and finite (m/s^2, as a magnitude; 9.81)");
  EXPECT_THROW(Environment(1000, std::nan("")), InputError);
}

TEST(Current, RestsByDefault) {
  EXPECT_TRUE(Current{}.velocity_n.isZero(0));
  EXPECT_TRUE(Current{}.acceleration_n.isZero(0));
}

}  // namespace
}  // namespace fathom::model::environment_test
