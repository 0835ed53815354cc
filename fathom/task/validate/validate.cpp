#include "fathom/task/validate/validate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/baselines.hpp"
#include "fathom/identify/vehicle/current_fit.hpp"
#include "fathom/identify/vehicle/regression.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/identify/vehicle/thruster_lag.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/task/internal/beyond_range.hpp"
#include "fathom/task/internal/option_table.hpp"
#include "fathom/task/internal/summary_json.hpp"

namespace fathom {

template <>
const fields::Keys& fields::Table<task::ValidateOptions>::fields() {
  using task::ValidateOptions;
  static const Keys keys{
      inherited<ValidateOptions, task::LogOptions>(),
      field<&ValidateOptions::dof>("dof")
          .words({"4", "6", "auto"})
          .doc("Degrees of freedom; auto: six only where the logs need them."),
      field<&ValidateOptions::delay>("delay")
          .unit("s")
          .between(0, identify::RegressionOptions().most_delay)
          .metavar("S")
          .by_default("that of the estimate in the robot file, or 0")
          .doc("Command delay."),
      field<&ValidateOptions::current>("current")
          .unit("m/s")
          .metavar("N E")
          .by_default("estimated from the first 20 % of each log, which are then not scored")
          .doc("Water current, north and east; 0 0 for still water."),
      field<&ValidateOptions::window>("window").between(0, 1).metavar("SHARE").doc(
          "Window of dynamic time warping, as a share of the log."),
      field<&ValidateOptions::slope>("slope")
          .words({"free", "symmetric"})
          .doc("Slope of dynamic time warping; symmetric: at least one of any two warping steps is diagonal."),
      field<&ValidateOptions::ends>("ends")
          .words({"closed", "open-end", "open"})
          .doc("Ends of dynamic time warping that meet."),
      field<&ValidateOptions::measured_tilt>("measured_tilt")
          .doc("Take roll, pitch and their rates of a 4-DoF model from the log; it does not predict them."),
      field<&ValidateOptions::horizon>("horizon").unit("s").at_least(0).metavar("S").doc(
          "Time after which to start anew from the measurement; 0: never."),
      field<&ValidateOptions::limit>("limit")
          .at_most(1)
          .hint("R2 is never above 1")
          .metavar("R2")
          .doc("Least median R2 of surge, sway, heave and yaw; below it the exit status is 1."),
      field<&ValidateOptions::seen>("seen").metavar("DIR").doc(
          "Folder of a log that the robot was identified from; may be repeated. The residuals of the bands, "
          "the "
          "range of the data and the line per axis that is scored beside the robot are of these logs; without "
          "them they are those of the robot file."),
      field<&ValidateOptions::members>("members").between(0, 10000).doc(
          "Simulations in the prediction bands; 0: no bands.")};
  return keys;
}

}  // namespace fathom

namespace fathom::task {
namespace {

using identify::WarpOptions;
using model::Dof;
using Summary = ValidateSummary;

constexpr int least_members = 8;

identify::ValidationOptions validation_options(const ValidateOptions& options, const model::Robot& robot,
                                               const identify::DataStatistics& statistics = {}) {
  identify::ValidationOptions result;
  result.residual = statistics.residual;
  result.range = statistics.range;
  if (robot.identified() && robot.identified()->delay) {
    result.prediction.delay = robot.identified()->delay->value;
    result.delay_sigma = robot.identified()->delay->sigma;
  }
  if (options.delay) {
    result.prediction.delay = *options.delay;
    result.delay_sigma = 0;
  }
  result.prediction.horizon = options.horizon;
  result.prediction.measured_tilt = options.measured_tilt;
  if (const auto& current = options.current)
    result.prediction.current_n.head<2>() << (*current)[0], (*current)[1];
  result.warp->window = options.window;
  if (options.slope == "symmetric") result.warp->slope = WarpOptions::Slope::symmetric;
  if (options.ends == "open-end") result.warp->ends = WarpOptions::Ends::open_end;
  if (options.ends == "open") result.warp->ends = WarpOptions::Ends::open;
  if (options.members > 0)
    result.band = identify::BandOptions{.members = options.members, .seed = options.seed};
  return result;
}

Summary::Spread spread(const identify::Spread& s) {
  return {s.median, {s.low_quartile, s.high_quartile}, {s.least, s.most}};
}

ByName<Summary::Velocity> over_logs(const identify::Validation& validation, bool with_coverage) {
  ByName<Summary::Velocity> list;
  for (const int i : model::free_indices(validation.dof)) {
    Summary::Velocity one{spread(validation.r2(i)), spread(validation.rmse(i)), {}};
    if (with_coverage) one.coverage = spread(validation.coverage(i));
    list.emplace_back(model::dof_name(i), std::move(one));
  }
  return list;
}

Summary::Log log_of(const identify::RecordingResult& result, const identify::Recording& recording, Dof dof) {
  Summary::Log log{result.name, result.samples, result.compared, result.prediction.starts,
                   result.prediction.diverged};
  for (const auto& drop : recording.dropped) log.dropped.push_back({drop.why, drop.samples});
  log.beyond_range = internal::beyond_range_of<Summary::Beyond>(
      result.beyond, static_cast<double>(std::max<std::size_t>(1, result.compared)));
  if (const auto& b = result.band) log.band = Summary::Band{b->step, b->redrawn, b->shrunk, b->ran_away};
  for (const int i : model::free_indices(dof)) {
    const identify::VelocityResult& v = result.velocities[static_cast<std::size_t>(i)];
    const identify::Metrics& m = v.metrics;
    log.velocities.emplace_back(
        model::dof_name(i),
        Summary::Score{m.r2, m.rmse, m.nrmse, m.mae, m.slope, m.pearson, v.warp_mean, v.coverage, v.noise});
  }
  return log;
}

Summary::FourOrSix four_or_six(const identify::DofComparison& comparison, const identify::Validation& four,
                               const identify::Validation& six) {
  return {comparison.four,    comparison.six,         comparison.noise,     comparison.six_is_better,
          comparison.verdict, over_logs(four, false), over_logs(six, false)};
}

/// Of the axes that move in some log.
ByName<Summary::Baselines> baselines_of(const identify::ComparedScores& scores,
                                        const identify::Validation& validation) {
  ByName<Summary::Baselines> list;
  const identify::VehicleScore &ours = scores.ours, &linear = scores.linear;
  for (const int i : identify::scored_velocities) {
    if (validation.r2(i).count == 0) continue;
    list.emplace_back(model::dof_name(i),
                      Summary::Baselines{{ours.r2[i], linear.r2[i], linear.constant_r2[i]},
                                         {ours.error_over_spread[i], linear.error_over_spread[i],
                                          linear.constant_error_over_spread[i]},
                                         scores.gain(i),
                                         scores.ratio(i),
                                         scores.gain_sigma(i),
                                         scores.ratio_sigma(i)});
  }
  return list;
}

/// Logs that the robot was identified from, by their names: on them a model looks better than it is.
std::vector<std::string> seen_before(const model::Robot& robot,
                                     const std::vector<identify::Recording>& recordings) {
  std::vector<std::string> names;
  if (!robot.identified()) return names;
  const std::string& source = robot.identified()->source;  // "... from day1, day2", by `fathom identify`
  const std::size_t from = source.rfind(" from ");
  if (from == std::string::npos) return names;
  const std::string logs = ", " + source.substr(from + 6) + ",";
  for (const identify::Recording& recording : recordings)
    if (logs.find(", " + recording.name + ",") != std::string::npos) names.push_back(recording.name);
  return names;
}

/// Adds the logs that are given as seen too, whatever their path.
void add_seen(const ValidateOptions& options, Summary& s) {
  std::error_code error;
  std::vector<std::string>& names = s.identified_from;
  for (std::size_t k = 0; k < options.log.size(); ++k)
    for (const std::string& seen : options.seen)
      if (std::filesystem::equivalent(options.log[k], seen, error) &&
          std::find(names.begin(), names.end(), s.logs[k].name) == names.end())
        names.push_back(s.logs[k].name);
}

double least_r2(const identify::Validation& validation) {
  double least = nan;
  for (const int i : identify::scored_velocities) {
    const double median = validation.r2(i).median;
    if (std::isfinite(median) && !(least <= median)) least = median;
  }
  return least;
}

std::vector<std::string> reasons_of(const Summary& s) {
  std::vector<std::string> reasons;
  for (const std::string& name : s.not_compared)
    reasons.push_back(
        fmt::format("nothing of {} was compared: no sample is both measured and predicted", name));
  if (std::any_of(s.logs.begin(), s.logs.end(), [](const auto& log) { return log.ran_away > 0; }))
    reasons.emplace_back("the model runs away on these inputs");
  if (s.limit && !(s.least_r2 >= *s.limit))
    reasons.push_back(
        fmt::format("the least median R2 is {:.3f}, below the limit of {:g}", s.least_r2, *s.limit));
  return reasons;
}

/// Takes from each log the first part, to estimate its current; a log whose part is too short is in still
/// water.
std::vector<identify::CurrentFit> currents_of(const model::Robot& robot, const model::Environment& environment,
                                              std::vector<identify::Recording>& recordings, double delay,
                                              const identify::CurrentFitOptions& options, bool takes_the_part) {
  const dynamics::Vehicle vehicle(robot, environment,
                                  robot.identified() ? identify::dof_of_estimate(robot) : Dof::four);
  const auto residual = identify::stored_statistics(robot).residual;
  std::vector<identify::CurrentFit> out;
  for (identify::Recording& recording : recordings) {
    const auto found = identify::fit_current(vehicle, recording, delay, residual, options);
    out.push_back(found.value_or(identify::assumed_still_water(options)));
    if (!takes_the_part || out.back().until == 0) continue;
    const auto end = recording.usable.begin() + out.back().until;
    const auto used = static_cast<std::size_t>(std::count(recording.usable.begin(), end, 1));
    std::fill(recording.usable.begin(), end, 0);
    recording.dropped.push_back({"current estimated from them", used});
  }
  return out;
}

/// The statistics of the seen logs.
identify::DataStatistics statistics_of_seen(const model::Robot& robot, const ValidateOptions& options,
                                            const model::Environment& environment,
                                            std::vector<identify::Recording> seen) {
  const double delay = validation_options(options, robot).prediction.delay;
  std::vector<identify::Nuisance> at(seen.size());
  if (!options.current) {
    const identify::CurrentFitOptions fitting{.share = 1, .measured_tilt = options.measured_tilt};
    const auto currents = currents_of(robot, environment, seen, delay, fitting, false);
    for (std::size_t k = 0; k < at.size(); ++k) at[k].current_n = currents[k].current_n;
  } else {
    for (identify::Nuisance& one : at) one.current_n.head<2>() << (*options.current)[0], (*options.current)[1];
  }
  for (identify::Nuisance& one : at) one.delay = delay;
  return identify::statistics_of(robot, environment, seen, at, {}, false);
}

std::vector<identify::Recording> read_seen(const model::Robot& robot, const ValidateOptions& options,
                                           const model::Environment& environment, const Context& context) {
  LogOptions seen = options;
  seen.log = options.seen;
  seen.from.reset();
  seen.until.reset();
  return read_logs(seen, robot, environment, context, LogUse::predict);
}

/// The chosen degrees of freedom beside simple models of the logs that the robot was identified from.
identify::ComparedScores compared(const model::Robot& robot, const identify::LinePerAxis& line,
                                  const identify::ValidationOptions& how, const model::Environment& environment,
                                  const ValidateResult::Evidence& evidence) {
  identify::BaselineOptions options;
  options.delay = how.prediction.delay;
  options.measured_tilt = how.prediction.measured_tilt;
  for (std::size_t k = 0; k < evidence.recordings.size(); ++k)
    options.currents_n.push_back(how.prediction_of(k).current_n);
  return identify::compare_with_baselines(dynamics::Vehicle(robot, environment, evidence.chosen.dof),
                                          evidence.recordings, line, options);
}

void add_baselines(const model::Robot& robot, const identify::DataStatistics& statistics,
                   const identify::ValidationOptions& how, const model::Environment& environment,
                   const ValidateResult::Evidence& evidence, Summary& s) {
  if (!statistics.baseline) {
    s.why_no_baselines =
        "the robot file has no line per axis (`identified: baseline:`); name logs of the same vehicle by "
        "--seen";
    return;
  }
  try {
    s.baselines =
        baselines_of(compared(robot, *statistics.baseline, how, environment, evidence), evidence.chosen);
  } catch (const InputError& error) {
    s.why_no_baselines = error.findings().front().text();
  }
}

Summary::Current current_of(const identify::ValidationOptions& how, std::size_t log,
                            const identify::Recording& recording) {
  const Vec3 current_n = how.prediction_of(log).current_n;
  Summary::Current current{{current_n.x(), current_n.y()}, {}, "given", {}};
  if (how.currents.empty()) return current;
  const identify::CurrentFit& fit = how.currents[log];
  current.sigma = {std::sqrt(fit.covariance(0, 0)), std::sqrt(fit.covariance(1, 1))};
  current.source = fit.until > 0 ? "estimated" : "still water assumed";
  if (fit.until > 0) current.until_s = recording.track.t(fit.until);
  return current;
}

/// By the statistics of the data that the model comes from, `words` in the summary.
ValidateResult validated(const model::Robot& robot, const model::Environment& environment,
                         std::vector<identify::Recording> recordings, const ValidateOptions& options,
                         const identify::DataStatistics& statistics, const std::string& words,
                         const Context& context) {
  ThreadPool pool = context.pool();
  identify::ValidationOptions how = validation_options(options, robot, statistics);
  if (!options.current)
    how.currents = currents_of(robot, environment, recordings, how.prediction.delay,
                               {.measured_tilt = options.measured_tilt}, true);
  identify::ValidationOptions plain = how;
  plain.band.reset();
  plain.warp.reset();
  const auto in = [&](Dof dof) {
    throw_if(context.stop);
    return identify::validate(robot, environment, dof, recordings, plain, pool);
  };
  Summary s;
  ValidateResult::Evidence evidence;
  if (options.compare) {
    identify::Validation four = in(Dof::four), six = in(Dof::six);
    const identify::DofComparison comparison = identify::compare_dof(four, six);
    s.four_or_six = four_or_six(comparison, four, six);
    if (options.dof == "6" || (options.dof == "auto" && comparison.six_is_better)) std::swap(four, six);
    evidence.chosen = std::move(four);
    evidence.other = std::move(six);
  } else {
    evidence.chosen = in(options.dof == "4" ? Dof::four : Dof::six);
  }
  identify::Validation& chosen = evidence.chosen;
  if (options.warp) identify::add_warps(chosen, recordings, *how.warp, pool);
  if (how.band) identify::add_bands(chosen, robot, environment, recordings, how, pool);
  throw_if(context.stop);

  s.version = version();
  s.command = internal::command_of("validate", options) + fmt::format(" --seed {}", options.seed);
  s.robot = robot.name();
  s.seed = options.seed;
  s.dof = static_cast<int>(chosen.dof);
  s.measured_tilt = how.prediction.measured_tilt && chosen.dof != Dof::six;
  s.delay_s = how.prediction.delay;
  s.horizon_s = how.prediction.horizon;
  s.has_covariance = chosen.has_covariance;
  s.residual = how.residual ? words : "none";
  s.residual_is_6dof = how.residual && robot.identified() && robot.identified()->structure.starts_with("6dof");
  s.limit = options.limit;
  s.least_r2 = least_r2(chosen);
  s.identified_from = seen_before(robot, recordings);
  s.velocities = over_logs(chosen, how.band.has_value());
  for (std::size_t k = 0; k < recordings.size(); ++k) {
    s.logs.push_back(log_of(chosen.recordings[k], recordings[k], chosen.dof));
    s.logs.back().current = current_of(how, k, recordings[k]);
    if (s.logs.back().compared == 0) s.not_compared.push_back(s.logs.back().name);
  }
  s.good = reasons_of(s).empty();
  evidence.recordings = std::move(recordings);
  add_baselines(robot, statistics, how, environment, evidence, s);
  return {{std::move(s)}, std::move(evidence)};
}

}  // namespace

void ValidateOptions::check() const {
  LogOptions::check();
  fields::check_values(*this);
  require(members == 0 || members >= least_members, "--members",
          fmt::format("= {}, must be 0, or {} or more", members, least_members));
  require(!measured_tilt || dof != "6", "--measured-tilt",
          "is of a model without roll and pitch: with --dof 6 they are predicted");
}

ValidateResult validate(const model::Robot& robot, const model::Environment& environment,
                        std::vector<identify::Recording> recordings, const ValidateOptions& options,
                        const Context& context) {
  // A recording has the lag of the robot that it was made with, and an identified robot has another one.
  if (identify::stated_lag(robot, recordings))
    identify::set_lag(recordings, robot, environment, identify::lag_of(robot));
  return validated(robot, environment, std::move(recordings), options, identify::stored_statistics(robot),
                   "of the robot file", context);
}

ValidateResult validate(const ValidateOptions& options, const Context& context) {
  options.check();
  return validate(model::read_robot(context.paths.robot(options.robot)), options, context);
}

ValidateResult validate(const model::Robot& robot, const ValidateOptions& options, const Context& context) {
  options.check();
  const model::Environment environment = options.environment(robot);
  std::vector<identify::Recording> recordings =
      read_logs(options, robot, environment, context, LogUse::predict);
  if (options.seen.empty())
    return validated(robot, environment, std::move(recordings), options, identify::stored_statistics(robot),
                     "of the robot file", context);
  const identify::DataStatistics statistics =
      statistics_of_seen(robot, options, environment, read_seen(robot, options, environment, context));
  ValidateResult result =
      validated(robot, environment, std::move(recordings), options, statistics, "of the seen logs", context);
  add_seen(options, result.summary);
  if (robot.identified()) result.robot = identify::with_statistics(robot, statistics);
  return result;
}

// The keys of summary.json, in its order.
FATHOM_JSON(Summary::Spread, median, quartiles, range)
FATHOM_JSON(Summary::Velocity, r2, rmse, coverage)
FATHOM_JSON(Summary::FourOrSix, error_4dof, error_6dof, noise, six_is_better, verdict, _4dof, _6dof)
FATHOM_JSON(Summary::Models, robot, linear, constant_velocity)
FATHOM_JSON(Summary::Baselines, acceleration_r2, free_run_error, gain, ratio, gain_sigma, ratio_sigma)
FATHOM_JSON(Summary::Band, step_s, redrawn, shrunk, ran_away)
FATHOM_JSON(Summary::Current, north_east, sigma, source, until_s)
FATHOM_JSON(Summary::Beyond, name, unit, value, range, share)
FATHOM_JSON(Summary::Score, r2, rmse, nrmse, mae, slope, pearson, warp_mean, coverage, noise)
FATHOM_JSON(Summary::Log, name, samples, compared, starts, ran_away, dropped, current, beyond_range, band,
            velocities)
FATHOM_SUMMARY(ValidateSummary, version, command, robot, seed, dof, measured_tilt, delay_s, horizon_s,
               has_covariance, residual, residual_is_6dof, limit, least_r2, not_compared, identified_from, good,
               velocities, four_or_six, baselines, why_no_baselines, logs, files)

std::vector<std::string> ValidateResult::reasons() const { return reasons_of(summary); }

std::vector<std::string> ValidateResult::warnings() const {
  std::vector<std::string> list;
  for (const std::string& name : summary.identified_from)
    list.push_back(name +
                   " is a log that the robot was identified from, as its source or --seen says: this is no "
                   "validation");
  for (const Summary::Log& log : summary.logs) {
    if (!log.beyond_range.empty())
      list.push_back(
          fmt::format("{} leaves the range of the identification: {}. This is "
                      "an extrapolation, and its band is wider",
                      log.name, internal::beyond_range_text(log.beyond_range)));
  }
  const bool has_bands = std::any_of(summary.logs.begin(), summary.logs.end(),
                                     [](const Summary::Log& log) { return log.band.has_value(); });
  if (summary.residual == "none" && has_bands)
    list.emplace_back(
        "the bands hold the parameters' uncertainty and the sensors' noise alone: the robot file has no "
        "residual "
        "statistics (`identified: residual:`); name logs of the same vehicle by --seen");
  if (summary.residual_is_6dof && summary.dof == 4 && has_bands)
    list.emplace_back(
        "the bands of this 4-DoF prediction have the residuals of a 6-DoF structure and may be too narrow, "
        "foremost in heave: use --dof 6");
  return list;
}

}  // namespace fathom::task
