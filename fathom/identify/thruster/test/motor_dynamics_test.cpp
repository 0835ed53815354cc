#include "fathom/identify/thruster/motor_dynamics.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"

namespace fathom::identify::motor_dynamics_test {
namespace {

using fathom::test::error_text;

constexpr double dt = 5e-3;
constexpr model::DcMotor truth{2e-4, 0.0129, 0.47, 0.0129, 2e-5, 1.4e-6};

MotorRates told_by(const model::DcMotor& m) {
  return {m.k_q / (m.resistance * m.inertia), (m.k_q * m.k_t / m.resistance + m.k_f1) / m.inertia,
          m.Q_ww / m.inertia};
}

/// Steps up, down and through zero.
Eigen::VectorXd steps(double highest) {
  Eigen::VectorXd volts(1600);
  for (Eigen::Index k = 0; k < volts.size(); ++k)
    volts[k] = highest * std::sin(1.0 + 2.4 * static_cast<double>(k / 200));
  return volts;
}

TEST(SimulateMotor, SettlesWhereTheModelSays) {
  for (const double volts : {3.0, -12.0}) {
    const Eigen::VectorXd w = simulate_motor(told_by(truth), Eigen::VectorXd::Constant(2000, volts), 0, dt);
    EXPECT_NEAR(w[1999], model::steady_motor_speed(truth, volts), 1e-6);
  }
}

/// Without quadratic load: drive V / linear (1 - exp(-linear t)).
TEST(SimulateMotor, IsTheClosedFormOfALinearLoad) {
  const MotorRates rates{120, 4, 0};
  const Eigen::VectorXd w = simulate_motor(rates, Eigen::VectorXd::Constant(300, 5), 0, dt);
  for (const int k : {1, 40, 250}) EXPECT_NEAR(w[k], 150 * (1 - std::exp(-4 * dt * k)), 1e-4);
}

TEST(MotorDynamics, ComeBackWithTheirSigmas) {
  const Eigen::VectorXd volts = steps(14);
  RandomStream random(1, "motor");
  const MotorRates rates = told_by(truth);
  Eigen::VectorXd w = simulate_motor(rates, volts, 0, dt);
  for (double& value : w) value += 2 * random.normal();
  w[0] = 0;
  const MotorDynamicsFit fit = fit_motor_dynamics(volts, w, dt);
  EXPECT_TRUE(fit.converged);
  EXPECT_GT(fit.r2, 0.999);
  EXPECT_LT(std::abs(fit.rates.drive - rates.drive), 4 * fit.sigma[0]);
  EXPECT_LT(std::abs(fit.rates.linear - rates.linear), 4 * fit.sigma[1]);
  EXPECT_LT(std::abs(fit.rates.quadratic - rates.quadratic), 4 * fit.sigma[2]);
  EXPECT_LT(fit.sigma[2], 0.05 * rates.quadratic);
}

TEST(MotorDynamics, GiveTheMotorWhoseConstantsAreKnown) {
  const model::DcMotor motor = told_by(truth).motor(truth.k_t, truth.resistance);
  EXPECT_NEAR(motor.inertia, truth.inertia, 1e-12);
  EXPECT_NEAR(motor.k_f1, truth.k_f1, 1e-12);
  EXPECT_NEAR(motor.Q_ww, truth.Q_ww, 1e-14);
  EXPECT_NE(error_text([] { told_by(truth).motor(0.04, 0.47); }).find("are they of this motor"),
            std::string::npos);
}

/// The plant has an inductance, dry friction and water that follows the blades; the model has none of them.
Eigen::VectorXd other_motor(const Eigen::VectorXd& volts, std::uint64_t seed) {
  RandomStream random(seed, "other motor");
  Eigen::VectorXd speeds(volts.size());
  double w = 0, current = 0, water = 0;
  constexpr int parts = 50;
  for (Eigen::Index k = 0; k < volts.size(); ++k) {
    speeds[k] = w + 0.5 * random.normal();
    for (int i = 0; i < parts; ++i) {
      constexpr double h = dt / parts;
      current += h / 2e-3 * (volts[k] - truth.k_t * w - truth.resistance * current);
      const double load = truth.Q_ww * std::abs(w) * (1.2 * w - 0.2 * water) + 2e-3 * std::tanh(w / 2);
      w += h / truth.inertia * (truth.k_q * current - truth.k_f1 * w - load);
      water += h / 0.15 * (w - water);
    }
  }
  return speeds;
}

TEST(MotorDynamics, ForetellAnotherMotorOnVoltagesItHasNotSeen) {
  const Eigen::VectorXd seen = steps(14), unseen = steps(9).reverse();
  const MotorDynamicsFit fit = fit_motor_dynamics(seen, other_motor(seen, 1), dt);
  const Eigen::VectorXd measured = other_motor(unseen, 2), foretold = simulate_motor(fit.rates, unseen, 0, dt);
  const double mean = measured.mean();
  EXPECT_GT(1 - (measured - foretold).squaredNorm() / (measured.array() - mean).matrix().squaredNorm(), 0.98);
  EXPECT_NEAR(fit.rates.quadratic, truth.Q_ww / truth.inertia, 0.3 * truth.Q_ww / truth.inertia);
}

TEST(MotorDynamics, RefuseWhatTellsNothing) {
  const Eigen::VectorXd volts = steps(5), still = Eigen::VectorXd::Zero(volts.size());
  EXPECT_NE(error_text([&] { fit_motor_dynamics(volts, still, dt); }).find("does not move"), std::string::npos);
  EXPECT_THROW(fit_motor_dynamics(volts.head(10), still.head(10), dt), InputError);
  Eigen::VectorXd broken = volts;
  broken[7] = nan;
  EXPECT_THROW(fit_motor_dynamics(volts, broken, dt), InputError);
}

}  // namespace
}  // namespace fathom::identify::motor_dynamics_test
