#include "cli/verbs/identify/identify_arm.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model_file/arm_file.hpp"

#include "cli/finish.hpp"
#include "cli/shipped.hpp"
#include "cli/terminal/interrupt.hpp"
#include "cli/terminal/number_text.hpp"
#include "cli/verbs/identify/arm_notes.hpp"
#include "cli/verbs/identify/identify_arm_result.hpp"

namespace fathom::cli {
namespace {

using Estimator = identify::ArmFitOptions::Estimator;
using Coulomb = dynamics::ArmColumns::Coulomb;

std::string command_of(const ArmOptions& options) {
  const ArmOptions usual;
  std::string command = "identify --what arm --arm " + shell_word(options.arm);
  for (const std::string& log : options.logs) command += " --log " + shell_word(log);
  for (const std::string& test : options.tests) command += " --test " + shell_word(test);
  if (options.hold_out != usual.hold_out) command += fmt::format(" --hold-out {}", options.hold_out);
  if (!options.columns.empty()) command += " --columns " + shell_word(options.columns);
  if (options.by_current) command += " --by-current";
  if (!options.gains.empty()) command += " --gains " + shell_word(options.gains);
  if (options.friction != usual.friction) command += " --friction " + options.friction;
  if (options.no_offset) command += " --no-offset";
  if (options.no_motors) command += " --no-motors";
  if (options.derivatives != usual.derivatives) command += " --derivatives " + options.derivatives;
  if (options.cutoff_hz != usual.cutoff_hz) command += fmt::format(" --cutoff {}", options.cutoff_hz);
  if (options.rest_speed != usual.rest_speed) command += fmt::format(" --rest-speed {}", options.rest_speed);
  if (options.rest_shaft_speed) command += fmt::format(" --rest-shaft-speed {}", *options.rest_shaft_speed);
  if (options.medium != usual.medium) command += " --medium " + options.medium;
  if (!options.fit_water.empty()) command += " --fit-water " + shell_word(options.fit_water);
  if (!options.down.empty()) command += " --down " + shell_word(options.down);
  if (options.spread != usual.spread) command += fmt::format(" --spread {}", options.spread);
  if (options.density) command += fmt::format(" --density {}", *options.density);
  if (options.estimator != usual.estimator) command += " --estimator " + options.estimator;
  return command;
}

Eigen::VectorXd numbers_of(const std::string& text, const std::string& option, const char* such_as) {
  std::vector<double> numbers;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const auto number = number_in(std::string_view(text).substr(from, comma - from));
    if (!number) reject(option, fmt::format("= {}, expected numbers with commas", in_quotes(text)), such_as);
    numbers.push_back(*number);
    from = comma + 1;
  }
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

void check_arm_options(const ArmOptions& options) {
  if (options.arm.empty()) reject("--arm", "is missing: --what arm needs one", "--arm NAME, or FILE.urdf");
  if (options.logs.empty()) reject("--log", "is missing: --what arm learns from runs", "--log FILE.csv");
  if (!(options.hold_out >= 0 && options.hold_out < 0.9))
    reject(
        "--hold-out", fmt::format("= {}, must be a share from 0 to below 0.9", options.hold_out),
        options.hold_out >= 1 ? fmt::format("{:g} % is {:g}", options.hold_out, options.hold_out / 100) : "");
  for (const auto& [value, name] : {std::pair(options.cutoff_hz, "--cutoff"), {options.spread, "--spread"}})
    if (!(value > 0)) reject(name, fmt::format("= {}, must be above 0", value));
  if (options.rest_speed < 0)
    reject("--rest-speed", fmt::format("= {}, must be 0 or more", options.rest_speed));
  if (options.rest_shaft_speed && *options.rest_shaft_speed < 0)
    reject("--rest-shaft-speed", fmt::format("= {}, must be 0 or more", *options.rest_shaft_speed));
  if (!options.gains.empty() && !options.by_current)
    reject("--gains", "are N m per ampere", "with --by-current");
}

Estimator estimator_of(const std::string& word) {
  if (word == "consistent") return Estimator::consistent;
  if (word == "ordinary") return Estimator::ordinary;
  if (word == "weighted") return Estimator::weighted;
  if (word == "robust") return Estimator::huber;
  reject("--estimator", fmt::format("= {} is not for --what arm", word),
         "consistent, ordinary, weighted or robust");
}

bool is_wet(const model::Arm& arm) {
  for (const model::Link& link : arm.links())
    if (link.body.volume.value > 0) return true;
  return false;
}

Vec3 down_of(const ArmOptions& options, const std::string& file) {
  if (options.down.empty()) return file.ends_with(".urdf") ? Vec3(-Vec3::UnitZ()) : Vec3(Vec3::UnitZ());
  const Eigen::VectorXd down = numbers_of(options.down, "--down", "such as 0,0,-1");
  if (down.size() != 3 || down.norm() == 0)
    reject("--down", fmt::format("= {}, expected three numbers that are not all 0", options.down),
           "such as 0,0,-1");
  return down.normalized();
}

/// "buoyancy,drag": what of the water is unknown.
void fit_water(const ArmOptions& options, bool is_in_water, dynamics::ArmColumns& columns) {
  if (options.fit_water.empty()) return;
  std::size_t from = 0;
  while (from <= options.fit_water.size()) {
    const std::size_t comma = std::min(options.fit_water.find(',', from), options.fit_water.size());
    const std::string word = options.fit_water.substr(from, comma - from);
    bool* const column = word == "buoyancy"     ? &columns.buoyancy
                         : word == "added-mass" ? &columns.added_mass
                         : word == "drag"       ? &columns.drag
                                                : nullptr;
    if (!column)
      reject("--fit-water",
             fmt::format("= {}: {} is not of water", in_quotes(options.fit_water), in_quotes(word)),
             "buoyancy, added-mass, drag, with commas");
    *column = true;
    from = comma + 1;
  }
  if (!is_in_water) reject("--fit-water", "is of water, but the arm is in air", "--medium water");
}

identify::ArmFitOptions fit_options_of(const ArmOptions& options, const model::Arm& arm,
                                       const std::string& file) {
  identify::ArmFitOptions fit;
  fit.estimator = estimator_of(options.estimator);
  fit.by_current = options.by_current;
  fit.rest_speed = options.rest_speed;
  fit.rest_shaft_speed = options.rest_shaft_speed;
  if (options.rest_shaft_speed && !arm.has_motor())
    reject("--rest-shaft-speed", fmt::format("does nothing: no joint of {} has a motor", in_quotes(arm.name())),
           "--rest-speed is that of joints");
  fit.spread = options.spread;
  fit.down_b = down_of(options, file);
  const bool wet = options.medium == "auto" ? is_wet(arm) : options.medium == "water";
  fit.medium = wet ? dynamics::Medium::water : dynamics::Medium::air;
  fit.environment = model::Environment(options.density.value_or(model::fresh_water));
  fit.columns.motor = arm.has_motor() && !options.no_motors;
  const std::string friction =
      options.friction == "auto" ? (fit.columns.motor ? "none" : "coulomb") : options.friction;
  fit.columns.viscous = friction != "none";
  fit.columns.coulomb = friction == "coulomb"     ? Coulomb::symmetric
                        : friction == "direction" ? Coulomb::by_direction
                                                  : Coulomb::none;
  fit.columns.offset = !options.no_offset;
  fit_water(options, wet, fit.columns);
  return fit;
}

/// Runs with velocities and accelerations; the last share of each log is held out where asked.
std::vector<ScoredRun> read_runs(const ArmOptions& options, const model::Arm& arm) {
  const identify::ArmRunColumns columns = options.columns.empty()
                                              ? identify::ArmRunColumns()
                                              : identify::parse_arm_columns(options.columns, "--columns");
  identify::ArmRunOptions how;
  how.cutoff_hz = options.cutoff_hz;
  if (options.derivatives == "spline") how.derivatives = identify::ArmRunOptions::Derivatives::spline;
  std::vector<ScoredRun> runs;
  const auto read = [&](const std::string& file) {
    throw_if_interrupted();
    const identify::ArmRun run = identify::read_arm_run(file, arm, columns);
    try {
      return identify::prepare(run, how);
    } catch (const InputError& error) {
      throw said_of_option(error, "cutoff_hz", "--cutoff");
    }
  };
  for (const std::string& file : options.logs) {
    const identify::ArmRun run = read(file);
    const auto seen =
        static_cast<Eigen::Index>(std::round((1 - options.hold_out) * static_cast<double>(run.samples())));
    runs.push_back({part_of(run, 0, seen), true});
    if (seen == run.samples()) continue;
    runs.push_back({part_of(run, seen, run.samples()), false});
    runs.back().run.name += ", held out";
  }
  for (const std::string& file : options.tests) runs.push_back({read(file), false});
  return runs;
}

/// The arm as the file has it, or with the gains that were given or that the first run's controller tells.
model::Arm arm_with_gains(const ArmOptions& options, const model::Arm& arm, ArmResult& result) {
  if (!options.by_current) return arm;
  if (!options.gains.empty())
    return identify::with_drives(arm, numbers_of(options.gains, "--gains", "such as 12,12,10"), "--gains");
  const identify::ArmRun& run = result.runs.front().run;
  if (run.wanted_torque.size() == 0) {
    for (const model::Joint& joint : arm.joints())
      if (!joint.actuator)
        reject("--by-current",
               fmt::format("needs motors, but joint {} has no actuator that says what an ampere makes",
                           in_quotes(joint.name)),
               "--gains X,... for all joints, or efforts in N m");
    return arm;
  }
  result.gains = identify::drive_gains(run, arm, options.rest_speed);
  Eigen::VectorXd gains(static_cast<Eigen::Index>(arm.size()));
  for (std::size_t k = 0; k < arm.size(); ++k) gains[static_cast<Eigen::Index>(k)] = result.gains[k].gain;
  return identify::with_drives(arm, gains, "what the controller wanted of current and torque in " + run.name);
}

/// Every run by the fit, and by the arm's own numbers as its file has them.
void score_runs(const model::Arm& arm, ArmResult& result) {
  for (ScoredRun& one : result.runs) {
    one.scores = score(*result.fit, one.run);
    one.own = score_of_file(arm, result.fit->options, one.run);
  }
}

/// What is unknown of the arm, and where it stands.
void add_arm_model_options(CLI::App& app, ArmOptions& options) {
  app.add_option(
         "--friction", options.friction,
         "Of the arm's joints: none, viscous, coulomb (and viscous), direction (one for each); auto: that "
         "of motors, else coulomb")
      ->check(is_word({"auto", "none", "viscous", "coulomb", "direction"}))
      ->option_text("WORD=auto");
  app.add_flag("--no-offset", options.no_offset, "No constant effort on the arm's joints");
  app.add_flag("--no-motors", options.no_motors, "Inertia and friction of the arm's motors are left out");
  app.add_option("--medium", options.medium, "Of the arm: water, air; auto: water where its links have volumes")
      ->check(is_word({"auto", "water", "air"}))
      ->option_text("WORD=auto");
  app.add_option(
         "--fit-water", options.fit_water,
         "What of the water is unknown too: buoyancy, added-mass, drag; the rest is as the arm's file has it")
      ->option_text("WORD,...");
  app.add_option("--down", options.down, "In the frame of the arm's base; default 0,0,1, of a URDF 0,0,-1")
      ->option_text("X,Y,Z");
  app.add_option(
         "--spread", options.spread,
         "How well the arm's file knows its links, one sigma as a share: what no motion shows stays near it")
      ->check(is_number("share"))
      ->option_text("SHARE=1");
}

}  // namespace

void add_arm_options(CLI::App& app, ArmOptions& options) {
  app.add_option("--arm", options.arm,
                 "With --what arm: an arm that ships, an arm file or a URDF; --log are CSV files")
      ->option_text("NAME|FILE");
  app.add_option("--test", options.tests, "Run of the arm that nothing is learnt from; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("FILE");
  app.add_option("--hold-out", options.hold_out, "Share of each --log, at its end, that nothing is learnt from")
      ->check(is_number("share"))
      ->option_text("SHARE=0");
  app.add_option(
         "--columns", options.columns,
         "Of the CSV files, where names do not say it: time=t,q=q1..q7,effort=tau1..tau7; shaft in place of q: "
         "angles of the motors' shafts, rad; a column of a file without header is its number; wanted_effort "
         "and "
         "wanted_torque tell gains")
      ->option_text("ROLE=NAMES,...");
  app.add_flag("--by-current", options.by_current, "Efforts of the arm are currents of its motors");
  app.add_option("--gains", options.gains, "N m per ampere of each joint, in place of the arm's actuators")
      ->option_text("X,...");
  app.add_option(
         "--derivatives", options.derivatives,
         "Of the arm's positions: zero-phase (default; Butterworth, order 3, forward and backward) or spline")
      ->check(is_word({"zero-phase", "spline"}))
      ->option_text("WORD");
  app.add_option("--cutoff", options.cutoff_hz, "Of zero-phase")
      ->check(is_number("frequency"))
      ->option_text("HZ=10");
  app.add_option(
         "--rest-speed", options.rest_speed,
         "rad/s: samples of an arm's joint below it are left out, dry friction does not say its force there")
      ->check(is_number("speed"))
      ->option_text("X=0.02");
  app.add_option(
         "--rest-shaft-speed", options.rest_shaft_speed,
         "rad/s of the shaft, in place of --rest-speed for joints with a motor, which sticks by its own "
         "speed; some 40 increments a second of its counter. Default: --rest-speed for all")
      ->check(is_number("speed"))
      ->option_text("X");
  add_arm_model_options(app, options);
}

int identify_arm(const Verb& verb, const ArmOptions& options) {
  check_arm_options(options);
  const std::filesystem::path file = find_arm_file(options.arm);
  const model::Arm arm = model::read_arm(file.string());
  std::vector<std::filesystem::path> inputs = {file};
  inputs.insert(inputs.end(), options.logs.begin(), options.logs.end());
  inputs.insert(inputs.end(), options.tests.begin(), options.tests.end());
  OutputFolder out(verb.out_folder(arm.name()),
                   {verb.name(), inputs, {"arm.yaml", "report.html", "summary.json"}});
  ArmResult result;
  result.command = command_of(options);
  result.estimator = options.estimator;
  result.notes = notes_of_reading(arm, file.string());
  result.runs = read_runs(options, arm);
  const model::Arm driven = arm_with_gains(options, arm, result);
  if (options.rest_shaft_speed && (!options.gains.empty() || !result.gains.empty()))
    reject("--rest-shaft-speed",
           "does nothing: gains per joint took the place of the motors, so there are no shafts",
           "--rest-speed is that of joints");
  std::vector<identify::ArmRun> seen;
  std::vector<std::string> names;
  for (const ScoredRun& one : result.runs)
    if (one.seen) {
      seen.push_back(one.run);
      names.push_back(one.run.name);
    }
  throw_if_interrupted();
  result.fit = fit_arm(driven, seen, fit_options_of(options, driven, file.string()));
  score_runs(driven, result);
  if (result.fit->consistent)
    result.after =
        identified_arm(*result.fit, fmt::format("fathom identify --what arm, from {}", join(names, ", ")));
  finish(verb, summary_of(result), write_files(result, out), text_of(result), out);
  for (const std::string& note : result.notes) warn("fathom: " + note);
  return Status::done;
}

}  // namespace fathom::cli
