#include "cli/verbs/identify/identify_tank.hpp"

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/identify/tank/tank_robot.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/model_file/catalogue.hpp"
#include "fathom/model_file/robot_file.hpp"

#include "cli/finish.hpp"
#include "cli/shipped.hpp"
#include "cli/verbs/identify/identify_tank_result.hpp"

namespace fathom::cli {
namespace {

std::string command_of(const std::string& what, const TankOptions& options) {
  std::string command = fmt::format("identify --what {} --campaign {}", what, shell_word(options.campaign));
  if (!options.robot.empty()) command += " --robot " + shell_word(options.robot);
  if (options.density) command += fmt::format(" --density {}", *options.density);
  return command;
}

std::string source_of(const std::string& what, int axis, const TankOptions& options) {
  return fmt::format("{}: fathom identify --what {}, from {}", model::dof_name(axis), what,
                     std::filesystem::path(options.campaign).filename().string());
}

std::optional<model::Robot> robot_before(const TankOptions& options) {
  if (options.robot.empty()) return std::nullopt;
  return robot_named(options.robot);
}

OutputFolder::Run run_of(const Verb& verb, const TankOptions& options,
                         const std::vector<identify::TankRun>& runs) {
  OutputFolder::Run run{
      verb.name(), {options.campaign}, {"result.yaml", "robot.yaml", "report.html", "summary.json"}};
  for (const identify::TankRun& one : runs) run.inputs.push_back(one.file);
  if (!options.robot.empty()) run.inputs.push_back(model::find_robot_file(options.robot, robot_folders()));
  return run;
}

void need_campaign(const TankOptions& options, const std::string& what) {
  if (options.campaign.empty())
    reject("--campaign", fmt::format("is missing: --what {} learns from a campaign in the tank", what),
           "--campaign FILE.yaml");
}

/// The drag of the tested axis, then that of axes which follow from it.
void put_into(const model::Robot& before, TowingResult& result) {
  const int axis = result.campaign.axis;
  const identify::AxisDrag drag = drag_of(result.found.fit.all);
  const Mat6& added = before.hull().added_mass.value;
  model::Robot robot = identify::with_axis_drag(before, axis, drag, result.source);
  for (const int other : result.campaign.suppose) {
    result.supposed.push_back(
        {other, identify::drag_by_added_mass(std::string(model::dof_name(axis)), drag, added(axis, axis),
                                             std::string(model::dof_name(other)), added(other, other))});
    robot = identify::with_axis_drag(robot, other, result.supposed.back().supposed.drag,
                                     result.supposed.back().supposed.about);
  }
  result.after = robot;
}

}  // namespace

void add_tank_options(CLI::App& app, TankOptions& options) {
  app.add_option(
         "--campaign", options.campaign,
         "With --what towing or decay: YAML that names the runs of a campaign in the tank; --robot is then the "
         "robot to put the result into")
      ->option_text("FILE");
}

int identify_towing(const Verb& verb, const TankOptions& options) {
  need_campaign(options, "towing");
  const std::optional<model::Robot> before = robot_before(options);
  TowingResult result{command_of("towing", options), "", identify::read_towing_campaign(options.campaign), {}};
  result.source = source_of("towing", result.campaign.axis, options);
  if (!before && !result.campaign.suppose.empty())
    reject(options.campaign, 0, "assume", "needs the added masses of a robot", "--robot NAME");
  std::vector<identify::TankRun> runs = result.campaign.runs;
  runs.insert(runs.end(), result.campaign.bracket_runs.begin(), result.campaign.bracket_runs.end());
  OutputFolder out(verb.out_folder(result.campaign.name), run_of(verb, options, runs));
  result.found = identify::identify_towing(result.campaign);
  if (before) put_into(*before, result);
  finish(verb, summary_of(result), write_files(result, out), text_of(result), out);
  return Status::done;
}

int identify_decay(const Verb& verb, const TankOptions& options) {
  need_campaign(options, "decay");
  const std::optional<model::Robot> before = robot_before(options);
  DecayResult result{command_of("decay", options), "", identify::read_decay_campaign(options.campaign), {}};
  result.source = source_of("decay", result.campaign.axis, options);
  if (before && !result.campaign.known)
    reject(options.campaign, 0, "known", "is missing: a decay shows ratios, a robot file holds numbers",
           "known: {inertia: .., sigma: ..}, or restoring");
  OutputFolder out(verb.out_folder(result.campaign.name), run_of(verb, options, result.campaign.runs));
  result.found = identify::identify_decay(result.campaign);
  if (before)
    result.after = identify::with_decay(
        *before, model::Environment(options.density.value_or(model::fresh_water)), result.campaign.axis,
        *result.found.coefficients, result.found.fit.rates.equilibrium,
        result.found.fit.half_width(1) / sigmas_of_95, result.source);
  finish(verb, summary_of(result), write_files(result, out), text_of(result), out);
  return Status::done;
}

}  // namespace fathom::cli
