#include "fathom/task/identify/vehicle.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/estimator_choice.hpp"
#include "fathom/identify/vehicle/forward_fit.hpp"
#include "fathom/identify/vehicle/identified_robot.hpp"
#include "fathom/identify/vehicle/log_currents.hpp"
#include "fathom/identify/vehicle/statistics.hpp"
#include "fathom/model/candidates.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/task/identify/internal/vehicle.hpp"
#include "fathom/task/internal/option_table.hpp"

namespace fathom {

template <>
const fields::Keys& fields::Table<task::IdentifyVehicleOptions>::fields() {
  using Options = task::IdentifyVehicleOptions;
  static const Keys keys{
      inherited<Options, task::LogOptions>(),
      field<&Options::structure>("structure")
          .metavar("NAME")
          .doc("Structure of the model: linear, diagonal, quadratic, cross, 6dof, 6dof-cross, 6dof-oblique, a "
               "published vector (vehicle-23, ...), or auto: the data decide among the first seven."),
      field<&Options::estimator>("estimator")
          .words({"auto", "consistent", "ordinary", "weighted", "total", "instrumental", "robust", "forward"})
          .metavar("WORD")
          .doc("Estimator of values and intervals. auto: consistent, unless forward or instrumental predicts "
               "held-out data better. forward regresses acceleration on commands; it predicts better under "
               "strong disturbances but biases masses upwards."),
      field<&Options::output_error>("output_error")
          .doc("Refine the estimate until the model's velocities, not its wrench, meet the measured ones."),
      field<&Options::thrust_sigma>("thrust_sigma")
          .at_least(0)
          .below(1)
          .hint("such as 0.02 for 2 %")
          .metavar("SHARE")
          .doc("One sigma of the thruster forces, as a share such as 0.02; widens intervals."),
      field<&Options::unit_sigma>("unit_sigma")
          .at_least(0)
          .below(1)
          .hint("such as 0.01 for 1 %")
          .metavar("SHARE")
          .doc("One sigma of the gain of each thruster by itself, as a share such as 0.01; widens intervals."),
      field<&Options::blur>("blur")
          .unit("s")
          .above(0)
          .at_most(20)
          .hint("s, not ms?")
          .metavar("S")
          .doc("Width of the Gaussian that smooths both sides of the equation."),
      field<&Options::delay>("delay").metavar("S").doc("Command delay in s, or auto: estimated."),
      field<&Options::lag>("lag").metavar("S").doc("First-order lag of the thrusters in s; auto: averaged "
                                                   "over, with the robot file's as a prior; file: as "
                                                   "the robot file has it, exactly."),
      field<&Options::current>("current").words({"auto", "none"}).doc("Water current; auto: estimated."),
      field<&Options::no_dry_body>("no_dry_body")
          .doc("The dry body is not known well: M > 0 in place of M - M_rb >= 0."),
      field<&Options::bound>("bound")
          .metavar("NAME=MIN:MAX")
          .doc("Bounds of a parameter, of which one may be left out; may be repeated."),
      field<&Options::unseen_share>("unseen_share")
          .above(0)
          .metavar("SHARE")
          .doc("A parameter is not identifiable if one sigma of it changes the thrusters' wrench by more than "
               "this share."),
      field<&Options::accept_bounds>("accept_bounds").doc("Status 0 even where a constraint is active."),
      field<&Options::accept_unseen>("accept_unseen")
          .doc("Status 0 even where a parameter is not identifiable.")};
  return keys;
}

}  // namespace fathom

namespace fathom::task {
namespace {

using Bound = consistency::ConstraintOptions::Bound;
using Options = IdentifyVehicleOptions;

/// NAME=MIN:MAX, where one of the two may be left out.
Bound bound_of(const std::string& text) {
  const auto fail = [&] {
    reject("--bound", fmt::format("= {}, expected NAME=MIN:MAX", in_quotes(text)),
           "such as m11=20:40 or d66=0.1:");
  };
  const std::size_t equals = text.find('='), colon = text.find(':', equals);
  if (equals == 0 || equals == std::string::npos || colon == std::string::npos) fail();
  const auto side = [&](std::string_view part, double none) {
    if (part.empty()) return none;
    const auto value = number_in(part);
    if (!value) fail();
    return *value;
  };
  const std::string_view all = text;
  return {text.substr(0, equals), side(all.substr(equals + 1, colon - equals - 1), -infinity),
          side(all.substr(colon + 1), infinity)};
}

identify::FitOptions fit_options(const Options& options) {
  identify::FitOptions fit;
  fit.thrust_sigma = options.thrust_sigma;
  fit.estimate_current = options.current == "auto";
  fit.estimate_delay = options.delay == "auto";
  if (fit.estimate_delay) return fit;
  const double most = identify::RegressionOptions().most_delay;
  const auto delay = number_in(options.delay);
  if (!delay || *delay < 0 || *delay > most)
    reject("--delay",
           fmt::format("= {}, expected auto, or seconds from 0 to {:g}", in_quotes(options.delay), most),
           "such as 0.15 for 150 ms");
  fit.delay = *delay;
  return fit;
}

identify::LagOptions lag_options(const Options& options) {
  identify::LagOptions lag;
  if (options.lag == "auto" || options.lag == "file") return lag;
  const auto seconds = number_in(options.lag);
  if (!seconds || *seconds < 0 || *seconds > lag.most_held)
    reject("--lag",
           fmt::format("= {}, expected auto, file, or seconds from 0 to {:g}", in_quotes(options.lag),
                       lag.most_held),
           "such as 0.15 for 150 ms");
  lag.held = *seconds;
  return lag;
}

bool has(const model::Structure& structure, const std::string& parameter) {
  return std::any_of(structure.terms.begin(), structure.terms.end(),
                     [&](const model::Term& term) { return name_of(term) == parameter; });
}

model::Structure structure_of(const Options& options, const model::Robot& robot) {
  try {
    return model::candidate(options.structure, robot);
  } catch (const InputError& error) {
    const Finding& finding = error.findings().front();
    reject("--structure", finding.message, finding.hint.empty() ? "or auto: the data decide" : finding.hint);
  }
}

void check_bounds(const std::vector<Bound>& bounds, const std::vector<model::Structure>& structures) {
  for (const Bound& bound : bounds) {
    const bool is_known = std::any_of(structures.begin(), structures.end(),
                                      [&](const model::Structure& s) { return has(s, bound.parameter); });
    if (!is_known)
      reject("--bound",
             fmt::format("{} is no parameter{}", in_quotes(bound.parameter),
                         structures.size() == 1 ? " of structure " + structures.front().name : ""),
             "names are those that `fathom identify` prints, such as m11, d26, q33|3|, W-B");
    if (!(bound.min < bound.max))
      reject("--bound", fmt::format("{} = {:g}:{:g}, expected a smaller and a larger number", bound.parameter,
                                    bound.min, bound.max));
  }
}

/// The structure that was asked for, or all in which every bounded parameter has a place.
std::vector<model::Structure> candidates_of(const Options& options, const model::Robot& robot,
                                            const std::vector<Bound>& bounds) {
  const bool is_chosen = options.structure != "auto";
  std::vector<model::Structure> all =
      is_chosen ? std::vector{structure_of(options, robot)} : model::candidate_structures(robot);
  check_bounds(bounds, all);
  std::vector<model::Structure> kept;
  for (model::Structure& structure : all)
    if (std::all_of(bounds.begin(), bounds.end(), [&](const Bound& b) { return has(structure, b.parameter); }))
      kept.push_back(std::move(structure));
  if (kept.empty())
    reject("--bound", fmt::format("there is no structure with {}", join(options.bound, " and ")),
           "fewer of them, or a --structure");
  return kept;
}

identify::IdentifyOptions identify_options(const Options& options, const model::Robot& robot) {
  identify::IdentifyOptions result;
  result.constraints.dry_body = !options.no_dry_body;
  for (const std::string& text : options.bound) result.constraints.bounds.push_back(bound_of(text));
  result.candidates = candidates_of(options, robot, result.constraints.bounds);
  result.regression.blur = options.blur;
  result.unseen_share = options.unseen_share;
  result.compare = options.compare;
  result.fit = fit_options(options);
  result.lag = lag_options(options);
  result.map.unit_sigma = options.unit_sigma;
  return result;
}

/// Estimates what the robot file leaves open of the command path; recordings and options then have it.
void find_command_path(internal::VehicleFit& at, identify::IdentifyOptions& how) {
  at.command_path = identify::fit_command_path(
      at.recordings, at.robot, {.blur = how.regression.blur, .most_delay = how.regression.most_delay});
  identify::apply_command_path(at.command_path, at.robot, at.recordings);
  if (const auto& gain = at.command_path.gain)
    how.fit.thrust_sigma = std::hypot(how.fit.thrust_sigma, gain->sigma / gain->value);
}

/// Puts values and covariance of the chosen estimator in the place of the consistent ones.
void take_estimate(internal::VehicleFit& at) {
  for (const identify::Estimate& estimate : at.found.estimates) {
    if (estimate.name != at.estimator) continue;
    if (!estimate.found)
      reject("--estimator", fmt::format("{} finds no estimate: {}", estimate.name, estimate.why_not),
             "the default one may");
    at.found.parameters =
        model::ParameterVector(at.found.structure.parameters(estimate.theta), estimate.covariance);
  }
}

/// Another vehicle than the one of the file: who finds it in a list must see that and what it comes from.
model::Robot named_identified(const model::Robot& robot, const internal::VehicleFit& at,
                              const std::vector<std::string>& logs) {
  constexpr std::string_view ending = "-identified";
  model::RobotSpec spec = robot.spec();
  if (!spec.name.ends_with(ending)) spec.name += ending;
  if (spec.title.empty()) spec.title = robot.name();
  if (!spec.title.ends_with(", identified")) spec.title += ", identified";
  const bool is_other = at.choice && at.estimator != "consistent";
  spec.notes = fmt::format("Identified from {}: structure {}, {} estimate, {} samples. The robot before: {}.",
                           join(logs, ", "), at.found.structure.name, at.estimator,
                           at.found.fit.residuals.t.size(), at.robot.name());
  if (is_other)
    spec.notes += fmt::format(
        " This is the {} estimate because it predicts held-out data better; its masses are biased. Masses as a "
        "result, by the consistent estimate, are in summary.json.",
        at.estimator);
  return model::Robot::make(std::move(spec));
}

/// A robot file says what the lag of its thrusters is, but not that of a wrench that somebody logged.
bool lag_is_of_wrenches(const internal::VehicleFit& at) {
  return at.found.lag && std::none_of(at.recordings.begin(), at.recordings.end(), [](const auto& recording) {
           return recording.commands.of == identify::CommandRecord::Of::thrusters;
         });
}

model::Robot robot_of(internal::VehicleFit& at, const Options& options) {
  std::vector<std::string> logs;
  for (const auto& recording : at.recordings) logs.push_back(recording.name);
  const std::string source = !options.source.empty()
                                 ? options.source
                                 : fmt::format("fathom identify, structure {}, {} estimate, from {}",
                                               at.found.structure.name, at.estimator, join(logs, ", "));
  const auto& nuisance = at.found.fit.nuisance;
  const auto& lag = at.found.lag;
  const bool lags_wrenches = lag_is_of_wrenches(at);
  const auto with_lag = [&](const model::Robot& robot) {
    return lag && !lags_wrenches ? identify::robot_with_lag(robot, lag->lag, lag->sigma, source) : robot;
  };
  using Delay = model::IdentifiedParameters::Delay;
  const Delay delay = lags_wrenches ? Delay{nuisance.value.delay + lag->lag.time_constant, lag->sum_sigma}
                                    : Delay{nuisance.value.delay, nuisance.delay_sigma};
  try {
    model::Robot before = identify::robot_with_command_path(at.robot, at.command_path, source);
    // Without the constraint M - M_rb >= 0 the dry body of the file may be heavier than the estimate allows.
    at.dry_body_share =
        identify::dry_body_share(before, at.environment, at.found.structure, at.found.parameters);
    if (at.dry_body_share > 0 && at.dry_body_share < 1)
      before = identify::with_dry_body_share(
          before, at.environment, at.dry_body_share,
          fmt::format("{:.3g} % of the value before, so that added mass is not negative: {}",
                      100 * at.dry_body_share, source));
    return identify::identified_robot(named_identified(with_lag(before), at, logs), at.environment,
                                      at.found.structure, at.found.parameters, source, delay);
  } catch (const InputError& error) {
    Findings findings = error.findings();
    if (at.estimator != "consistent" && !at.refined)
      add_error(findings, "--estimator",
                at.estimator + " does not heed what nature allows, and this estimate breaks it",
                "the default one keeps to it");
    throw InputError(std::move(findings));
  }
}

/// Part of the covariance that errors of the thrusters' forces make, by the
/// estimator that is kept.
Eigen::MatrixXd by_thrusters(const internal::VehicleFit& at, const identify::IdentifyOptions& how) {
  if (!at.forward) return at.found.by_thrusters;
  const Eigen::VectorXd by_force = how.fit.thrust_sigma * at.found.parameters.values();
  return by_force * by_force.transpose();
}

/// The robot with the statistics of the logs that it was identified from.
model::Robot with_statistics_of(internal::VehicleFit& at, const model::Robot& robot,
                                const identify::IdentifyOptions& how) {
  const identify::Fit& fit = at.found.fit;
  std::vector<identify::Nuisance> nuisances(at.recordings.size(), fit.nuisance.value);
  const identify::Regression regression(at.found.structure, at.recordings, how.regression);
  const Vec6 extrapolation = identify::extrapolation_factors(
      regression, fit.nuisance.value, fit.row_sigma,
      consistency::constraints(at.found.structure, at.robot, at.environment, how.constraints));
  const auto statistics = [&] {
    identify::DataStatistics found = identify::statistics_of(robot, at.environment, at.recordings, nuisances,
                                                             how.regression, true, extrapolation);
    at.too_short = found.too_short;
    return found;
  };
  const auto with = [&](const identify::DataStatistics& found) {
    model::RobotSpec spec = identify::with_statistics(robot, found).spec();
    if (const Eigen::MatrixXd by = by_thrusters(at, how); by.allFinite())
      spec.identified->by_thrusters = model::lower_triangle(by);
    return model::Robot::make(std::move(spec));
  };
  if (!lag_is_of_wrenches(at)) return with(statistics());
  // A prediction takes such wrenches as they stand, at the delay of the robot file.
  const identify::ThrusterLag lag = at.found.lag->lag;
  identify::set_lag(at.recordings, at.robot, at.environment, {0, lag.acts_on});
  const double most = how.regression.most_delay;
  if (robot.identified() && robot.identified()->delay)
    for (identify::Nuisance& one : nuisances) one.delay = std::min(robot.identified()->delay->value, most);
  model::Robot out = with(statistics());
  identify::set_lag(at.recordings, at.robot, at.environment, lag);
  return out;
}

/// How the thrusters' lag enters.
struct Averaging {
  std::optional<identify::StatedLag> stated;
  bool averages = false;
  model::Robot robot;  // with the command path that was found: its gain is in the wrench
};

/// The consistent estimate, averaged over the lag, with what else widens it. The recordings have the wrench of
/// `lag`, and get that of the mean lag.
void fit_and_widen(internal::VehicleFit& at, const identify::IdentifyOptions& how, const Averaging& averaging,
                   identify::ThrusterLag& lag) {
  at.found = identify::identify(at.recordings, at.robot, at.environment, how);
  if (averaging.averages) {
    identify::average_lag(at.recordings, averaging.robot, at.environment, how, *averaging.stated, lag,
                          at.found);
    lag = at.found.lag->lag;
  }
  if (averaging.stated)
    identify::widen_by_map(at.recordings, averaging.robot, at.environment, how, lag, at.found);
  if (const auto& band = at.command_path.dead_band)
    identify::widen_by_dead_band(at.recordings, at.robot, at.environment, how, band->value, band->sigma,
                                 at.found);
  if (const auto& most = at.command_path.saturation)
    identify::widen_by_saturation(
        at.recordings, at.robot, at.environment, how,
        at.command_path.dead_band ? at.command_path.dead_band->value : at.robot.dead_band(), most->value,
        most->sigma, at.found);
}

/// Puts the chosen candidate in the place of the consistent estimate, which at.consistent keeps.
void take_candidate(internal::VehicleFit& at, const Options& options, const identify::IdentifyOptions& how,
                    const Averaging& averaging, identify::ThrusterLag& lag) {
  const identify::EstimatorCandidate& best = at.choice->best();
  if (best.structure.name != at.found.structure.name) {
    identify::IdentifyOptions only = how;
    only.candidates = {best.structure};
    auto structures = std::move(at.found.choice);
    fit_and_widen(at, only, averaging, lag);
    at.found.choice = std::move(structures);
  }
  at.consistent = at.found.parameters;
  at.estimator = best.estimator;
  if (best.estimator == "forward") {
    identify::IdentifyOptions predicting = how;
    predicting.regression.level = true;  // as it was scored
    at.forward = identify::take_forward(at.recordings, at.robot, at.environment, predicting, at.command_path,
                                        at.found, best.delay);
  } else if (best.estimator == "instrumental") {
    const auto same = std::find_if(at.found.estimates.begin(), at.found.estimates.end(),
                                   [](const auto& e) { return e.name == "instrumental" && e.found; });
    at.found.parameters =
        model::ParameterVector(at.found.structure.parameters(best.theta),
                               same != at.found.estimates.end() ? same->covariance : best.covariance);
  }
  const Eigen::VectorXd theta = at.found.parameters.values();
  at.found.parameters =
      model::ParameterVector(at.found.structure.parameters(theta),
                             identify::mixed_covariance(*at.choice, theta, at.found.parameters.covariance()));
  robot_of(at, options);  // throws where no robot can have it
}

/// Keeps the consistent estimate, unless another predicts held-out data better.
void choose_estimator(internal::VehicleFit& at, const Options& options, const identify::IdentifyOptions& how,
                      const Averaging& averaging, identify::ThrusterLag& lag, const Context& context) {
  throw_if(context.stop);
  if (how.progress) how.progress(0.95, "comparing estimators on held-out data");
  identify::EstimatorChoiceOptions choosing;
  choosing.threads = how.threads;
  at.choice = identify::choose_estimator(at.recordings, at.robot, at.environment, how, at.found, choosing);
  const identify::Identified before = at.found;
  const identify::ThrusterLag lag_before = lag;
  try {
    take_candidate(at, options, how, averaging, lag);
  } catch (const InputError& error) {
    identify::EstimatorChoice& choice = *at.choice;
    choice.candidates[choice.chosen].why_not =
        error.findings().empty() ? "failed"
                                 : error.findings().front().key + " " + error.findings().front().message;
    choice.chosen = 0;
    at.found = before;
    at.consistent = before.parameters;
    at.estimator = "consistent";
    at.forward.reset();
    lag = lag_before;
    if (averaging.averages) identify::set_lag(at.recordings, averaging.robot, at.environment, lag);
  }
}

/// The whole chain: command path, fit, its doubts, the chosen estimator.
internal::VehicleFit fitted(const model::Robot& robot, const model::Environment& environment,
                            std::vector<identify::Recording> recordings, const Options& options,
                            identify::IdentifyOptions how, const Context& context) {
  internal::VehicleFit at{robot, environment, std::move(recordings),
                          options.estimator == "auto" ? "consistent" : options.estimator};
  throw_if(context.stop);
  find_command_path(at, how);
  identify::take_out_currents(at.recordings, at.robot, at.environment, how);
  how.threads = context.threads;
  how.progress = [&](double share, const std::string& doing) {
    context.at("identifying " + robot.name(), share, doing);
  };
  at.fit = how.fit;
  at.constraints = how.constraints;
  const auto stated = identify::stated_lag(at.robot, at.recordings);
  const bool averages = stated && options.lag != "file";
  identify::ThrusterLag lag = identify::lag_of(at.robot);
  const Averaging averaging{stated, averages,
                            identify::robot_with_command_path(at.robot, at.command_path, "this log")};
  if (averages) lag = identify::find_lag(at.recordings, averaging.robot, environment, how, *stated);
  throw_if(context.stop);
  fit_and_widen(at, how, averaging, lag);
  if (options.estimator == "auto" && !options.output_error)
    choose_estimator(at, options, how, averaging, lag, context);
  else if (options.estimator == "forward")
    at.forward = identify::take_forward(at.recordings, robot, environment, how, at.command_path, at.found);
  else if (options.estimator != "consistent" && options.estimator != "auto")
    take_estimate(at);
  if (options.output_error) {
    how.progress = [&](double share, const std::string&) {
      context.at("refining " + at.found.structure.name, share);
    };
    at.refined = identify::refine(at.recordings, robot, environment, how, at.found);
    at.estimator = "output-error";
  }
  return at;
}

}  // namespace

void Options::check() const {
  LogOptions::check();
  fields::check_values(*this);
  require(!output_error || estimator == "consistent" || estimator == "auto", "--output-error",
          "begins with the consistent estimate: not with --estimator " + estimator);
}

IdentifyVehicleResult identify_vehicle(const Options& options, const Context& context) {
  options.check();
  return identify_vehicle(model::read_robot(context.paths.robot(options.robot)), options, context);
}

IdentifyVehicleResult identify_vehicle(const model::Robot& robot, const Options& options,
                                       const Context& context) {
  options.check();
  identify_options(options, robot);  // a slip in them shall not cost the minutes of reading
  const model::Environment environment = options.environment(robot);
  return identify_vehicle(robot, environment, read_logs(options, robot, environment, context), options,
                          context);
}

IdentifyVehicleResult identify_vehicle(const model::Robot& robot, const model::Environment& environment,
                                       std::vector<identify::Recording> recordings, const Options& options,
                                       const Context& context) {
  options.check();
  const identify::IdentifyOptions how = identify_options(options, robot);
  internal::VehicleFit at = fitted(robot, environment, std::move(recordings), options, how, context);
  model::Robot identified = with_statistics_of(at, robot_of(at, options), how);
  throw_if(context.stop);
  IdentifyVehicleSummary summary = internal::summary_of(at, options);
  auto inconsistent = internal::inconsistent(at);
  auto doubts = internal::warnings_of(at);
  return {
      {std::move(summary)},
      std::move(identified),
      IdentifyVehicleResult::Evidence{std::move(at.robot), std::move(at.environment), std::move(at.recordings),
                                      std::move(at.found), std::move(inconsistent), std::move(doubts)}};
}

}  // namespace fathom::task
