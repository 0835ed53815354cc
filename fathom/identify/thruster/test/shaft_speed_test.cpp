#include "fathom/identify/thruster/shaft_speed.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"

namespace fathom::identify::shaft_speed_test {
namespace {

using fathom::test::error_text;

TEST(ShaftSpeed, RecoversThePowerLawExactly) {
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(40, 40, 400);
  for (const model::PowerShaft truth : {model::PowerShaft{9.7, 0.609, -55}, {-9000, -0.8, 400}}) {
    const Eigen::VectorXd w = truth.a * x.array().pow(truth.exponent) + truth.c;
    const ShaftSpeedFit fit = fit_shaft_speed(x, w, 100);
    EXPECT_NEAR(fit.shaft.exponent, truth.exponent, 1e-7);
    EXPECT_NEAR(fit.shaft.a, truth.a, 1e-5 * std::abs(truth.a));
    EXPECT_NEAR(fit.shaft.c, truth.c, 1e-4);
    EXPECT_NEAR(fit.r2, 1, 1e-12);
  }
}

/// Intervals of a, exponent and c over noise alone.
TEST(ShaftSpeed, SigmasHold) {
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(30, 40, 400);
  RandomStream random(1, "shaft");
  int held = 0;
  constexpr int days = 150;
  for (int day = 0; day < days; ++day) {
    Eigen::VectorXd w = 160 * (x.array() / 100).pow(0.61) - 55;
    for (double& value : w) value += 1.5 * random.normal();
    const ShaftSpeedFit fit = fit_shaft_speed(x, w, 100);
    held += std::abs(fit.a - 160) < sigmas_of_95 * fit.a_sigma;
    held += std::abs(fit.shaft.exponent - 0.61) < sigmas_of_95 * fit.exponent_sigma;
    held += std::abs(fit.shaft.c + 55) < sigmas_of_95 * fit.c_sigma;
  }
  EXPECT_NEAR(held / (3.0 * days), 0.95, 0.04);
}

TEST(ShaftSpeed, RefusesSpeedsThatDoNotRise) {
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(10, 40, 400);
  EXPECT_NE(error_text([&] { fit_shaft_speed(x, 500 - x.array(), 100); }).find("do not rise"),
            std::string::npos);
  EXPECT_NE(error_text([&] { fit_shaft_speed(x.head(4), x.head(4), 100); }).find("has 4 rows to fit"),
            std::string::npos);
  EXPECT_THROW(fit_shaft_speed(x.array() - 40, x, 100), InputError);
}

TEST(ThrustOverSpeed, IsTheLeastSquaresSlope) {
  const Eigen::Vector4d w(50, 100, 200, 300), forces(0.9, 3.8, 14.5, 33.5);
  const ThrustOverSpeed fit = fit_thrust_over_speed(w, forces);
  const Eigen::Vector4d square = w.array().square();
  EXPECT_NEAR(fit.T_ww, square.dot(forces) / square.squaredNorm(), 1e-15);
  EXPECT_GT(fit.r2, 0.999);
}

TEST(MotorConstants, AreThoseOfTheRows) {
  const Eigen::Vector4d w(215, 245, 300, 347), i(13.5, 17.2, 24.6, 32.1);
  const Eigen::Vector4d V = 0.01285 * w + 0.471 * i;
  const MotorConstants motor = fit_motor_constants(V, w, i);
  EXPECT_NEAR(motor.k_t, 0.01285, 1e-12);
  EXPECT_NEAR(motor.resistance, 0.471, 1e-12);
  EXPECT_LT(motor.largest_residual, 1e-12);
  EXPECT_NE(error_text([&] { fit_motor_constants(V, w, 0.1 * w); }).find("cannot be told apart"),
            std::string::npos);
}

/// A shaft of 14 poles, counted by a counter that knows nothing of the formula.
TEST(Counts, GiveTheSpeedToOneQuantumAndWithoutBias) {
  constexpr int poles = 14;
  constexpr double interval = 0.1, turns_per_s = 9.37;
  const double truth = 2 * std::numbers::pi * turns_per_s;
  EXPECT_NEAR(shaft_speed_quantum(poles, interval), 2 * std::numbers::pi * 1.4285714, 1e-6);
  double sum = 0;
  long before = 0;
  for (int k = 1; k <= 1000; ++k) {
    const auto crossings = static_cast<long>(std::floor(7 * turns_per_s * interval * k + 0.3));
    const double speed = shaft_speed_of_counts(crossings - before, poles, interval);
    EXPECT_LT(std::abs(speed - truth), shaft_speed_quantum(poles, interval));
    sum += speed;
    before = crossings;
  }
  EXPECT_NEAR(sum / 1000, truth, 1e-3 * truth);
  EXPECT_THROW(shaft_speed_of_counts(3, 7, 0.1), InputError);
  EXPECT_THROW(shaft_speed_of_counts(3, 14, 0), InputError);
}

}  // namespace
}  // namespace fathom::identify::shaft_speed_test
