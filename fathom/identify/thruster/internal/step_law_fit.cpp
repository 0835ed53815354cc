#include "fathom/identify/thruster/internal/step_law_fit.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <ceres/dynamic_numeric_diff_cost_function.h>
#include <ceres/problem.h>

#include "fathom/identify/metrics.hpp"
#include "fathom/identify/small_fit.hpp"
#include "fathom/identify/thruster/internal/rotor_model.hpp"

namespace fathom::identify::internal {
namespace {

using Base = StepLaw::Base;
using Eigen::Index;
using Eigen::VectorXd;

constexpr Index most_fitted_rows = 6000;  // of all runs
constexpr Index least_hold = 5;           // rows of one command before a move
constexpr Index shortest_step = 10;       // rows
constexpr int lag_grid = 40;

double spread_of(const std::optional<VectorXd>& series) {
  return series ? std::sqrt((series->array() - series->mean()).square().mean()) : 0;
}

/// Commands that are held for as many rows as a step has at least.
std::set<double> held_commands(const std::vector<StepRun>& runs) {
  std::set<double> held;
  for (const StepRun& run : runs) {
    Index since = 0;
    for (Index k = 1; k < run.commands.size(); ++k) {
      if (run.commands[k] != run.commands[since]) since = k;
      if (k - since >= shortest_step) held.insert(run.commands[k]);
    }
  }
  return held;
}

struct StepResidual {
  const StepProblem& problem;
  const std::vector<Step>& steps;
  mutable RotorMemory memory = {};  // of one solver's thread

  bool operator()(double const* const* parameters, double* residuals) const {
    const Eigen::Map<const VectorXd> x(parameters[0], static_cast<Index>(problem.unknowns().size()));
    const VectorXd found = problem.residuals(x, steps, nullptr, {}, &memory);
    Eigen::Map<VectorXd>(residuals, found.size()) = found;
    return found.allFinite();
  }
};

}  // namespace

std::vector<Step> steps_of(const StepRun& run, std::size_t index) {
  std::vector<Step> steps;
  const Index n = run.commands.size();
  Index held = least_hold;  // rows since the command last changed; the first move counts at once
  for (Index k = 1; k < n; ++k) {
    if (run.commands[k] == run.commands[k - 1]) {
      ++held;
      continue;
    }
    const bool is_move = held >= least_hold && (steps.empty() || k - steps.back().first >= shortest_step);
    if (is_move) {
      if (!steps.empty()) steps.back().end = k;
      steps.push_back({index, steps.empty() ? 0 : k, n});
    }
    held = 0;
  }
  return steps;
}

double& StepProblem::Unknown::in(StepNumbers& numbers) const {
  return plain ? numbers.*plain : rate ? numbers.motor.*rate : numbers.flow.*flow;
}
double StepProblem::Unknown::value(double x) const { return is_logarithm ? std::exp(x - 1) : x; }
double StepProblem::Unknown::coordinate(double value) const {
  return is_logarithm ? 1 + std::log(value) : value;
}

StepProblem::StepProblem(const StepModel& model, const std::vector<StepRun>& runs, bool with_delay, bool bent)
    : model_(model), runs_(runs), bent_(bent) {
  using N = StepNumbers;
  Index rows = 0;
  bool speeds = false, forces = false;
  row_time_ = infinity;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const StepResponse shown = model.simulate(k, first_guess(1));
    speed_spread_.push_back(shown.speeds.size() > 0 ? spread_of(runs[k].speeds) : 0);
    force_spread_.push_back(shown.forces.size() > 0 ? spread_of(runs[k].forces) : 0);
    speeds |= speed_spread_.back() > 0;
    forces |= force_spread_.back() > 0;
    rows += runs[k].times.size();
    const double time = runs[k].times[runs[k].times.size() - 1] - runs[k].times[0];
    duration_ = std::max(duration_, time);
    row_time_ = std::min(row_time_, time / static_cast<double>(runs[k].times.size() - 1));
  }
  stride_ = std::max<Index>(1, rows / most_fitted_rows);
  const auto plain = [&](const char* name, const char* unit, double N::*member, double low, double high,
                         bool logarithm, bool bench) {
    unknowns_.push_back({name, unit, member, nullptr, nullptr, low, high, logarithm, bench});
  };
  if (model.law().base == Base::motor) {
    const auto rate = [&](const char* name, const char* unit, double model::MotorRates::*member) {
      unknowns_.push_back({name, unit, nullptr, member, nullptr, 1e-9, 1e9, true, false});
    };
    rate("drive", "rad/s^2/V", &model::MotorRates::drive);
    rate("linear", "1/s", &model::MotorRates::linear);
    rate("quadratic", "1/rad", &model::MotorRates::quadratic);
  } else {
    plain("time_constant", "s", &N::lag, 0.1 * row_time_, duration_, true, false);
  }
  if (model.law().flow) {
    const auto flow = [&](const char* name, const char* unit, double model::AxialFlow::*member, double low,
                          double high, bool logarithm) {
      unknowns_.push_back({name, unit, nullptr, nullptr, member, low, high, logarithm, false});
    };
    flow("flow.share", "", &model::AxialFlow::share, 0, 5, false);
    flow("flow.time_constant", "s", &model::AxialFlow::time_constant, 0.5 * row_time_, 0.5 * duration_, true);
    flow("flow.stopped_drag", "", &model::AxialFlow::stopped_drag, 0, 2, false);
  }
  if (speeds && model.law().base != Base::motor) plain("speed_scale", "", &N::speed_scale, 0.2, 5, true, true);
  if (forces) plain("force_scale", "", &N::force_scale, 0.2, 5, true, true);
  if (speeds && forces) {
    plain("tachometer_lag", "s", &N::tachometer_lag, 0, 0.1 * duration_, false, true);
    plain("cell_lag", "s", &N::cell_lag, 0, 0.1 * duration_, false, true);
  }
  if (with_delay) plain("delay", "s", &N::delay, 0, 0.05 * duration_, false, true);
  if (bent) {
    plain("bend", "", &N::bend, -0.8, 1, false, false);
    plain("slowing", "", &N::slowing, 0.2, 5, true, false);
    plain("drive_lag", "s", &N::drive_lag, 0, 0.1 * duration_, false, false);
  }
}

StepNumbers StepProblem::numbers(const VectorXd& x) const {
  StepNumbers numbers;
  numbers.is_bent = bent_;
  for (std::size_t k = 0; k < unknowns_.size(); ++k)
    unknowns_[k].in(numbers) = unknowns_[k].value(x[static_cast<Index>(k)]);
  return numbers;
}

VectorXd StepProblem::coordinates(StepNumbers numbers) const {
  VectorXd x(static_cast<Index>(unknowns_.size()));
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    const Unknown& unknown = unknowns_[k];
    x[static_cast<Index>(k)] = unknown.coordinate(std::clamp(unknown.in(numbers), unknown.low, unknown.high));
  }
  return x;
}

VectorXd StepProblem::residuals(const VectorXd& x, const std::vector<Step>& steps, std::vector<Index>* series,
                                const StepNumbers::Left& left, RotorMemory* memory) const {
  StepNumbers at = numbers(x);
  at.left = left;
  std::vector<double> all;
  std::size_t simulated = runs_.size();
  StepResponse response;
  for (const Step& step : steps) {
    if (step.run != simulated) response = model_.simulate(simulated = step.run, at, memory);
    const auto add = [&](const VectorXd& modelled, const std::optional<VectorXd>& measured, double spread) {
      if (!(spread > 0)) return;
      if (series) series->push_back(static_cast<Index>(all.size()));
      for (Index k = step.first; k < step.end; k += stride_)
        all.push_back((modelled[k] - (*measured)[k]) / spread);
    };
    add(response.speeds, runs_[step.run].speeds, speed_spread_[step.run]);
    add(response.forces, runs_[step.run].forces, force_spread_[step.run]);
  }
  if (series) series->push_back(static_cast<Index>(all.size()));
  return Eigen::Map<VectorXd>(all.data(), static_cast<Index>(all.size()));
}

std::vector<StepNumbers::Left> StepProblem::left_to_try(const VectorXd& x) const {
  constexpr double share_of_drive = 0.01, share_of_row = 0.1, share_of_table = 1e-4;
  std::vector<StepNumbers::Left> list;
  double volts = 0;
  for (const StepRun& run : runs_) volts = std::max(volts, run.commands.cwiseAbs().maxCoeff());
  if (model_.law().base == Base::motor) list.push_back({share_of_drive * numbers(x).motor.drive * volts, 0});
  const auto any = [](const std::vector<double>& spreads) {
    return std::any_of(spreads.begin(), spreads.end(), [](double spread) { return spread > 0; });
  };
  const bool speeds = any(speed_spread_);
  if (any(force_spread_) && !speeds) list.push_back({0, share_of_row * row_time_});  // else it is an unknown
  if (model_.law().base == Base::motor) return list;  // its steady speeds are its own, not the table's
  for (const double command : held_commands(runs_)) {
    list.push_back({0, 0, command, share_of_table, share_of_table});
    if (speeds) list.push_back({0, 0, command, 0, share_of_table});
  }
  return list;
}

VectorXd StepProblem::moved_by_windings(const VectorXd& x) const {
  // A current that lags by T makes the torque under a held voltage drive V - linear w, less T times its own
  // rate, -linear dw/dt: all rates look larger by 1 / (1 - T linear), and the motor starts T late.
  const StepNumbers at = numbers(x);
  VectorXd moved = VectorXd::Zero(x.size());
  for (std::size_t k = 0; k < unknowns_.size(); ++k)
    if (unknowns_[k].rate) moved[static_cast<Index>(k)] = at.delay * at.motor.linear;
  return moved;
}

double StepProblem::error(const StepNumbers& numbers, const Step& step) const {
  const StepResponse response = model_.simulate(step.run, numbers);
  const Index n = step.end - step.first;
  double sum = 0;
  int series = 0;
  const auto add = [&](const VectorXd& modelled, const std::optional<VectorXd>& measured, double spread) {
    if (!(spread > 0)) return;
    sum +=
        (modelled - *measured).segment(step.first, n).squaredNorm() / static_cast<double>(n) / spread / spread;
    ++series;
  };
  add(response.speeds, runs_[step.run].speeds, speed_spread_[step.run]);
  add(response.forces, runs_[step.run].forces, force_spread_[step.run]);
  return sum / std::max(1, series);
}

StepScore StepProblem::score(const StepResponse& response, std::size_t run) const {
  StepScore score{runs_[run].name};
  if (speed_spread_[run] > 0) {
    const Metrics found = metrics(*runs_[run].speeds, response.speeds);
    score.speed_r2 = found.r2;
    score.speed_rmse = found.rmse;
  }
  if (force_spread_[run] > 0) {
    const Metrics found = metrics(*runs_[run].forces, response.forces);
    score.force_r2 = found.r2;
    score.force_rmse = found.rmse;
  }
  return score;
}

StepProblem::Minimum StepProblem::minimise(const VectorXd& from, const std::vector<Step>& steps) const {
  ceres::NumericDiffOptions difference;
  difference.relative_step_size = 1e-5;
  using Cost = ceres::DynamicNumericDiffCostFunction<StepResidual, ceres::FORWARD>;
  auto* cost = new Cost(new StepResidual{*this, steps}, ceres::TAKE_OWNERSHIP, difference);  // the problem's
  cost->AddParameterBlock(static_cast<int>(from.size()));
  cost->SetNumResiduals(static_cast<int>(residuals(from, steps).size()));
  Minimum minimum{from};
  ceres::Problem problem;
  problem.AddResidualBlock(cost, nullptr, minimum.x.data());
  for (int k = 0; k < from.size(); ++k) {
    const Unknown& unknown = unknowns_[static_cast<std::size_t>(k)];
    keep_within(problem, minimum.x.data(), k, unknown.coordinate(unknown.low),
                unknown.coordinate(unknown.high));
  }
  const SmallFit found = solve_small(problem, {.function_tolerance = 1e-8, .most_iterations = 60});
  minimum.cost = found.cost;
  minimum.converged = found.converged;
  return minimum;
}

StepNumbers StepProblem::first_guess(double lag) const {
  StepNumbers guess;
  guess.lag = lag;
  if (model_.law().flow) guess.flow = {0.3, 5 * lag, 0.2};
  guess.drive_lag = 0.1 * lag;
  guess.bend = 0.2;
  if (row_time_ < infinity) guess.tachometer_lag = 0.2 * lag, guess.cell_lag = guess.delay = 0.3 * row_time_;
  if (model_.law().base != Base::motor) return guess;
  // Half of the load is linear at the largest speed, and the whole of it balances the largest voltage.
  double w = 0, volts = 0;
  for (const StepRun& run : runs_) {
    w = std::max(w, run.speeds->cwiseAbs().maxCoeff());
    volts = std::max(volts, run.commands.cwiseAbs().maxCoeff());
  }
  const double rate = 1 / (1.5 * lag), speed = std::max(w, 1e-9);
  guess.motor = {rate * speed / std::max(volts, 1e-9), 0.5 * rate, 0.5 * rate / speed};
  return guess;
}

double StepProblem::search_lag(const std::vector<Step>& steps) const {
  const double low = std::log(0.1 * row_time_), high = std::log(duration_);
  double best = low, best_cost = infinity;
  for (int k = 0; k <= lag_grid; ++k) {
    const double at = low + k * (high - low) / lag_grid;
    StepNumbers guess = first_guess(std::exp(at));
    guess.flow = {};
    guess.tachometer_lag = guess.cell_lag = guess.delay = guess.drive_lag = guess.bend = 0;
    const double cost = residuals(coordinates(guess), steps).squaredNorm();
    if (cost < best_cost) best_cost = cost, best = at;
  }
  return std::exp(best);
}

StepProblem::Minimum StepProblem::minimise(const std::vector<Step>& steps) const {
  const double lag = search_lag(steps);
  Minimum best;
  struct Start {
    double share_of_lag, flow_times;
  };
  for (const Start& start :
       model_.law().flow ? std::vector<Start>{{1, 2}, {0.3, 10}} : std::vector<Start>{{1, 1}}) {
    StepNumbers guess = first_guess(start.share_of_lag * lag);
    guess.flow.time_constant = start.flow_times * lag;
    if (Minimum found = minimise(coordinates(guess), steps); found.cost < best.cost) best = std::move(found);
  }
  if (best.x.size() == 0) best.x = coordinates(first_guess(lag));
  return best;
}

}  // namespace fathom::identify::internal
