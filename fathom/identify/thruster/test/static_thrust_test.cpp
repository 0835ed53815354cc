#include "fathom/identify/thruster/static_thrust.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"

namespace fathom::identify::static_thrust_test {
namespace {

using fathom::test::error_text;

constexpr model::Command pwm{model::CommandUnit::pwm_us, 1100, 1900, 1500};

/// A thruster that is no polynomial: motor and propeller, as docs/model.md eq. 32 would have it.
double plant(double command) {
  const double u = std::abs(command - 1500) - 27;
  if (u <= 0) return 0;
  const double w = std::sqrt(1 + 0.02 * u) - 1;
  return command > 1500 ? 12 * w * w : -9 * w * w;
}

BollardTest measured(double step, double sigma, std::uint64_t seed) {
  RandomStream random(seed, "bollard");
  BollardTest test;
  for (double command = 1100; command <= 1900; command += step) {
    test.commands.push_back(command);
    test.forces.push_back(plant(command) + sigma * random.normal());
  }
  return test;
}

bool falls(const SideLaw& law) {
  double before = 0;
  for (int k = 0; k <= 1000; ++k) {
    const double force = law.force(law.reach * k / 1000);
    if (force < before - 1e-9 * std::abs(before)) return true;
    before = force;
  }
  return false;
}

TEST(FitSide, RecoversAPolynomialWithItsDeadBand) {
  // Increments of the Bernstein form are all positive, so that the constraint does not act.
  const SideLaw truth{3, 31.7, 400, {0.02, 1e-4, 3e-7, 0, 0}};
  const Eigen::VectorXd u = Eigen::VectorXd::LinSpaced(81, 0, 400);
  const Eigen::VectorXd forces = u.unaryExpr([&](double x) { return truth.force(x); });
  const SideLaw law = fit_side(u, forces, 3);
  EXPECT_NEAR(law.edge, truth.edge, 0.05);
  for (const double x : {50.0, 123.4, 400.0}) EXPECT_NEAR(law.force(x), truth.force(x), 1e-3);
  const SideLaw higher = fit_side(u, forces, 5);
  for (const double x : {50.0, 123.4, 400.0}) EXPECT_NEAR(higher.force(x), truth.force(x), 1e-3);
}

/// tests/oracle/check_thruster.py compares it with SciPy.
TEST(FitSide, DoesNotFallWhereTheFreeFitDoes) {
  Eigen::VectorXd u(6), forces(6);
  u << 0, 0.2, 0.4, 0.6, 0.8, 1;
  forces << 0, 0.9, 0.4, 1.5, 1.4, 3;  // free fits of degree 5 pass every point, and fall twice
  const SideLaw law = fit_side(u, forces, 5);
  EXPECT_FALSE(falls(law));
  EXPECT_FALSE(model::falls_between(law.c, law.reach - law.edge));
}

TEST(FitSide, NeverFallsWhateverTheData) {
  RandomStream random(5, "any data");
  for (int k = 0; k < 25; ++k) {
    Eigen::VectorXd u = Eigen::VectorXd::LinSpaced(15, 0, 1), forces(15);
    for (double& f : forces) f = random.normal() + (k % 3);
    const SideLaw law = fit_side(u, forces, 1 + k % 5);
    EXPECT_FALSE(falls(law)) << k;
  }
}

TEST(FitSide, RefusesWhatItCannotFit) {
  const Eigen::Vector3d u(0, 1, 2), f(0, 1, 4);
  EXPECT_THROW(fit_side(u, f, 0), InputError);
  EXPECT_THROW(fit_side(u, f, 6), InputError);
  EXPECT_THROW(fit_side(u, Eigen::Vector2d(0, 1), 2), InputError);
  EXPECT_THROW(fit_side(u, Eigen::Vector3d(0, 1, nan), 2), InputError);
  EXPECT_THROW(fit_side(-u, f, 2), InputError);
}

TEST(StaticThrust, FollowsAThrusterThatIsNoPolynomial) {
  const StaticThrust found = identify_static_thrust(measured(10, 0.03, 1), pwm, {.folds = 5, .resamples = 10});
  double worst = 0;
  for (double command = 1100; command <= 1900; command += 3)
    worst = std::max(worst, std::abs(model::force_of_command(found.map, command, 16) - plant(command)));
  EXPECT_LT(worst, 0.1);
  EXPECT_NEAR(found.forward.law.edge, 27, 12);  // the force begins without a slope
  EXPECT_TRUE(model::check_thruster_map(found.map, {}, "").empty());
  EXPECT_LT(found.forward.chosen().error, 0.05);
  EXPECT_GT(found.forward.tried.front().error, 5 * found.forward.chosen().error);  // a straight line is poor
}

TEST(StaticThrust, PrefersTheSimplestLawThatWillDo) {
  BollardTest test;
  RandomStream random(2, "quadratic");
  for (double command = 1100; command <= 1900; command += 8) {
    const double x = command - 1500;
    test.commands.push_back(command);
    test.forces.push_back(0.03 * x + 2.5e-4 * std::abs(x) * x + 0.1 * random.normal());
  }
  const StaticThrust found = identify_static_thrust(test, pwm, {.resamples = 20});
  ASSERT_TRUE(std::holds_alternative<model::LinearQuadratic>(found.map.law));
  EXPECT_EQ(found.forward.law.degree, 2);
  EXPECT_NEAR(model::force_of_command(found.map, 1800, 16), 31.5, 0.15);
  EXPECT_NEAR(model::force_of_command(found.map, 1200, 16), -31.5, 0.15);
}

/// Coverage of the curve by its 95 % band, over tests that differ in their noise alone. The plant is in no
/// class, so its misfit takes a little.
TEST(StaticThrust, BandsHoldTheCurveAboutAsOftenAsTheySay) {
  int held = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const StaticThrust found =
        identify_static_thrust(measured(20, 0.15, seed), pwm, {.folds = 4, .resamples = 40});
    for (Eigen::Index k = 0; k < found.forward.u.size(); ++k) {
      const double u = found.forward.u[k], truth = plant(1500 + u);
      if (u < 60) continue;  // beyond what the dead band makes of the percentiles
      held += found.forward.low[k] <= truth && truth <= found.forward.high[k];
      ++all;
    }
  }
  EXPECT_GT(100 * held, 85 * all);
  EXPECT_LT(100 * held, 99 * all);
}

TEST(StaticThrust, IsTheSameForTheSameSeed) {
  const BollardTest test = measured(40, 0.1, 3);
  const StaticThrustOptions options{.folds = 4, .resamples = 10};
  EXPECT_EQ(identify_static_thrust(test, pwm, options).forward.low,
            identify_static_thrust(test, pwm, options).forward.low);
}

TEST(StaticThrust, TellsWhatIsWrongWithATable) {
  const BollardTest good = measured(20, 0, 1);
  const auto text = [](const BollardTest& test, const model::Command& command = pwm) {
    return error_text([&] { identify_static_thrust(test, command); });
  };
  BollardTest bad = good;
  bad.forces[7] = nan;
  EXPECT_NE(text(bad).find("row 8 has a number that is not finite"), std::string::npos);
  bad = good;
  bad.forces.pop_back();
  EXPECT_NE(text(bad).find("41 commands and 40 forces"), std::string::npos);
  bad = good;
  for (double& force : bad.forces) force = -force;
  EXPECT_NE(text(bad).find("force on the forward side"), std::string::npos);
  bad = good;
  for (double& force : bad.forces) force = force > 0 ? 40 - force : force;
  EXPECT_NE(text(bad).find("never rises on the forward side"), std::string::npos);
  EXPECT_NE(text(good, {model::CommandUnit::pwm_us, 1100, 1900, 1880}).find("has 1 points with commands above"),
            std::string::npos);
  EXPECT_NE(text(good, {model::CommandUnit::normalized, -1, 1, 0}).find("is the unit right?"),
            std::string::npos);
}

TEST(StaticThrust, FewPointsGiveALawOfDegreeTwo) {
  // The force at neutral is known: held out, one of two commands would leave two unknowns to the other.
  for (const bool with_neutral : {true, false}) {
    BollardTest test{{1100, 1300, 1700, 1900}, {-32, -8, 11, 44}};
    if (with_neutral) {
      test.commands.push_back(1500);
      test.forces.push_back(0);
    }
    const StaticThrust two = identify_static_thrust(test, pwm);
    EXPECT_EQ(two.forward.law.degree, 2);
    EXPECT_TRUE(std::isnan(two.forward.chosen().error));
    EXPECT_NEAR(two.forward.law.force(200), 11, 1e-6);
    EXPECT_NEAR(two.reverse.law.force(300), 18, 1e-6);
    EXPECT_NEAR(two.forward.high[two.forward.high.size() - 1], 1.05 * 44, 1e-6);
    test.commands.insert(test.commands.end(), {1200, 1800});
    test.forces.insert(test.forces.end(), {-18, 24.75});
    const StaticThrust three = identify_static_thrust(test, pwm);
    EXPECT_EQ(three.forward.law.degree, 2);
    EXPECT_LT(three.forward.chosen().error, 1e-6);
  }
  const BollardTest repeated{{1100, 1100, 1500, 1700, 1900}, {-32, -31, 0, 11, 44}};
  EXPECT_NE(error_text([&] { identify_static_thrust(repeated, pwm); }).find("has 1 points with commands below"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::identify::static_thrust_test
