#include "fathom/identify/thruster/thruster_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include <ceres/dynamic_numeric_diff_cost_function.h>
#include <ceres/problem.h>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/filter/zero_phase.hpp"
#include "fathom/identify/metrics.hpp"
#include "fathom/identify/small_fit.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index stride = 4;  // samples between those that are fitted
constexpr double share_of_hold = 0.05;
constexpr double hold_from = 2.5, hold_until = 8;  // s after the command

Index index_of(const BenchRun& run, double t) {
  return std::clamp(static_cast<Index>(std::lround(t / run.dt)), Index{0}, run.thrust.size());
}

double held_mean(const BenchRun& run, const VectorXd& series) {
  const Index from = index_of(run, run.leaves_dead_band + hold_from),
              until = index_of(run, run.leaves_dead_band + hold_until);
  return series.segment(from, until - from).mean();
}

void check_run(const BenchRun& run) {
  if (run.speed.size() != run.thrust.size() || !run.speed.allFinite() || !run.thrust.allFinite())
    reject(run.name, fmt::format("has {} speeds and {} thrusts, must have as many, all finite",
                                 run.speed.size(), run.thrust.size()));
  if (run.volts == 0 || !(run.dt > 0) || !(run.edge >= 0 && run.edge < std::abs(run.volts)))
    reject(run.name,
           fmt::format("has {} V beyond a dead band of {} V, {} s apart", run.volts, run.edge, run.dt));
  const double end = run.dt * static_cast<double>(run.thrust.size());
  if (!(run.leaves_dead_band >= 0 && end > run.leaves_dead_band + hold_until))
    reject(run.name, fmt::format("ends after {} s, must last {} s beyond the command at {} s", end, hold_until,
                                 run.leaves_dead_band));
}

/// First order, exact for an input that is held over a step.
class Lag {
 public:
  Lag(double time_constant, double dt) : share_(time_constant > 0 ? 1 - std::exp(-dt / time_constant) : 1) {}
  double step(double input) { return state_ += share_ * (input - state_); }

 private:
  double share_, state_ = 0;
};

/// The steady speed [rad/s] of the command at time t. The step in which the command ends has its share of it,
/// so that a fit sees a slope over `lead`.
double wanted_speed(const BenchRun& run, const SteadySide& side, const ThrusterDynamics& model, double t) {
  const double full = std::abs(run.volts), begin = run.leaves_dead_band - model.ramp * run.edge / full;
  const double volts = full * std::clamp((t - begin) / model.ramp, 0.0, 1.0);
  const double share = std::clamp((run.switched_off - model.lead - t) / run.dt + 1, 0.0, 1.0);
  return share * model.speed_scale * side.speed(volts);
}

ThrusterDynamics model_of(const double* x) {
  ThrusterDynamics model;
  for (const DynamicParameter& parameter : dynamic_parameters()) model.*parameter.member = *x++;
  return model;
}

/// Speeds and thrusts of a run less those of the model, each over its weight.
struct BenchResidual {
  const BenchRun& run;
  const SteadyLaws& steady;
  Index from;
  double speed_weight, thrust_weight;

  Index samples() const { return (run.thrust.size() - from + stride - 1) / stride; }
  bool operator()(double const* const* parameters, double* residuals) const {
    const BenchResponse response = simulate_bench(run, steady, model_of(parameters[0]));
    const Index n = samples();
    for (Index k = 0; k < n; ++k) {
      const Index at = from + stride * k;
      residuals[k] = (response.speed[at] - run.speed[at]) * speed_weight;
      residuals[n + k] = (response.thrust[at] - run.thrust[at]) * thrust_weight;
    }
    return true;
  }
};

using BenchCost = ceres::DynamicNumericDiffCostFunction<BenchResidual, ceres::CENTRAL>;

/// Sandwich covariance of the parameters inside their bounds: gauges vibrate, so residuals remember.
VectorXd sigmas_inside(const BenchCost& cost, Index samples, const VectorXd& x,
                       const std::vector<Index>& inside) {
  VectorXd residuals(2 * samples);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> J(2 * samples, x.size());
  const double* blocks[] = {x.data()};
  double* jacobians[] = {J.data()};
  cost.Evaluate(blocks, residuals.data(), jacobians);
  const Eigen::MatrixXd part = J(Eigen::all, inside);
  // Both signals of a time make one moment.
  const Eigen::MatrixXd each = residuals.asDiagonal() * part;
  const Eigen::MatrixXd moments = (each.topRows(samples) + each.bottomRows(samples)).transpose();
  const Eigen::MatrixXd covariance =
      solve::sandwich(part.transpose() * part, solve::long_run_covariance(moments), samples);
  VectorXd sigma = VectorXd::Constant(x.size(), nan);
  sigma(inside) = covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
  return sigma;
}

void judge(DynamicsFit& fit, const BenchCost& cost, Index samples, const VectorXd& x) {
  std::vector<Index> inside;
  Index k = 0;
  for (const DynamicParameter& parameter : dynamic_parameters()) {
    const double slack = 1e-4 * (parameter.high - parameter.low);
    const bool is_inside = x[k] > parameter.low + slack && x[k] < parameter.high - slack;
    if (is_inside)
      inside.push_back(k);
    else
      fit.at_bound.emplace_back(parameter.name);
    ++k;
  }
  fit.sigma = sigmas_inside(cost, samples, x, inside);
  for (const Index i : inside)
    if (sigmas_of_95 * fit.sigma[i] > std::abs(x[i]))
      fit.unseen.emplace_back(dynamic_parameters()[static_cast<std::size_t>(i)].name);
}

double r2(const VectorXd& measured, const VectorXd& modelled) { return metrics(measured, modelled).r2; }

VectorXd low_passed(const VectorXd& series, double cutoff_hz, double dt) {
  return filter::Butterworth(2, cutoff_hz, dt).apply(series.transpose()).transpose();
}

}  // namespace

const std::array<DynamicParameter, ThrusterDynamics::size>& dynamic_parameters() {
  using D = ThrusterDynamics;
  static const std::array<DynamicParameter, D::size> list = {
      {{"ramp", "s", &D::ramp, 0.1, 5},
       {"speed_scale", "", &D::speed_scale, 0.5, 2},
       {"rotor_lag", "s", &D::rotor_lag, 0.002, 1},
       {"tachometer_lag", "s", &D::tachometer_lag, 0.002, 0.5},
       {"lead", "s", &D::lead, -0.1, 0.3},
       {"thrust_scale", "", &D::thrust_scale, 0.2, 3},
       {"flow_share", "", &D::flow_share, 0, 2},
       {"flow_lag", "s", &D::flow_lag, 0.01, 3},
       {"stopped_drag", "", &D::stopped_drag, 0, 1}}};
  return list;
}

double time_of_switching_off(const BenchRun& run) {
  check_run(run);
  constexpr double window = 0.02;  // s
  const Index width = std::max(Index{1}, static_cast<Index>(std::lround(window / run.dt)));
  const double sign = run.volts > 0 ? 1 : -1;
  const double half = 0.5 * sign * held_mean(run, run.thrust);
  if (!(half > 0))
    reject(run.name, "has no thrust while the command is held", "is its sign that of the voltage?");
  for (Index k = run.thrust.size() - 1; k >= width; --k)
    if (sign * run.thrust.segment(k - width + 1, width).mean() > half)
      return static_cast<double>(k) * run.dt - window / 2;
  reject(run.name, "has no thrust after the command");
}

BenchResponse simulate_bench(const BenchRun& run, const SteadyLaws& steady, const ThrusterDynamics& model) {
  const double sign = run.volts > 0 ? 1 : -1;
  const SteadySide& side = run.volts > 0 ? steady.forward : steady.reverse;
  Lag rotor(model.rotor_lag, run.dt), tachometer(model.tachometer_lag, run.dt), flow(model.flow_lag, run.dt);
  BenchResponse response{VectorXd(run.thrust.size()), VectorXd(run.thrust.size())};
  const double beta = model.flow_share;
  for (Index k = 0; k < run.thrust.size(); ++k) {
    const double n = rotor.step(wanted_speed(run, side, model, static_cast<double>(k) * run.dt));
    const double w = flow.step(n);
    response.speed[k] = tachometer.step(n);
    // Momentum of the water that the blades meet; stopped blades stand in their own slipstream.
    const double square = n * ((1 + beta) * n - beta * w) - model.stopped_drag * std::max(0.0, w * w - n * n);
    response.thrust[k] = sign * model.thrust_scale * side.thrust_factor(n) * square;
  }
  return response;
}

DynamicsFit fit_thruster_dynamics(const BenchRun& run, const SteadyLaws& steady) {
  check_run(run);
  const double speed = held_mean(run, run.speed), thrust = std::abs(held_mean(run, run.thrust));
  if (!(speed > 0 && thrust > 0)) reject(run.name, "has no speed or no thrust while the command is held");
  const BenchResidual residual{run, steady, index_of(run, run.leaves_dead_band), 1 / (share_of_hold * speed),
                               1 / (share_of_hold * thrust)};
  ceres::NumericDiffOptions steps;
  steps.relative_step_size = 1e-3;  // a time must move by a noticeable share of a sample
  auto* cost = new BenchCost(new BenchResidual(residual), ceres::TAKE_OWNERSHIP, steps);  // the problem's
  cost->AddParameterBlock(ThrusterDynamics::size);
  cost->SetNumResiduals(static_cast<int>(2 * residual.samples()));
  VectorXd x(ThrusterDynamics::size);
  ceres::Problem problem;
  problem.AddResidualBlock(cost, nullptr, x.data());
  int k = 0;
  for (const DynamicParameter& parameter : dynamic_parameters()) {
    x[k] = ThrusterDynamics().*parameter.member;
    keep_within(problem, x.data(), k++, parameter.low, parameter.high);
  }
  DynamicsFit fit;
  fit.converged = solve_small(problem, {.function_tolerance = 1e-9}).converged;
  fit.model = model_of(x.data());
  judge(fit, *cost, residual.samples(), x);
  return fit;
}

BenchScore score_bench(const BenchRun& run, const BenchResponse& response, double low_pass_hz,
                       double ceiling_hz) {
  check_run(run);
  const Index rest = run.thrust.size() - index_of(run, run.leaves_dead_band);
  BenchScore score;
  score.speed = r2(run.speed.tail(rest), response.speed.tail(rest));
  score.speed_whole = r2(run.speed, response.speed);
  score.thrust_raw = r2(run.thrust, response.thrust);
  score.thrust =
      r2(low_passed(run.thrust, low_pass_hz, run.dt), low_passed(response.thrust, low_pass_hz, run.dt));
  score.thrust_ceiling = r2(run.thrust, low_passed(run.thrust, ceiling_hz, run.dt));
  return score;
}

}  // namespace fathom::identify
