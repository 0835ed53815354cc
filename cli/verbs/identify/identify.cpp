#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model_file/arm_file.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/task/identify/arm.hpp"
#include "fathom/task/identify/tank.hpp"
#include "fathom/task/identify/thruster.hpp"
#include "fathom/task/identify/vehicle.hpp"

#include "cli/run_task.hpp"
#include "cli/verb.hpp"

namespace fathom::cli {
namespace {

struct IdentifyVerb {
  std::string what = "vehicle";
  task::IdentifyVehicleOptions vehicle;
  task::IdentifyThrusterOptions thruster;
  task::TankOptions tank;
  task::IdentifyArmOptions arm;
  /// Each option with the words of --what that take it; none: all do.
  std::vector<std::pair<const CLI::Option*, std::vector<std::string>>> users = {};
};

bool is_given(const IdentifyVerb& options, const std::string& flag) {
  return std::any_of(options.users.begin(), options.users.end(), [&](const auto& entry) {
    return entry.first->get_name() == flag && entry.first->count() > 0;
  });
}

/// An option that would do nothing is a slip.
void reject_unused(const IdentifyVerb& options) {
  for (const auto& [option, words] : options.users)
    if (option->count() > 0 && !words.empty() &&
        std::find(words.begin(), words.end(), options.what) == words.end())
      reject(option->get_name(),
             fmt::format("does nothing with --what {}: it is of --what {}", options.what, join(words, " and ")),
             "leave it out");
}

void check_vehicle(const IdentifyVerb& options) {
  if (options.vehicle.robot.empty()) throw CLI::RequiredError("--robot");
  if (options.vehicle.log.empty()) throw CLI::RequiredError("--log");
  options.vehicle.LogOptions::check();
  if (!options.tank.campaign.empty()) reject("--campaign", "is for --what towing and --what decay");
  reject_unused(options);
}

int run_tank(const Verb& verb, const IdentifyVerb& options) {
  if (!options.vehicle.log.empty() || !options.thruster.table.empty())
    reject("--what", options.what + " takes a --campaign, no --log and no --table");
  reject_unused(options);
  const task::TankOptions tank{options.tank.campaign, options.vehicle.robot, options.vehicle.density};
  const task::Context context = context_of(verb.common());
  const auto finish = [&](auto result) {
    OutputFolder out(
        verb.out_folder(result.summary.name),
        {verb.name(), result.inputs, {"result.yaml", "robot.yaml", "report.html", "summary.json"}});
    return finish_task(verb, std::move(result), out);
  };
  return options.what == "towing" ? finish(task::identify_towing(tank, context))
                                  : finish(task::identify_decay(tank, context));
}

int run_arm(const Verb& verb, const IdentifyVerb& options) {
  if (!options.vehicle.robot.empty() || !options.thruster.table.empty() || !options.tank.campaign.empty())
    reject("--what", "arm takes an --arm and --log, no --robot, no --table and no --campaign");
  reject_unused(options);
  task::IdentifyArmOptions arm = options.arm;
  arm.log = options.vehicle.log;
  arm.test = options.thruster.test;
  arm.density = options.vehicle.density;
  if (is_given(options, "--estimator")) arm.estimator = options.vehicle.estimator;  // the defaults differ
  arm.check();
  const task::Context context = context_of(verb.common());
  const auto file = context.paths.arm(arm.arm);
  const model::Arm read = model::read_arm(file.string());  // once: it may be a pipe
  OutputFolder out(verb.out_folder(read.name()),
                   {verb.name(), arm.inputs(file), {"arm.yaml", "report.html", "summary.json"}});
  return finish_task(verb, task::identify_arm(read, arm, context), out);
}

int run_thruster(const Verb& verb, const IdentifyVerb& options) {
  if (!options.vehicle.robot.empty() || !options.vehicle.log.empty() || !options.tank.campaign.empty())
    reject("--what", "thruster takes a --table, no --robot, no --log and no --campaign");
  reject_unused(options);
  options.thruster.check();
  OutputFolder out(verb.out_folder(options.thruster.name),
                   {verb.name(), options.thruster.inputs(), {"thruster.yaml", "report.html", "summary.json"}});
  return finish_task(verb, task::identify_thruster(options.thruster, context_of(verb.common())), out);
}

int run(const Verb& verb, const IdentifyVerb& options) {
  if (options.what == "arm") return run_arm(verb, options);
  if (options.what == "towing" || options.what == "decay") return run_tank(verb, options);
  if (options.what == "thruster") return run_thruster(verb, options);
  check_vehicle(options);
  options.vehicle.check();
  const task::Context context = context_of(verb.common());
  const auto file = context.paths.robot(options.vehicle.robot);
  const model::Robot robot = model::read_robot(file);  // once: it may be a pipe
  OutputFolder out(verb.out_folder(robot.name()),
                   {verb.name(), options.vehicle.inputs(file), {"robot.yaml", "report.html", "summary.json"}});
  return finish_task(verb, task::identify_vehicle(robot, options.vehicle, context), out);
}

/// Notes which words of --what take the options that were added since it was last called, apart from the
/// `shared` ones.
void note_users(const CLI::App& app, const std::vector<std::string>& words, IdentifyVerb& options) {
  const std::map<std::string, std::vector<std::string>> shared = {
      {"--robot", {"vehicle", "towing", "decay"}},
      {"--log", {"vehicle", "arm"}},
      {"--test", {"arm", "thruster"}},
      {"--density", {"vehicle", "arm", "towing", "decay"}},
      {"--estimator", {"vehicle", "arm"}}};
  const auto all = app.get_options();
  for (std::size_t k = options.users.size(); k < all.size(); ++k) {
    const auto found = shared.find(all[k]->get_name());
    options.users.emplace_back(all[k], found == shared.end() ? words : found->second);
  }
}

/// Adds flags for the options that the app does not have yet.
template <class Options>
void add_own_flags(CLI::App& app, Options& options) {
  std::vector<fields::Flag> flags = fields::flags<Options>();
  std::erase_if(flags, [&](const fields::Flag& flag) { return app.get_option_no_throw(flag.name); });
  add_flags(app, flags, &options);
}

void add_all(CLI::App& app, IdentifyVerb& options) {
  note_users(app, {}, options);  // --json, --out, --threads
  std::vector<fields::Flag> flags = fields::flags<task::IdentifyVehicleOptions>();
  for (fields::Flag& flag : flags) flag.is_required = false;  // --robot and --log are of a vehicle alone
  add_flags(app, flags, &options.vehicle);
  note_users(app, {"vehicle"}, options);
  app.add_option("--what", options.what,
                 "What to identify: vehicle, arm, thruster from a bollard test, drag by towing, or restoring "
                 "by free decay")
      ->check(is_word({"vehicle", "arm", "thruster", "towing", "decay"}))
      ->option_text("WORD=vehicle");
  note_users(app, {}, options);
  add_own_flags(app, options.thruster);
  note_users(app, {"thruster"}, options);
  add_own_flags(app, options.tank);
  note_users(app, {"towing", "decay"}, options);
  add_own_flags(app, options.arm);
  note_users(app, {"arm"}, options);
}

}  // namespace

void add_identify(CLI::App& program) {
  const std::string example =
      "fathom simulate tank-waypoints --out out/tank\n"
      "  fathom identify --robot bluerov2-heavy --log out/tank/log --structure diagonal --accept-bounds --out "
      "out/found";
  auto verb = std::make_shared<Verb>(
      program, "identify",
      "Finds parameters of a vehicle, an arm or a thruster, with their uncertainty, from logs and tests",
      example, Takes{.out = true, .threads = true});
  auto options = std::make_shared<IdentifyVerb>();
  add_all(verb->app(), *options);
  verb->app().footer(
      "Exit status: 0 done, 1 a bound was hit or a parameter is not seen (unless accepted), 2 bad input.\n"
      "A matrix of quadratic damping at its edge is no bound hit: drag that acts beside the body origin makes\n"
      "it singular.\n\nExample:\n  " +
      example +
      "\n\nThose below need the files of examples/ of Fathom's sources.\n\n"
      "Example of --what thruster, a map from a table and a transient from runs in time:\n"
      "  fathom identify --what thruster --table examples/thruster-inflow/towing.csv --steps "
      "examples/thruster-inflow/steps-1.csv --steps examples/thruster-inflow/steps-2.csv --out out/towed"
      "\n\nExample of --what arm, on the first 60 % of a run and judged on the rest:\n"
      "  fathom identify --what arm --arm examples/arm/arm.yaml --log examples/arm/run-1.csv --hold-out 0.4 "
      "--out "
      "out/arm");
  verb->runs([verb, options] { return run(*verb, *options); });
}

}  // namespace fathom::cli
