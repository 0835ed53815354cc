#include "fathom/identify/step_lag.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/identify/metrics.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr int grid_points = 40, refinements = 6;
constexpr double shortest_lag = 0.1;  // of the mean step of time: less cannot be seen
constexpr double slope_step = 1e-4;   // of the time constant

/// Exact for commands that are held; steady before the first.
VectorXd lagged(const VectorXd& times, const VectorXd& steady, double time_constant) {
  VectorXd y(steady.size());
  y[0] = steady[0];
  for (Index k = 1; k < y.size(); ++k)
    y[k] = steady[k - 1] + (y[k - 1] - steady[k - 1]) * std::exp(-(times[k] - times[k - 1]) / time_constant);
  return y;
}

bool knows_speed(const IdentifiedThruster& thruster) {
  return thruster.tests.front().forward_shaft && thruster.tests.front().reverse_shaft;
}

/// Signed, so that a shaft that is reversed passes through rest.
double steady_speed(const IdentifiedThruster& thruster, double command) {
  const IdentifiedThruster::AtVoltage& test = thruster.tests.front();
  const auto& side = command < thruster.map().command.neutral ? test.reverse_shaft : test.forward_shaft;
  return model::shaft_speed_of_command({{}, side->speed.shaft}, thruster.map().command, command);
}

/// What was measured less what is modelled, speed and force one after the other, each over its spread.
VectorXd lag_residuals(const IdentifiedThruster& thruster, const StepRun& run, double time_constant) {
  const StepResponse response = simulate_lag(thruster, run, time_constant);
  VectorXd residuals(response.speeds.size() + response.forces.size());
  const auto put = [&](auto&& part, const VectorXd& measured, const VectorXd& modelled) {
    part = (measured - modelled) / std::sqrt((measured.array() - measured.mean()).square().mean());
  };
  if (response.speeds.size() > 0) put(residuals.head(response.speeds.size()), *run.speeds, response.speeds);
  if (response.forces.size() > 0) put(residuals.tail(response.forces.size()), *run.forces, response.forces);
  return residuals;
}

double search_lag(const IdentifiedThruster& thruster, const StepRun& run) {
  const double duration = run.times[run.times.size() - 1] - run.times[0];
  const double least = shortest_lag * duration / static_cast<double>(run.times.size() - 1);
  double low = std::log(least), high = std::log(duration), best = low;
  for (int refined = 0; refined < refinements; ++refined) {
    double best_cost = infinity;
    const double step = (high - low) / grid_points;
    for (int k = 0; k <= grid_points; ++k) {
      const double at = low + k * step, cost = lag_residuals(thruster, run, std::exp(at)).squaredNorm();
      if (cost < best_cost) best_cost = cost, best = at;
    }
    low = std::max(std::log(least), best - step);
    high = std::min(std::log(duration), best + step);
  }
  if (best <= std::log(1.01 * least) || best >= std::log(0.99 * duration))
    refuse(run.name, 0, "", "shows no lag: the best is that of one sample, or of the whole run",
           "steps of the command, and many samples while the thruster follows");
  return std::exp(best);
}

/// Of least squares with one unknown, the residuals of each series being worth fewer the longer they remember.
/// The slope is large in few samples, those after a step: too few for the covariance of moments in time.
double lag_sigma(const IdentifiedThruster& thruster, const StepRun& run, double time_constant) {
  const double h = slope_step * time_constant;
  const VectorXd residuals = lag_residuals(thruster, run, time_constant);
  const VectorXd slope =
      (lag_residuals(thruster, run, time_constant + h) - lag_residuals(thruster, run, time_constant - h)) /
      (2 * h);
  double sum = 0;
  const Index n = run.times.size();
  for (Index begin = 0; begin < residuals.size(); begin += n) {
    const auto series = residuals.segment(begin, n);
    sum += series.squaredNorm() / static_cast<double>(n) * std::max(1.0, solve::integral_time(series)) *
           slope.segment(begin, n).squaredNorm();
  }
  return std::sqrt(sum) / slope.squaredNorm();
}

void check_step_run(const IdentifiedThruster& thruster, const StepRun& run) {
  if (!run.forces && !knows_speed(thruster))
    refuse(run.name, 0, "", "has shaft speeds alone, and the table no law of them on both sides",
           "a column of shaft speed in the table, or one of force here");
  for (const auto* measured : {&run.speeds, &run.forces})
    if (*measured && !((*measured)->maxCoeff() > (*measured)->minCoeff()))
      refuse(run.name, 0, "",
             fmt::format("has a {} that never changes", measured == &run.speeds ? "speed" : "force"),
             "leave the column out");
}

}  // namespace

StepResponse simulate_lag(const IdentifiedThruster& thruster, const StepRun& run, double time_constant) {
  const auto lag_of = [&](const auto& steady) {
    return lagged(run.times, run.commands.unaryExpr(steady), time_constant);
  };
  StepResponse response;
  if (run.speeds && knows_speed(thruster))
    response.speeds = lag_of([&](double command) { return steady_speed(thruster, command); }).cwiseAbs();
  if (!run.forces) return response;
  const model::ThrusterMap& map = thruster.map();
  if (const auto* propeller = std::get_if<model::Propeller>(&map.law)) {
    const auto& thrust = std::get<model::ThrustCoefficients>(propeller->thrust);
    response.forces = lag_of([&](double command) {
                        return model::shaft_speed_of_command(*propeller, map.command, command);
                      }).unaryExpr([&](double speed) { return model::propeller_thrust(thrust, speed, 0); });
  } else {
    response.forces = lag_of([&](double command) { return model::force_of_command(map, command, 0); });
  }
  return response;
}

LagFit fit_lag(const IdentifiedThruster& thruster, const std::vector<StepRun>& runs) {
  if (runs.empty()) refuse("steps", "has no run");
  if (thruster.table) refuse("table", "has several voltages; a run in time goes with a table of one");
  for (const StepRun& run : runs) check_step_run(thruster, run);
  LagFit found;
  found.time_constant = search_lag(thruster, runs.front());
  found.sigma = lag_sigma(thruster, runs.front(), found.time_constant);
  for (const StepRun& run : runs) {
    const StepResponse response = simulate_lag(thruster, run, found.time_constant);
    StepScore score{run.name};
    if (response.speeds.size() > 0) score.speed_r2 = metrics(*run.speeds, response.speeds).r2;
    if (response.forces.size() > 0) score.force_r2 = metrics(*run.forces, response.forces).r2;
    found.scores.push_back(score);
  }
  return found;
}

}  // namespace fathom::identify
