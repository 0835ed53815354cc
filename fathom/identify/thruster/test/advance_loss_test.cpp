#include "fathom/identify/thruster/advance_loss.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"

namespace fathom::identify::advance_loss_test {
namespace {

using fathom::test::error_text;

constexpr double density = 1000, diameter = 0.0762;

/// K_T = alpha0 + alpha1 J + alpha2 J^2 with J = 2 pi u / (w D).
struct OpenWaterCurve {
  double alpha0 = 0.435, alpha1 = -0.789, alpha2 = 0.03;
  double thrust(double w, double u) const {
    const double J = 2 * std::numbers::pi * u / (w * diameter);
    return density * std::pow(diameter, 4) * w * w / (4 * std::numbers::pi * std::numbers::pi) *
           (alpha0 + alpha1 * J + alpha2 * J * J);
  }
  double loss(double w, double u) const { return 1 - thrust(w, u) / thrust(w, 0); }
};

std::vector<TowedPoint> towed(const OpenWaterCurve& curve, double sigma, RandomStream& random) {
  std::vector<TowedPoint> points;
  for (double w = 90; w <= 360; w += 18)
    for (const double u : {0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9})
      points.push_back({w, u, curve.thrust(w, u) + sigma * random.normal()});
  return points;
}

TEST(AdvanceLoss, RecoversTheLawExactly) {
  RandomStream random(1, "towing");
  const OpenWaterCurve curve{.alpha2 = 0};
  const AdvanceLoss found = identify_advance_loss(towed(curve, 0, random));
  const model::ThrustCoefficients truth =
      model::thrust_coefficients({model::OpenWater{diameter, curve.alpha0, curve.alpha1}, {}}, density);
  EXPECT_NEAR(found.thrust.ww, truth.ww, 1e-12 * truth.ww);
  EXPECT_NEAR(found.thrust.wu, truth.wu, 1e-10 * std::abs(truth.wu));
  EXPECT_NEAR(found.loss(302, 0.9).share, curve.loss(302, 0.9), 1e-9);
  EXPECT_NEAR(found.loss(302, 0.9).share, 0.445, 1e-3);
  EXPECT_LT(found.r2_without_inflow, 0.93);
}

/// The truth has a J^2 term that the law lacks.
TEST(AdvanceLoss, IntervalsHoldThoughTheLawIsWrong) {
  RandomStream random(2, "towing");
  const OpenWaterCurve curve;
  const model::ThrustCoefficients truth =
      model::thrust_coefficients({model::OpenWater{diameter, curve.alpha0, curve.alpha1}, {}}, density);
  constexpr int days = 200;
  int held = 0, losses_held = 0;
  for (int day = 0; day < days; ++day) {
    const AdvanceLoss found = identify_advance_loss(towed(curve, 0.5, random));
    held += std::abs(found.thrust.wu - truth.wu) < sigmas_of_95 * found.wu_sigma();
    const AdvanceLoss::Loss loss = found.loss(250, 0.5);
    losses_held += std::abs(loss.share - curve.loss(250, 0.5)) < sigmas_of_95 * loss.sigma;
  }
  EXPECT_GT(held, 0.9 * days);
  EXPECT_GT(losses_held, 0.9 * days);
}

TEST(AdvanceLoss, IntervalsAreNotWiderThanTheyNeedWhereTheLawHolds) {
  RandomStream random(3, "towing");
  const OpenWaterCurve curve{.alpha2 = 0};
  const model::ThrustCoefficients truth =
      model::thrust_coefficients({model::OpenWater{diameter, curve.alpha0, curve.alpha1}, {}}, density);
  double square = 0, variance = 0;
  for (int day = 0; day < 300; ++day) {
    const AdvanceLoss found = identify_advance_loss(towed(curve, 0.5, random));
    square += std::pow(found.thrust.wu - truth.wu, 2);
    variance += found.covariance(1, 1);
  }
  EXPECT_GT(variance, 0.9 * square);
  EXPECT_LT(variance, 20 * square);
}

TEST(AdvanceLoss, RefusesABollardTestInDisguise) {
  RandomStream random(4, "towing");
  std::vector<TowedPoint> points;
  for (double w = 100; w < 300; w += 20)
    points.push_back({w, 0.0012 * w, 4e-4 * w * w + 0.01 * random.normal()});
  EXPECT_NE(error_text([&] { identify_advance_loss(points); }).find("cannot be told apart"), std::string::npos);
  points.resize(5);
  EXPECT_NE(error_text([&] { identify_advance_loss(points); }).find("has 5 points"), std::string::npos);
  points = towed({}, 0.1, random);
  points[3].thrust = nan;
  EXPECT_THROW(identify_advance_loss(points), InputError);
}

}  // namespace
}  // namespace fathom::identify::advance_loss_test
