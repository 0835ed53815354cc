#include "fathom/task/demo/demo.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/exchange/export.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/task/internal/json.hpp"
#include "fathom/trajectory/trajectory_file.hpp"

namespace fathom::task {
namespace {

using Summary = DemoSummary;

constexpr double least_r2 = 0.9, least_r2_yaw = 0.85;

Summary::Identification identification_of(const IdentifyVehicleResult& chosen, const model::Robot& plant) {
  const IdentifyVehicleSummary& s = chosen.summary;
  Summary::Identification out;
  out.structure = s.structure;
  if (s.structures)
    for (const auto& c : *s.structures)
      out.candidates.push_back({c.name, c.parameters, c.error, c.worse, c.worse_sigma, c.why_not});
  for (const pool::Estimated& e :
       pool::beside_truth(chosen.evidence->found, plant, chosen.evidence->environment)) {
    out.parameters.push_back({e.name, e.unit, e.truth, e.value, e.sigma, e.low(), e.high(), e.holds()});
    out.intervals_that_hold += e.holds();
  }
  out.share_that_holds =
      static_cast<double>(out.intervals_that_hold) / static_cast<double>(out.parameters.size());
  out.delay_s = s.delay_s;
  out.delay_sigma_s = s.delay_sigma_s;
  if (s.lag) {
    out.lag_s = s.lag->time_constant_s;
    out.lag_sigma_s = s.lag->sigma_s;
  }
  out.active_constraints = s.active_constraints;
  out.expected_active_constraints = s.expected_active_constraints;
  out.not_shown = s.unseen.parameters;
  return out;
}

ByName<double> by_velocity(const identify::Validation& of,
                           identify::Spread (identify::Validation::*what)(int) const) {
  ByName<double> list;
  for (const int i : identify::scored_velocities) list.emplace_back(model::dof_name(i), (of.*what)(i).median);
  return list;
}

Summary::Validation validation_of(const DemoResult::Evidence& at) {
  using identify::Validation;
  const std::size_t paths = at.unseen.motions.size();
  const Validation &all = at.validation.evidence->chosen, &linear = at.linear.evidence->chosen;
  const auto on_paths = [&](const Validation& of) { return pool::part_of(of, 0, paths); };
  const auto by_pilot = [&](const Validation& of) { return pool::part_of(of, paths, 1); };
  return {paths,
          by_velocity(on_paths(all), &Validation::r2),
          by_velocity(on_paths(linear), &Validation::r2),
          by_velocity(by_pilot(all), &Validation::r2),
          by_velocity(by_pilot(linear), &Validation::r2),
          by_velocity(on_paths(all), &Validation::coverage),
          by_velocity(by_pilot(all), &Validation::coverage)};
}

std::optional<Summary::Track> track_of(const std::optional<loop::Tracking>& t) {
  if (!t) return std::nullopt;
  return Summary::Track{t->position_rms, t->position_max, t->attitude_rms};
}

std::vector<Summary::Check> checks_of(const Summary& s, bool model_helps) {
  std::vector<Summary::Check> list = {{"the swim went to its end", s.excitation.completed}};
  for (std::size_t k = 0; k < s.validation.r2.size(); ++k) {
    const auto& [name, r2] = s.validation.r2[k];
    const double limit = name == "yaw" ? least_r2_yaw : least_r2;
    list.push_back({fmt::format("R2 of {} >= {} on unseen motions and at the joystick", name, limit),
                    r2 >= limit && s.validation.r2_joystick[k].second >= limit});
  }
  list.push_back({"the feed-forward of the identified robot helps", model_helps});
  return list;
}

/// The identified robot for other programs: the file that each is given, and links to them.
void export_robot(DemoResult::Evidence& at) {
  for (const exchange::Format format :
       {exchange::Format::gz_sim, exchange::Format::uuv_simulator, exchange::Format::matlab}) {
    const exchange::FormatFacts& facts = exchange::facts_of(format);
    const exchange::ExportOptions water{at.day.excitation.environment};
    const exchange::ExportedFile file = exchange::export_robot(at.chosen.robot, format, water).files.front();
    at.exported.push_back({file.name, file.text});
    at.links.push_back({file.name, fmt::format("for {}; all its files and what it cannot hold: fathom export "
                                               "--robot robot.yaml --to {}",
                                               facts.title, facts.name)});
  }
}

}  // namespace

DemoResult demo(const DemoOptions& options, const Context& context) {
  const auto stage = [&](double share, const char* name) { context.at("pool day", share, name); };
  ThreadPool pool = context.pool();
  Context quiet = context;  // its stages have no bar of their own
  quiet.progress = {};
  pool::PoolDay day = pool::read_pool_day(context.paths.studies / "pool-day");

  stage(0, "excite");
  excite::Problem problem = pool::excitation_problem(day, context.paths.problem("tank-defender"),
                                                     context.paths.robots, options.starts, options.seconds);
  trajectory::Bezier motion = pool::design_motion(problem, options.seed, pool);
  stage(0.1, "swim");
  const loop::Scenario scenario = pool::with_motion(day.excitation, motion);
  const bool is_streamed = !options.log.empty();
  const pool::Dive dive = is_streamed ? pool::dive_to(options.log, scenario, options.seed, context.stop)
                                      : pool::dive(scenario, options.seed, context.stop);
  stage(0.15, "identify");
  const std::vector<identify::Recording> swum = {is_streamed ? pool::read_log(day, options.log, "excitation")
                                                             : pool::record(day, dive, "excitation")};
  IdentifyVehicleResult chosen = pool::identify_day(day, swum, "auto", pool::bench_sigma, false, quiet);
  stage(0.4, "identify");
  const IdentifyVehicleResult linear = pool::identify_day(day, swum, "linear", pool::bench_sigma, false, quiet);
  stage(0.45, "swim what is not seen yet");
  pool::Unseen unseen = pool::dive_unseen(
      day, problem, options.seed, {options.trajectories, options.joystick_seconds, options.unseen}, pool,
      [&](int ended) { stage(0.45 + 0.25 * ended / (options.trajectories + 1), "swim what is not seen yet"); });
  stage(0.7, "validate");
  ValidateResult validation =
      pool::validate_day(day, chosen, unseen.recordings, options.members, options.seed, quiet);
  ValidateResult linear_validation = pool::validate_day(day, linear, unseen.recordings, 0, options.seed, quiet);
  stage(0.9, "use");
  const pool::TrackingComparison tracking =
      pool::compare_tracking(day, chosen.robot, unseen.motions.front(), options.seed, pool);
  stage(1, "report");

  DemoResult::Evidence at{options,
                          std::move(day),
                          std::move(problem),
                          std::move(motion),
                          std::move(chosen),
                          std::move(unseen),
                          std::move(validation),
                          std::move(linear_validation),
                          {},
                          {}};
  export_robot(at);
  const loop::VehicleStatistics& statistics = dive.run.vehicles.front();
  Summary s;
  s.version = version();
  s.command = fmt::format("demo --seed {}", options.seed);
  s.seed = options.seed;
  s.excitation = {at.problem.name,     at.problem.robot.name(), at.problem.duration(), at.problem.starts, {},
                  statistics.distance, !dive.run.failed};
  if (statistics.tracking) s.excitation.off_its_path_rms_m = statistics.tracking->position_rms;
  s.identification = identification_of(at.chosen, at.day.plant);
  s.validation = validation_of(at);
  s.tracking = {track_of(tracking.alone), track_of(tracking.nominal), track_of(tracking.identified)};
  s.checks = checks_of(s, tracking.model_helps());
  s.checks_hold = std::all_of(s.checks.begin(), s.checks.end(), [](const auto& check) { return check.holds; });
  return {{std::move(s)}, std::move(at)};
}

// The keys of summary.json, in its order.
FATHOM_JSON(Summary::Excitation, problem, robot, duration_s, starts, off_its_path_rms_m, distance_m, completed)
FATHOM_JSON(Summary::Candidate, structure, parameters, error, worse, worse_sigma, why_not)
FATHOM_JSON(Summary::Parameter, name, unit, true_, estimate, sigma, low, high, holds)
FATHOM_JSON(Summary::Identification, structure, candidates, parameters, intervals_that_hold, share_that_holds,
            delay_s, delay_sigma_s, lag_s, lag_sigma_s, active_constraints, expected_active_constraints,
            not_shown)
FATHOM_JSON(Summary::Validation, trajectories, r2, r2_linear, r2_joystick, r2_joystick_linear,
            in_95_percent_band, in_95_percent_band_joystick)
FATHOM_JSON(Summary::Track, position_rms_m, position_max_m, attitude_rms_rad)
FATHOM_JSON(Summary::Tracking, alone, nominal, identified)
FATHOM_JSON(Summary::Check, what, holds)
FATHOM_SUMMARY(DemoSummary, seconds, version, command, seed, excitation, identification, validation, tracking,
               checks, checks_hold, log, report)

std::vector<ResultFile> DemoResult::files() const {
  if (!evidence) return {};
  std::vector<ResultFile> list = {
      {"nominal.yaml", model::robot_to_yaml(evidence->day.nominal)},
      {"robot.yaml", model::robot_to_yaml(evidence->chosen.robot)},
      {"trajectory.yaml", trajectory::trajectory_to_yaml(
                              evidence->motion, {evidence->problem.name, evidence->problem.robot.name()})}};
  list.insert(list.end(), evidence->exported.begin(), evidence->exported.end());
  return list;
}

}  // namespace fathom::task
