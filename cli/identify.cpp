#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/forward_fit.hpp"
#include "fathom/identify/vehicle/identified_robot.hpp"
#include "fathom/model/candidates.hpp"
#include "fathom/model/catalogue.hpp"
#include "fathom/model/robot_file.hpp"

#include "cli/finish.hpp"
#include "cli/identify_arm.hpp"
#include "cli/identify_result.hpp"
#include "cli/identify_tank.hpp"
#include "cli/identify_thruster.hpp"
#include "cli/interrupt.hpp"
#include "cli/number_text.hpp"
#include "cli/progress.hpp"
#include "cli/recordings.hpp"
#include "cli/robots.hpp"
#include "cli/verb.hpp"

namespace fathom::cli {
namespace {

using Bound = consistency::ConditionOptions::Bound;

constexpr double infinite = infinity;
const std::vector<std::string> estimators = {"consistent",   "ordinary", "weighted", "total",
                                             "instrumental", "robust",   "forward"};

struct IdentifyVerb {
  LogOptions logs;
  ThrusterOptions thruster;
  TankOptions tank;
  ArmOptions arm;
  std::string what = "vehicle", structure = "auto", estimator = "consistent";
  double blur = identify::RegressionOptions().blur;
  double thrust_sigma = 0;
  std::string delay = "auto", current = "auto";
  bool no_dry_body = false;
  std::vector<std::string> bounds;
  bool output_error = false;
  double unseen_share = identify::IdentifyOptions().unseen_share;
  bool accept_bounds = false, accept_unseen = false;
  /// Each option with the words of --what that heed it; none: all do.
  std::vector<std::pair<const CLI::Option*, std::vector<std::string>>> heeded = {};
};

/// An option that would do nothing is a slip.
void refuse_unheeded(const IdentifyVerb& options) {
  for (const auto& [option, words] : options.heeded)
    if (option->count() > 0 && !words.empty() &&
        std::find(words.begin(), words.end(), options.what) == words.end())
      refuse(option->get_name(),
             fmt::format("does nothing with --what {}: it is of --what {}", options.what,
                         fmt::join(words, " and ")),
             "leave it out");
}

/// NAME=MIN:MAX, where one of the two may be left out.
Bound bound_of(const std::string& text) {
  const auto fail = [&] {
    refuse("--bound", fmt::format("= {}, expected NAME=MIN:MAX", in_quotes(text)),
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
  return {text.substr(0, equals), side(all.substr(equals + 1, colon - equals - 1), -infinite),
          side(all.substr(colon + 1), infinite)};
}

void check(const IdentifyVerb& options) {
  if (options.logs.robot.empty()) throw CLI::RequiredError("--robot");
  if (options.logs.logs.empty()) throw CLI::RequiredError("--log");
  check(options.logs);
  if (options.thruster.given()) refuse("--table", "and what goes with it are for --what thruster");
  if (!options.tank.campaign.empty()) refuse("--campaign", "is for --what towing and --what decay");
  if (options.arm.given()) refuse("--arm", "and what goes with it are for --what arm");
  refuse_unheeded(options);
  require(!options.output_error || options.estimator == "consistent", "--output-error",
          "begins with the consistent estimate: not with --estimator " + options.estimator);
  if (!(options.thrust_sigma >= 0 && options.thrust_sigma < 1))
    refuse("--thrust-sigma", fmt::format("= {}, must be a share from 0 to 1", options.thrust_sigma),
           "such as 0.02 for 2 %");
  constexpr double longest_blur = 20;  // s; longer ones leave nothing of a motion
  if (!(options.blur > 0 && options.blur <= longest_blur))
    refuse("--blur", fmt::format("= {} s, must be above 0 and at most {:g}", options.blur, longest_blur),
           "s, not ms?");
  require(options.unseen_share > 0 && std::isfinite(options.unseen_share), "--unseen-share",
          fmt::format("= {}, must be above 0", options.unseen_share));
}

identify::FitOptions fit_options(const IdentifyVerb& options, const model::Robot& robot) {
  identify::FitOptions fit;
  fit.attitude_sigma = identify::attitude_sigma(robot);
  fit.thrust_sigma = options.thrust_sigma;
  fit.estimate_current = options.current == "auto";
  fit.estimate_delay = options.delay == "auto";
  if (fit.estimate_delay) return fit;
  const double most = identify::RegressionOptions().most_delay;
  const auto delay = number_in(options.delay);
  if (!delay || *delay < 0 || *delay > most)
    refuse("--delay",
           fmt::format("= {}, expected auto, or seconds from 0 to {:g}", in_quotes(options.delay), most),
           "such as 0.15 for 150 ms");
  fit.delay = *delay;
  return fit;
}

bool has(const model::Structure& structure, const std::string& parameter) {
  return std::any_of(structure.terms.begin(), structure.terms.end(),
                     [&](const model::Term& term) { return name_of(term) == parameter; });
}

model::Structure structure_of(const IdentifyVerb& options, const model::Robot& robot) {
  try {
    return model::candidate(options.structure, robot);
  } catch (const InputError& error) {
    const Finding& finding = error.findings().front();
    refuse("--structure", finding.message, finding.hint.empty() ? "or auto: the data decide" : finding.hint);
  }
}

/// Before any log is read: a slip shall not cost its minutes.
void check_bounds(const std::vector<Bound>& bounds, const std::vector<model::Structure>& structures) {
  for (const Bound& bound : bounds) {
    const bool is_known = std::any_of(structures.begin(), structures.end(),
                                      [&](const model::Structure& s) { return has(s, bound.parameter); });
    if (!is_known)
      refuse("--bound",
             fmt::format("{} is no parameter{}", in_quotes(bound.parameter),
                         structures.size() == 1 ? " of structure " + structures.front().name : ""),
             "names are those that `fathom identify` prints, such as m11, d26, q33|3|, W-B");
    if (!(bound.min < bound.max))
      refuse("--bound", fmt::format("{} = {:g}:{:g}, expected a smaller and a larger number", bound.parameter,
                                    bound.min, bound.max));
  }
}

/// The structure that was asked for, or all in which every bounded parameter has a place.
std::vector<model::Structure> candidates_of(const IdentifyVerb& options, const model::Robot& robot,
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
    refuse("--bound", fmt::format("there is no structure with {}", fmt::join(options.bounds, " and ")),
           "fewer of them, or a --structure");
  return kept;
}

identify::IdentifyOptions identify_options(const IdentifyVerb& options, const model::Robot& robot) {
  identify::IdentifyOptions result;
  result.conditions.dry_body = !options.no_dry_body;
  for (const std::string& text : options.bounds) result.conditions.bounds.push_back(bound_of(text));
  result.candidates = candidates_of(options, robot, result.conditions.bounds);
  result.regression.blur = options.blur;
  result.unseen_share = options.unseen_share;
  result.fit = fit_options(options, robot);
  return result;
}

/// What was asked for, so that it can be asked for again.
std::string command_of(const IdentifyVerb& options) {
  const IdentifyVerb usual;
  std::string command = "identify" + options.logs.command();
  if (options.structure != usual.structure) command += " --structure " + options.structure;
  if (options.estimator != usual.estimator) command += " --estimator " + options.estimator;
  if (options.output_error) command += " --output-error";
  if (options.thrust_sigma != 0) command += fmt::format(" --thrust-sigma {}", options.thrust_sigma);
  if (options.blur != usual.blur) command += fmt::format(" --blur {}", options.blur);
  if (options.delay != usual.delay) command += " --delay " + options.delay;
  if (options.current != usual.current) command += " --current " + options.current;
  if (options.no_dry_body) command += " --no-dry-body";
  for (const std::string& bound : options.bounds) command += " --bound " + shell_word(bound);
  if (options.unseen_share != usual.unseen_share)
    command += fmt::format(" --unseen-share {}", options.unseen_share);
  if (options.accept_bounds) command += " --accept-bounds";
  if (options.accept_unseen) command += " --accept-unseen";
  return command;
}

identify::Identified identified(const IdentifyResult& result, identify::IdentifyOptions options) {
  Progress progress("identifying " + result.before.name());
  options.progress = [&](double share, const std::string& doing) {
    throw_if_interrupted();
    progress.at(share, doing);
  };
  return identify::identify(result.recordings, result.before, result.environment, options);
}

/// What the robot file leaves open of the way of a command; recordings and options then have it.
void find_steering(IdentifyResult& result, identify::IdentifyOptions& how) {
  throw_if_interrupted();
  result.steering = identify::fit_steering(
      result.recordings, result.before, {.blur = how.regression.blur, .most_delay = how.regression.most_delay});
  identify::apply_steering(result.steering, result.before, result.recordings);
  if (const auto& gain = result.steering.gain)
    how.fit.thrust_sigma = std::hypot(how.fit.thrust_sigma, gain->sigma / gain->value);
}

/// What is unknown of it is unknown of the parameters.
void doubt_steering(IdentifyResult& result, const identify::IdentifyOptions& how) {
  if (const auto& band = result.steering.dead_band)
    identify::widen_by_dead_band(result.recordings, result.before, result.environment, how, band->value,
                                 band->sigma, result.found);
}

/// Puts values and covariance of the chosen estimator in the place of the consistent ones.
void take_estimate(IdentifyResult& result) {
  if (result.estimator == "consistent" || result.estimator == "forward") return;
  for (const identify::Estimate& estimate : result.found.estimates) {
    if (estimate.name != result.estimator) continue;
    if (!estimate.found)
      refuse("--estimator", fmt::format("{} finds no estimate: {}", estimate.name, estimate.why_not),
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
                                         result.found.structure.name, result.estimator, fmt::join(logs, ", "));
  const auto& nuisance = result.found.fit.nuisance;
  try {
    return identify::identified_robot(
        identify::steered_robot(result.before, result.steering, source), result.environment,
        result.found.structure, result.found.parameters, source,
        model::IdentifiedParameters::Delay{nuisance.supposition.delay, nuisance.delay_sigma});
  } catch (const InputError& error) {
    Findings findings = error.findings();
    if (result.estimator != "consistent" && !result.refined)
      complain(findings, "--estimator",
               result.estimator + " does not heed what nature allows, and this estimate breaks it",
               "the default one keeps to it");
    else if (no_dry_body)
      complain(findings, "--no-dry-body",
               "body and water together come out below the dry body of the robot file",
               "a robot file cannot hold that: mend its mass and inertia");
    throw InputError(std::move(findings));
  }
}

int report(const Verb& verb, const IdentifyResult& result, OutputFolder& out) {
  finish(verb, summary_of(result), write_files(result, out), text_of(result), out);
  if (result.found.at_a_bound() && !result.accept_bounds)
    complain(fmt::format("fathom: bound hit: {} (accept it with --accept-bounds)",
                         fmt::join(result.found.bounds_hit(), "; ")));
  if (!result.found.all_seen() && !result.accept_unseen)
    complain(fmt::format("fathom: the logs do not show {} (accept it with --accept-unseen)",
                         fmt::join(result.unseen(), ", ")));
  for (const std::string& warning : {delay_warning(result), steering_warning(result), tilt_warning(result)})
    if (!warning.empty()) complain("fathom: warning: " + warning);
  if (!result.found.fit.settled)
    complain(fmt::format("fathom: warning: the estimate still moved after {} rounds", result.found.fit.rounds));
  if (const auto disputed = result.disputed(); !disputed.empty())
    complain(
        fmt::format("fathom: warning: {} and fit differ in {} by more than their sigmas explain; "
                    "their intervals hold the difference",
                    result.refined ? "output error" : "forward estimate", fmt::join(disputed, ", ")));
  if (result.refined && !result.refined->converged)
    complain("fathom: the refinement did not converge: " + result.refined->about);
  return result.good() ? Status::done : Status::check_failed;
}

int run_tank(const Verb& verb, const IdentifyVerb& options) {
  if (!options.logs.logs.empty() || options.thruster.given())
    refuse("--what", options.what + " takes a --campaign, no --log and no --table");
  refuse_unheeded(options);
  const TankOptions tank{options.tank.campaign, options.logs.robot, options.logs.density};
  return options.what == "towing" ? identify_towing(verb, tank) : identify_decay(verb, tank);
}

int run_arm(const Verb& verb, const IdentifyVerb& options) {
  if (!options.logs.robot.empty() || options.thruster.given() || !options.tank.campaign.empty())
    refuse("--what", "arm takes an --arm and --log, no --robot, no --table and no --campaign");
  refuse_unheeded(options);
  ArmOptions arm = options.arm;
  arm.logs = options.logs.logs;
  arm.density = options.logs.density;
  arm.estimator = options.estimator;
  return identify_arm(verb, arm);
}

int run(const Verb& verb, const IdentifyVerb& options) {
  if (options.what == "arm") return run_arm(verb, options);
  if (options.what == "towing" || options.what == "decay") return run_tank(verb, options);
  if (options.what == "thruster") {
    if (!options.logs.robot.empty() || !options.logs.logs.empty() || !options.tank.campaign.empty())
      refuse("--what", "thruster takes a --table, no --robot, no --log and no --campaign");
    refuse_unheeded(options);
    return identify_thruster(verb, options.thruster);
  }
  check(options);
  const auto file = model::find_robot_file(options.logs.robot, robot_folders());
  const model::Robot robot = model::read_robot(file);
  identify::IdentifyOptions how = identify_options(options, robot);
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
                        command_of(options)};
  result.recordings = read_logs(options.logs, robot, result.environment);
  find_steering(result, how);
  result.fit = how.fit;
  result.found = identified(result, how);
  doubt_steering(result, how);
  if (options.estimator == "forward")
    result.forward = identify::take_forward(result.recordings, result.before, result.environment, how,
                                            result.steering, result.found);
  take_estimate(result);
  if (options.output_error) refine(result, how);
  result.after = robot_of(result, options.no_dry_body);
  throw_if_interrupted();
  return report(verb, result, out);
}

/// Notes who heeds the options that were added since it was last called, apart from the `shared` ones.
void note_heeded(const CLI::App& app, const std::vector<std::string>& words, IdentifyVerb& options) {
  const std::map<std::string, std::vector<std::string>> shared = {
      {"--robot", {"vehicle", "towing", "decay"}},
      {"--log", {"vehicle", "arm"}},
      {"--density", {"vehicle", "arm", "towing", "decay"}},
      {"--estimator", {"vehicle", "arm"}}};
  const auto all = app.get_options();
  for (std::size_t k = options.heeded.size(); k < all.size(); ++k) {
    const auto found = shared.find(all[k]->get_name());
    options.heeded.emplace_back(all[k], found == shared.end() ? words : found->second);
  }
}

void add_options(CLI::App& app, IdentifyVerb& options) {
  note_heeded(app, {}, options);  // --json, --out
  add_log_options(app, options.logs, "Folder of a log to learn from; may be repeated");
  for (const char* name : {"--robot", "--log"}) app.get_option(name)->required(false);  // of a vehicle alone
  note_heeded(app, {"vehicle"}, options);
  app.add_option("--what", options.what,
                 "What to identify: vehicle, arm, thruster from a bollard test, drag by towing, or restoring "
                 "by free decay")
      ->check(is_word({"vehicle", "arm", "thruster", "towing", "decay"}))
      ->option_text("WORD=vehicle");
  note_heeded(app, {}, options);
  add_thruster_options(app, options.thruster);
  note_heeded(app, {"thruster"}, options);
  add_tank_options(app, options.tank);
  note_heeded(app, {"towing", "decay"}, options);
  add_arm_options(app, options.arm);
  note_heeded(app, {"arm"}, options);
  app.add_option("--structure", options.structure,
                 "Which parameters: linear, diagonal, quadratic, cross, 6dof, 6dof-cross, 6dof-oblique, a "
                 "published vector (vehicle-23, ...), or auto: the data decide among the first seven")
      ->option_text("NAME=auto");
  app.add_option(
         "--estimator", options.estimator,
         "consistent (default), or another whose values and intervals take its place: ordinary, weighted, "
         "total, instrumental, robust; forward: commands explain the acceleration, which foretells better "
         "where they explain but a part; its masses are too large then, and intervals reach to the default's")
      ->check(is_word(estimators))
      ->option_text("WORD");
  app.add_flag("--output-error", options.output_error,
               "Refine the estimate until the model's velocities, not its wrench, meet the measured ones");
  app.add_option("--blur", options.blur, "Seconds, of the Gaussian that both sides of the equation see")
      ->check(is_number("time"))
      ->option_text(fmt::format("S={:g}", options.blur));
  app.add_option(
         "--thrust-sigma", options.thrust_sigma,
         "How well the thrusters' forces are known, one sigma as a share, such as 0.02; widens intervals")
      ->check(is_number("share"))
      ->option_text("SHARE=0");
  app.add_option("--delay", options.delay, "Seconds from command to wrench, or auto: estimated")
      ->option_text("S=auto");
  app.add_option("--current", options.current, "Of the water: auto, it is estimated; or none")
      ->check(is_word({"auto", "none"}))
      ->option_text("WORD=auto");
  app.add_flag("--no-dry-body", options.no_dry_body,
               "The dry body is not known well: M > 0 in place of M - M_rb >= 0");
  app.add_option("--bound", options.bounds,
                 "Keep a parameter within MIN:MAX, of which one may be left out; may "
                 "be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("NAME=MIN:MAX");
  app.add_option("--unseen-share", options.unseen_share,
                 "A parameter is not seen where one sigma of it makes this share of the thrusters' wrench")
      ->check(is_number("share"))
      ->option_text("SHARE=0.5");
  app.add_flag("--accept-bounds", options.accept_bounds,
               "Status 0 even where a condition holds an estimate back");
  app.add_flag("--accept-unseen", options.accept_unseen,
               "Status 0 even where the logs do not show a parameter");
  note_heeded(app, {"vehicle"}, options);
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
      example, Takes{.out = true});
  auto options = std::make_shared<IdentifyVerb>();
  add_options(verb->app(), *options);
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
