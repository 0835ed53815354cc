#include "fathom/identify/thruster/step_law_choice.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/identify/metrics.hpp"
#include "fathom/identify/thruster/internal/step_law_fit.hpp"

namespace fathom::identify {
namespace {

using internal::Step;
using internal::StepProblem;

const std::string& place_of(const StepRun& run) { return run.file.empty() ? run.name : run.file; }

std::vector<Step> all_steps(const std::vector<StepRun>& runs) {
  std::vector<Step> steps;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const std::vector<Step> own = internal::steps_of(runs[k], k);
    if (own.empty())
      reject(place_of(runs[k]), 0, "", "has a command that never changes: there is no step to learn from",
             "step the command, and hold it until the thruster follows");
    steps.insert(steps.end(), own.begin(), own.end());
  }
  return steps;
}

/// By step: which fold holds it out.
std::vector<std::size_t> folds_of(const std::vector<Step>& steps, bool by_runs) {
  std::vector<std::size_t> folds;
  for (std::size_t k = 0; k < steps.size(); ++k) folds.push_back(by_runs ? steps[k].run : k % 2);
  return folds;
}

void copy_rows(Eigen::VectorXd& to, const Eigen::VectorXd& from, const Step& step) {
  if (from.size() == 0) return;
  to.conservativeResize(from.size());
  to.segment(step.first, step.end - step.first) = from.segment(step.first, step.end - step.first);
}

/// Each fold is judged by numbers fitted to the others.
void hold_out(StepLawFit& fit, const StepProblem& problem, const Eigen::VectorXd& start,
              const std::vector<Step>& steps, bool by_runs, std::size_t runs) {
  const std::vector<std::size_t> folds = folds_of(steps, by_runs);
  fit.by_step.assign(steps.size(), 0);
  std::vector<StepResponse> unseen(runs);  // of each step by numbers that did not see it
  double sum = 0;
  for (std::size_t fold = 0; fold < (by_runs ? runs : 2); ++fold) {
    std::vector<Step> others;
    for (std::size_t k = 0; k < steps.size(); ++k)
      if (folds[k] != fold) others.push_back(steps[k]);
    const StepNumbers numbers = problem.numbers(problem.minimise(start, others).x);
    for (std::size_t k = 0; k < steps.size(); ++k) {
      if (folds[k] != fold) continue;
      sum += fit.by_step[k] = problem.error(numbers, steps[k]);
      const StepResponse response = problem.response(numbers, steps[k].run);
      copy_rows(unseen[steps[k].run].speeds, response.speeds, steps[k]);
      copy_rows(unseen[steps[k].run].forces, response.forces, steps[k]);
    }
  }
  for (std::size_t run = 0; run < runs; ++run) fit.held_out.push_back(problem.score(unseen[run], run));
  fit.error = sum / static_cast<double>(steps.size());
}

/// A flow takes up what a lag misses of its rotor: its interval is also that of the fit in which the rotor is
/// bent, if that one meets the runs as well.
void doubt_rotor(StepLawFit& fit, const StepModel& model, const std::vector<StepRun>& runs,
                 const std::vector<Step>& steps, bool with_delay, double cost) {
  const StepProblem bent(model, runs, with_delay, true);
  StepProblem::Minimum minimum = bent.minimise(steps);
  if (minimum.cost > cost) {
    StepNumbers start = fit.numbers;
    start.bend = 0.1;
    minimum = bent.minimise(bent.coordinates(start), steps);
  }
  if (!(minimum.cost <= cost)) return;  // of forces that lag, which no rotor is
  const std::vector<StepParameter> others = bent.parameters(minimum, steps);
  for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
    StepParameter& of = fit.parameters[k];
    if (!of.name.starts_with("flow.") || of.at_bound) continue;
    const StepParameter& other = others[k];  // those that both have come first
    of.low = std::min(of.low, other.at_bound ? other.value : other.low);
    of.high = std::max(of.high, other.at_bound ? other.value : other.high);
  }
}

StepLawFit fit_law(const IdentifiedThruster& thruster, const StepLaw& law, const std::vector<StepRun>& runs,
                   const std::vector<Step>& steps, bool by_runs, bool with_delay = true) {
  const StepModel model(thruster, law, runs);
  const StepProblem problem(model, runs, with_delay);
  const StepProblem::Minimum minimum = problem.minimise(steps);
  StepLawFit fit{law};
  fit.numbers = problem.numbers(minimum.x);
  fit.parameters = problem.parameters(minimum, steps);
  fit.converged = minimum.converged;
  // A lag that a delay has taken the place of is what a robot file has; a delay it has not.
  if (with_delay && fit.parameters.front().at_bound) return fit_law(thruster, law, runs, steps, by_runs, false);
  if (law.flow && law.base != StepLaw::Base::motor)
    doubt_rotor(fit, model, runs, steps, with_delay, minimum.cost);
  if (steps.size() > 1) hold_out(fit, problem, minimum.x, steps, by_runs, runs.size());
  return fit;
}

/// Mean and standard error of how much worse each is than the best.
void compare(StepLawChoice& choice) {
  const StepLawFit* best = nullptr;
  for (const StepLawFit& fit : choice.laws)
    if (std::isfinite(fit.error) && (!best || fit.error < best->error)) best = &fit;
  if (!best) return;
  const auto n = static_cast<double>(choice.steps);
  for (StepLawFit& fit : choice.laws) {
    if (!std::isfinite(fit.error)) continue;
    fit.worse = fit.error - best->error;
    double square = 0;
    for (std::size_t k = 0; k < fit.by_step.size(); ++k)
      square += std::pow(fit.by_step[k] - best->by_step[k] - fit.worse, 2);
    fit.worse_sigma = std::sqrt(square / (n - 1) / n);
  }
}

/// Of the least held-out error. Few steps make standard errors so wide that every law is within one; an error
/// that is larger by more than this is a worse law, however few steps there are.
constexpr double tie = 0.1;

std::size_t simplest(const StepLawChoice& choice) {
  double least = infinity;
  for (const StepLawFit& fit : choice.laws)
    if (std::isfinite(fit.error) && fit.shows_flow()) least = std::min(least, fit.error);
  std::size_t chosen = choice.laws.size();
  for (std::size_t k = 0; k < choice.laws.size(); ++k) {
    const StepLawFit& fit = choice.laws[k];
    if (!std::isfinite(fit.error) || fit.worse > fit.worse_sigma || fit.error > (1 + tie) * least ||
        !fit.shows_flow())
      continue;
    const auto is_simpler = [&](const StepLawFit& other) {
      return fit.unknowns() != other.unknowns() ? fit.unknowns() < other.unknowns() : fit.error < other.error;
    };
    if (chosen == choice.laws.size() || is_simpler(choice.laws[chosen])) chosen = k;
  }
  if (chosen < choice.laws.size()) return chosen;
  // The best ones all have a flow that is not told from none: the best without.
  for (std::size_t k = 0; k < choice.laws.size(); ++k)
    if (const StepLawFit& fit = choice.laws[k];
        fit.why_not.empty() && !fit.law.flow &&
        (chosen == choice.laws.size() || fit.error < choice.laws[chosen].error))
      chosen = k;
  return chosen;
}

}  // namespace

void check_step_run(const IdentifiedThruster& thruster, const StepRun& run) {
  if (!run.forces && !knows_speed(thruster))
    reject(place_of(run), 0, "", "has shaft speeds alone, and the table no law of them on both sides",
           "a column of shaft speed in the table, or one of force here");
  for (const auto* measured : {&run.speeds, &run.forces})
    if (*measured && !((*measured)->maxCoeff() > (*measured)->minCoeff()))
      reject(place_of(run), 0, "",
             fmt::format("has a {} that never changes", measured == &run.speeds ? "speed" : "force"),
             "leave the column out");
}

std::size_t StepLawFit::unknowns() const {
  return static_cast<std::size_t>(std::count_if(parameters.begin(), parameters.end(),
                                                [](const StepParameter& of) { return !of.of_bench; }));
}

bool StepLawFit::shows_flow() const {
  if (!law.flow) return true;
  return std::any_of(parameters.begin(), parameters.end(), [](const StepParameter& of) {
    return (of.name == "flow.share" || of.name == "flow.stopped_drag") && of.low > 0;
  });
}

/// Below this R2 of the shaft's speed a flow cannot be told from a shaft that is another.
constexpr double followed_speed = 0.995;

std::vector<std::string> StepLawChoice::not_told() const {
  std::vector<std::string> words;
  if (best().law.base == StepLaw::Base::motor)
    words.emplace_back(
        "inertia, resistance, k_t, k_q, friction and the propeller's torque one by one: voltage and speed tell "
        "three ratios of them, drive, linear and quadratic");
  for (const StepParameter& of : best().parameters)
    if (of.at_bound && !of.of_bench && of.name == "time_constant")
      words.push_back(fmt::format(
          "time_constant: {:.2g} s is no longer than the time between rows, which do not resolve it",
          of.value));
    else if (of.at_bound && !of.of_bench)
      words.push_back(fmt::format("{}: it ran to the end of its range, {:.3g}", of.name, of.value));
    else if (!of.of_bench && !(of.high - of.value < of.value))
      words.push_back(fmt::format("{}: its interval is as wide as itself", of.name));
  double speed_r2 = 1;
  for (const StepScore& score : best().held_out)
    if (score.speed_r2 < speed_r2) speed_r2 = score.speed_r2;
  if (best().law.flow && speed_r2 < followed_speed)
    words.push_back(fmt::format(
        "flow: the shaft follows its law only in part (R2 of its speed {:.4f} on steps not seen), and "
        "the flow takes what that misses: its numbers fit the force, and only their intervals mean something",
        speed_r2));
  if (best().held_out.empty() && steps < 2)
    words.emplace_back("how good the law is on steps not seen: there is one step");
  return words;
}

StepScore score_step_run(const StepModel& model, const StepNumbers& numbers, const StepRun& run,
                         std::size_t index) {
  const StepResponse response = model.simulate(index, numbers);
  StepScore score{run.name};
  const auto add = [](const std::optional<Eigen::VectorXd>& measured, const Eigen::VectorXd& modelled,
                      double& r2, double& rmse) {
    if (!measured || modelled.size() == 0) return;
    const Metrics found = metrics(*measured, modelled);
    r2 = found.r2, rmse = found.rmse;
  };
  add(run.speeds, response.speeds, score.speed_r2, score.speed_rmse);
  add(run.forces, response.forces, score.force_r2, score.force_rmse);
  return score;
}

StepLawChoice choose_step_law(const IdentifiedThruster& thruster, const std::vector<StepRun>& runs,
                              const std::optional<StepLaw>& forced) {
  if (runs.empty()) reject("steps", "has no run");
  if (thruster.table) reject("table", "has several voltages; a run in time goes with a table of one");
  for (const StepRun& run : runs) check_step_run(thruster, run);
  const std::vector<Step> steps = all_steps(runs);
  if (steps.size() < 2 && !forced)
    reject(place_of(runs.front()), 0, "", "has one step: nothing is left to judge laws by",
           "step the command more than once, add a run, or name the law: --law shaft");
  StepLawChoice choice;
  choice.forced = forced.has_value();
  choice.by_runs = runs.size() > 1;
  choice.steps = steps.size();
  for (const StepLaw& law : step_laws()) {
    std::string why = why_not(thruster, law, runs);
    if (forced && !(law == *forced)) why = "not asked for";
    if (forced && law == *forced) choice.chosen = choice.laws.size();
    choice.laws.push_back(why.empty() || (forced && law == *forced)
                              ? fit_law(thruster, law, runs, steps, choice.by_runs)
                              : StepLawFit{law, why});
  }
  if (!forced) {
    compare(choice);
    choice.chosen = simplest(choice);
  }
  const StepParameter& first = choice.best().parameters.front();
  const StepLawFit& best = choice.best();
  if (first.at_bound && !(best.law.flow && best.shows_flow()))
    reject(place_of(runs.front()), 0, "", "shows no lag: the best is that of one sample, or of the whole run",
           "steps of the command, and many samples while the thruster follows");
  return choice;
}

}  // namespace fathom::identify
