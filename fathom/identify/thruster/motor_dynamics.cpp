#include "fathom/identify/thruster/motor_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include <ceres/dynamic_numeric_diff_cost_function.h>
#include <ceres/problem.h>
#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/identify/internal/small_fit.hpp"
#include "fathom/identify/metrics.hpp"
#include "fathom/simulate/ode.hpp"
#include "fathom/solve/non_negative.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Series = Eigen::Ref<const VectorXd>;

constexpr Index fewest_samples = 20;

/// Speeds are in units of `scale`, rates in those of the first guess: numbers near one.
struct MotorResidual {
  const VectorXd &volts, &speeds;
  double dt, scale;
  Eigen::Vector3d guess;

  MotorRates rates(const double* x) const { return {x[0] * guess[0], x[1] * guess[1], x[2] * guess[2]}; }
  bool operator()(double const* const* parameters, double* residuals) const {
    const VectorXd modelled = simulate_motor(rates(parameters[0]), volts, speeds[0], dt);
    Eigen::Map<VectorXd>(residuals, speeds.size()) = (modelled - speeds) / scale;
    return modelled.allFinite();
  }
};
using MotorCost = ceres::DynamicNumericDiffCostFunction<MotorResidual, ceres::CENTRAL>;

/// The equation integrated over time is linear in the rates, and nothing is differentiated.
Eigen::Vector3d first_guess(const VectorXd& volts, const VectorXd& speeds, double dt) {
  Eigen::MatrixX3d A = Eigen::MatrixX3d::Zero(speeds.size(), 3);
  for (Index k = 1; k < speeds.size(); ++k) {
    const double w = 0.5 * (speeds[k - 1] + speeds[k]);
    A.row(k) = A.row(k - 1) + dt * Eigen::RowVector3d(volts[k - 1], -w, -std::abs(w) * w);
  }
  const Eigen::RowVector3d norms = A.colwise().norm().cwiseMax(1e-300);
  A.array().rowwise() /= norms.array();
  const VectorXd x =
      solve::non_negative(A.transpose() * A, A.transpose() * (speeds.array() - speeds[0]).matrix());
  // A rate of zero would have no scale.
  return (x.cwiseMax(0.01 * x.maxCoeff()).array() / norms.transpose().array()).matrix();
}

Eigen::Vector3d motor_sigmas(const MotorCost& cost, Index samples, const Eigen::Vector3d& x) {
  VectorXd residuals(samples);
  Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor> J(samples, 3);
  const double* blocks[] = {x.data()};
  double* jacobians[] = {J.data()};
  cost.Evaluate(blocks, residuals.data(), jacobians);
  const Eigen::MatrixXd moments = (residuals.asDiagonal() * J).transpose();
  const Eigen::MatrixXd covariance =
      solve::sandwich(J.transpose() * J, solve::long_run_covariance(moments), samples);
  return covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
}

void check_motor_series(const Series& volts, const Series& speeds, double dt) {
  if (volts.size() != speeds.size() || speeds.size() < fewest_samples || !(dt > 0))
    refuse("motor", fmt::format("has {} voltages and {} speeds, must have as many, {} or more", volts.size(),
                                speeds.size(), fewest_samples));
  if (!volts.allFinite() || !speeds.allFinite()) refuse("motor", "has a sample that is not finite");
  if (speeds.minCoeff() == speeds.maxCoeff() || volts.cwiseAbs().maxCoeff() == 0)
    refuse("motor", "does not move, or has no voltage");
}

}  // namespace

VectorXd simulate_motor(const MotorRates& rates, const Series& volts, double first_speed, double dt) {
  VectorXd speeds(volts.size());
  double w = first_speed;
  for (Index k = 0; k < volts.size(); ++k) {
    speeds[k] = w;
    const double stiffness = rates.linear + 2 * rates.quadratic * std::abs(w);
    const int steps = std::clamp(static_cast<int>(std::ceil(2 * stiffness * dt)), 1, 100);
    const double h = dt / steps;
    const auto rate = [&](double at) { return rates.acceleration(volts[k], at); };
    for (int i = 0; i < steps; ++i) w = simulate::runge_kutta_step(rate, w, h);
  }
  return speeds;
}

MotorDynamicsFit fit_motor_dynamics(const Series& volts, const Series& speeds, double dt) {
  check_motor_series(volts, speeds, dt);
  const VectorXd V = volts, w = speeds;
  const MotorResidual residual{V, w, dt, w.cwiseAbs().maxCoeff(), first_guess(V, w, dt)};
  auto* cost = new MotorCost(new MotorResidual(residual));  // the problem's
  cost->AddParameterBlock(3);
  cost->SetNumResiduals(static_cast<int>(w.size()));
  Eigen::Vector3d x = Eigen::Vector3d::Ones();
  ceres::Problem problem;
  problem.AddResidualBlock(cost, nullptr, x.data());
  for (int k = 0; k < 3; ++k) internal::keep_within(problem, x.data(), k, 0, infinity);
  MotorDynamicsFit fit;
  fit.converged =
      internal::solve_small(problem, {.function_tolerance = 1e-12, .most_iterations = 50}).converged;
  fit.rates = residual.rates(x.data());
  fit.sigma = motor_sigmas(*cost, w.size(), x).cwiseProduct(residual.guess);
  fit.r2 = metrics(w, simulate_motor(fit.rates, V, w[0], dt)).r2;
  return fit;
}

}  // namespace fathom::identify
