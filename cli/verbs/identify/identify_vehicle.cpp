#include "cli/verbs/identify/identify_vehicle.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/forward_fit.hpp"
#include "fathom/identify/vehicle/identified_robot.hpp"
#include "fathom/model/catalogue.hpp"
#include "fathom/model/robot_file.hpp"

#include "cli/finish.hpp"
#include "cli/shipped.hpp"
#include "cli/terminal/interrupt.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/verbs/identify/identify_result.hpp"

namespace fathom::cli {
namespace {

identify::Identified identified(const IdentifyResult& result, identify::IdentifyOptions options) {
  Progress progress("identifying " + result.before.name());
  options.progress = [&](double share, const std::string& doing) {
    throw_if_interrupted();
    progress.at(share, doing);
  };
  return identify::identify(result.recordings, result.before, result.environment, options);
}

/// What the robot file leaves open of the way of a command; recordings and options then have it.
void find_command_path(IdentifyResult& result, identify::IdentifyOptions& how) {
  throw_if_interrupted();
  result.command_path = identify::fit_command_path(
      result.recordings, result.before, {.blur = how.regression.blur, .most_delay = how.regression.most_delay});
  identify::apply_command_path(result.command_path, result.before, result.recordings);
  if (const auto& gain = result.command_path.gain)
    how.fit.thrust_sigma = std::hypot(how.fit.thrust_sigma, gain->sigma / gain->value);
}

/// What is unknown of it is unknown of the parameters.
void widen_by_command_path(IdentifyResult& result, const identify::IdentifyOptions& how) {
  if (const auto& band = result.command_path.dead_band)
    identify::widen_by_dead_band(result.recordings, result.before, result.environment, how, band->value,
                                 band->sigma, result.found);
}

/// Puts values and covariance of the chosen estimator in the place of the consistent ones.
void take_estimate(IdentifyResult& result) {
  if (result.estimator == "consistent" || result.estimator == "forward") return;
  for (const identify::Estimate& estimate : result.found.estimates) {
    if (estimate.name != result.estimator) continue;
    if (!estimate.found)
      reject("--estimator", fmt::format("{} finds no estimate: {}", estimate.name, estimate.why_not),
             "the default one may");
    result.found.parameters =
        model::ParameterVector(result.found.structure.parameters(estimate.theta), estimate.covariance);
  }
}

void refine(IdentifyResult& result, identify::IdentifyOptions how) {
  Progress progress("refining " + result.found.structure.name);
  how.progress = [&](double share, const std::string&) {
    throw_if_interrupted();
    progress.at(share);
  };
  result.refined = identify::refine(result.recordings, result.before, result.environment, how, result.found);
  result.estimator = "output-error";
}

model::Robot robot_of(const IdentifyResult& result, bool no_dry_body) {
  std::vector<std::string> logs;
  for (const auto& recording : result.recordings) logs.push_back(recording.name);
  const std::string source = fmt::format("fathom identify, structure {}, {} estimate, from {}",
                                         result.found.structure.name, result.estimator, join(logs, ", "));
  const auto& nuisance = result.found.fit.nuisance;
  try {
    return identify::identified_robot(
        identify::robot_with_command_path(result.before, result.command_path, source), result.environment,
        result.found.structure, result.found.parameters, source,
        model::IdentifiedParameters::Delay{nuisance.value.delay, nuisance.delay_sigma});
  } catch (const InputError& error) {
    Findings findings = error.findings();
    if (result.estimator != "consistent" && !result.refined)
      add_error(findings, "--estimator",
                result.estimator + " does not heed what nature allows, and this estimate breaks it",
                "the default one keeps to it");
    else if (no_dry_body)
      add_error(findings, "--no-dry-body",
                "body and water together come out below the dry body of the robot file",
                "a robot file cannot hold that: mend its mass and inertia");
    throw InputError(std::move(findings));
  }
}

int report(const Verb& verb, const IdentifyResult& result, OutputFolder& out) {
  finish(verb, summary_of(result), write_files(result, out), text_of(result), out);
  if (result.found.has_active_constraint() && !result.accept_bounds)
    warn(fmt::format("fathom: bound hit: {} (accept it with --accept-bounds)",
                     join(result.found.active_constraints(), "; ")));
  if (!result.found.all_identifiable() && !result.accept_unseen)
    warn(fmt::format("fathom: the logs do not show {} (accept it with --accept-unseen)",
                     join(result.unseen(), ", ")));
  for (const std::string& warning : {delay_warning(result), command_path_warning(result), tilt_warning(result)})
    if (!warning.empty()) warn("fathom: warning: " + warning);
  if (!result.found.fit.settled)
    warn(fmt::format("fathom: warning: the estimate still moved after {} rounds", result.found.fit.rounds));
  if (const auto inconsistent = result.inconsistent(); !inconsistent.empty())
    warn(
        fmt::format("fathom: warning: {} and fit differ in {} by more than their sigmas explain; "
                    "their intervals hold the difference",
                    result.refined ? "output error" : "forward estimate", join(inconsistent, ", ")));
  if (result.refined && !result.refined->converged)
    warn("fathom: the refinement did not converge: " + result.refined->about);
  return result.good() ? Status::done : Status::check_failed;
}

}  // namespace

int identify_vehicle(const Verb& verb, const VehicleOptions& options) {
  options.check();
  const auto file = model::find_robot_file(options.logs.robot, robot_folders());
  const model::Robot robot = model::read_robot(file);
  identify::IdentifyOptions how = options.identify_options(robot);
  OutputFolder out(verb.out_folder(robot.name()),
                   {verb.name(), inputs_of(options.logs, file), {"robot.yaml", "report.html", "summary.json"}});
  IdentifyResult result{robot,
                        robot,
                        environment_of(options.logs, robot),
                        {},
                        {},
                        how.fit,
                        options.estimator,
                        options.accept_bounds,
                        options.accept_unseen,
                        options.command()};
  result.recordings = read_logs(options.logs, robot, result.environment);
  find_command_path(result, how);
  result.fit = how.fit;
  result.found = identified(result, how);
  widen_by_command_path(result, how);
  if (options.estimator == "forward")
    result.forward = identify::take_forward(result.recordings, result.before, result.environment, how,
                                            result.command_path, result.found);
  take_estimate(result);
  if (options.output_error) refine(result, how);
  result.after = robot_of(result, options.no_dry_body);
  throw_if_interrupted();
  return report(verb, result, out);
}

}  // namespace fathom::cli
