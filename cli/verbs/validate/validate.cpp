#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/identify/vehicle/baselines.hpp"
#include "fathom/identify/vehicle/regression.hpp"
#include "fathom/model/catalogue.hpp"
#include "fathom/model/robot_file.hpp"

#include "cli/finish.hpp"
#include "cli/shipped.hpp"
#include "cli/terminal/interrupt.hpp"
#include "cli/verb.hpp"
#include "cli/verbs/recordings.hpp"
#include "cli/verbs/validate/validate_result.hpp"

namespace fathom::cli {
namespace {

using identify::WarpOptions;
using model::Dof;

constexpr int least_members = 8, most_members = 10000;

struct ValidateOptions {
  LogOptions logs;
  std::string dof = "auto";
  std::optional<double> delay;  ///< absent: what was identified, or none
  std::vector<double> current;  ///< north, east
  double window = WarpOptions().window;
  std::string slope = "free", ends = "closed";
  double horizon = 0;
  std::optional<double> limit;
  int members = 64;
  std::vector<std::string> seen;  ///< logs that the robot was identified from
};

void check(const ValidateOptions& options) {
  check(options.logs);
  const auto in_seconds = [](double s) { return std::isfinite(s) && s >= 0; };
  const double most_delay = identify::RegressionOptions().most_delay;
  require(!options.delay || (in_seconds(*options.delay) && *options.delay <= most_delay), "--delay",
          fmt::format("= {} s, must be from 0 to {:g}", options.delay.value_or(0), most_delay));
  require(in_seconds(options.horizon), "--horizon", fmt::format("= {} s, must be 0 or more", options.horizon));
  require(options.window >= 0 && options.window <= 1, "--window",
          fmt::format("= {}, must be a share from 0 to 1", options.window));
  require(!options.limit || *options.limit <= 1, "--limit",
          fmt::format("= {}, R2 is never above 1", options.limit.value_or(0)));
  require(options.members == 0 || options.members >= least_members, "--members",
          fmt::format("= {}, must be 0, or {} or more", options.members, least_members));
  for (const double v : options.current) require(std::isfinite(v), "--current", "must be two numbers in m/s");
}

identify::ValidationOptions validation_options(const ValidateOptions& options, const model::Robot& robot,
                                               std::uint64_t seed) {
  identify::ValidationOptions result;
  if (robot.identified() && robot.identified()->delay) {
    result.prediction.delay = robot.identified()->delay->value;
    result.delay_sigma = robot.identified()->delay->sigma;
  }
  if (options.delay) {
    result.prediction.delay = *options.delay;
    result.delay_sigma = 0;
  }
  result.prediction.horizon = options.horizon;
  if (!options.current.empty()) result.prediction.current_n.head<2>() << options.current[0], options.current[1];
  result.warp->window = options.window;
  if (options.slope == "symmetric") result.warp->slope = WarpOptions::Slope::symmetric;
  if (options.ends == "open-end") result.warp->ends = WarpOptions::Ends::open_end;
  if (options.ends == "open") result.warp->ends = WarpOptions::Ends::open;
  if (options.members > 0) result.band = identify::BandOptions{.members = options.members, .seed = seed};
  return result;
}

/// What was asked for, so that it can be asked for again.
std::string command_of(const ValidateOptions& options, std::uint64_t seed) {
  const ValidateOptions usual;
  std::string command = "validate" + options.logs.command();
  if (options.dof != usual.dof) command += " --dof " + options.dof;
  if (options.delay) command += fmt::format(" --delay {}", *options.delay);
  if (!options.current.empty()) command += fmt::format(" --current {}", fmt::join(options.current, " "));
  if (options.window != usual.window) command += fmt::format(" --window {}", options.window);
  if (options.slope != usual.slope) command += " --slope " + options.slope;
  if (options.ends != usual.ends) command += " --ends " + options.ends;
  if (options.horizon != usual.horizon) command += fmt::format(" --horizon {}", options.horizon);
  if (options.limit) command += fmt::format(" --limit {}", *options.limit);
  for (const std::string& log : options.seen) command += " --seen " + shell_word(log);
  if (options.members != usual.members) command += fmt::format(" --members {}", options.members);
  return command + fmt::format(" --seed {}", seed);
}

/// The chosen degrees of freedom beside simple models that were fitted to the logs that the robot was.
identify::ComparedScores compared(const ValidateOptions& options, const ValidateResult& result,
                                  const model::Environment& environment) {
  LogOptions seen = options.logs;
  seen.logs = options.seen;
  seen.from.reset();
  seen.until.reset();
  identify::BaselineOptions how;
  how.delay = result.options.prediction.delay;
  how.current_n = result.options.prediction.current_n;
  return identify::compare_with_baselines(dynamics::Vehicle(result.robot, environment, result.chosen.dof),
                                          result.recordings, read_logs(seen, result.robot, environment), how);
}

ValidateResult compute(const ValidateOptions& options, const Verb& verb, model::Robot robot) {
  const std::uint64_t seed = verb.common().seed;
  const model::Environment environment = environment_of(options.logs, robot);
  ThreadPool pool(verb.common().threads, was_interrupted);
  ValidateResult result{std::move(robot), {}, {}, {}, {}, {}, options.limit, seed, command_of(options, seed)};
  result.recordings = read_logs(options.logs, result.robot, environment);
  result.options = validation_options(options, result.robot, seed);
  identify::ValidationOptions plain = result.options;
  plain.band.reset();
  plain.warp.reset();
  const auto in = [&](Dof dof) {
    throw_if_interrupted();
    return identify::validate(result.robot, environment, dof, result.recordings, plain, pool);
  };
  result.chosen = in(Dof::four);
  result.other = in(Dof::six);
  result.comparison = identify::compare_dof(result.chosen, result.other);
  if (options.dof == "6" || (options.dof == "auto" && result.comparison.six_is_better))
    std::swap(result.chosen, result.other);
  identify::add_warps(result.chosen, result.recordings, *result.options.warp, pool);
  if (result.options.band)
    identify::add_bands(result.chosen, result.robot, environment, result.recordings, result.options, pool);
  throw_if_interrupted();
  if (!options.seen.empty()) result.baselines = compared(options, result, environment);
  return result;
}

int run(const Verb& verb, const ValidateOptions& options) {
  check(options);
  const auto file = model::find_robot_file(options.logs.robot, robot_folders());
  model::Robot robot = model::read_robot(file);
  OutputFolder out(verb.out_folder(robot.name()),
                   {verb.name(), inputs_of(options.logs, file), {"report.html", "summary.json"}});
  const ValidateResult result = compute(options, verb, std::move(robot));
  finish(verb, summary_of(result), write_files(result, out), text_of(result), out);
  for (const std::string& name : result.seen_before())
    warn(fmt::format(
        "fathom: warning: {} is a log that the robot was identified from, as its source says: this is no "
        "validation",
        name));
  for (const std::string& name : result.not_compared())
    warn(fmt::format("fathom: nothing of {} was compared: no sample is both measured and predicted", name));
  if (result.chosen.diverged()) warn("fathom: the model runs away on these inputs");
  if (result.below_limit())
    warn(fmt::format("fathom: the least median R2 is {:.3f}, below the limit of {:g}", result.least_r2(),
                     *result.limit));
  return result.good() ? Status::done : Status::check_failed;
}

void add_options(CLI::App& app, ValidateOptions& options) {
  app.add_option("--seen", options.seen,
                 "Folder of a log that the robot was identified from; may be repeated. A linear model of each "
                 "axis is fitted to them, and it and constant velocity are scored beside the robot")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("DIR");
  add_log_options(app, options.logs, "Folder of a log that the robot was not identified from; may be repeated");
  app.add_option("--dof", options.dof, "Degrees of freedom: 4, 6, or auto, what the logs need")
      ->check(is_word({"4", "6", "auto"}))
      ->option_text("WORD=auto");
  app.add_option("--delay", options.delay, "Seconds from command to wrench; what was identified where absent")
      ->check(is_number("delay"))
      ->option_text("S");
  app.add_option("--current", options.current, "Of the water, north and east, m/s")
      ->expected(2)
      ->check(is_number("velocity"))
      ->option_text("N E");
  app.add_option("--window", options.window, "Dynamic time warping: how far, as a share of the log")
      ->check(is_number("share"))
      ->option_text(fmt::format("SHARE={:g}", options.window));
  app.add_option("--slope", options.slope,
                 "Dynamic time warping: free, or symmetric, where of two steps one is diagonal")
      ->check(is_word({"free", "symmetric"}))
      ->option_text("WORD=free");
  app.add_option("--ends", options.ends, "Dynamic time warping: which ends meet: closed, open-end, open")
      ->check(is_word({"closed", "open-end", "open"}))
      ->option_text("WORD=closed");
  app.add_option("--horizon", options.horizon,
                 "Seconds after which to start anew from what was measured; 0 never")
      ->check(is_number("time"))
      ->option_text("S=0");
  app.add_option("--limit", options.limit,
                 "Least median R2 of surge, sway, heave and yaw; below it the exit status is 1")
      ->check(is_number("R2"))
      ->option_text("R2");
  app.add_option("--members", options.members, "Simulations in the prediction bands; 0: no bands")
      ->check(is_whole("number of members", 0, most_members))
      ->option_text("INT=64");
}

}  // namespace

void add_validate(CLI::App& program) {
  const std::string example =
      "fathom simulate tank-waypoints --out out/tank\n"
      "  fathom validate --robot bluerov2-heavy --log out/tank/log --out out/valid";
  auto verb = std::make_shared<Verb>(program, "validate",
                                     "Predicts unseen logs from their inputs alone, and says how well", example,
                                     Takes{.out = true, .seed = true, .threads = true});
  auto options = std::make_shared<ValidateOptions>();
  add_options(verb->app(), *options);
  verb->app().footer(
      "Exit status: 0 done, 1 below --limit, nothing compared or the model runs away, 2 bad "
      "input.\n\nExample:\n  " +
      example);
  verb->runs([verb, options] { return run(*verb, *options); });
}

}  // namespace fathom::cli
