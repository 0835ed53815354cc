#include "fathom/task/identify/arm.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/arm/drive_gain.hpp"
#include "fathom/model_file/arm_file.hpp"
#include "fathom/task/internal/json.hpp"
#include "fathom/task/internal/option_table.hpp"

namespace fathom {

template <>
const fields::Keys& fields::Table<task::IdentifyArmOptions>::fields() {
  using Options = task::IdentifyArmOptions;
  static const Keys keys{
      field<&Options::arm>("arm")
          .metavar("NAME|FILE")
          .doc("With --what arm: arm that ships, arm file or URDF; --log are CSV files."),
      field<&Options::log>("log").metavar("FILE").doc("CSV file of a run to learn from; may be repeated."),
      field<&Options::test>("test").metavar("FILE").doc("Run of the arm for validation only; may be repeated."),
      field<&Options::hold_out>("hold_out")
          .at_least(0)
          .below(0.9)
          .hint("a share such as 0.4 for 40 %")
          .metavar("SHARE")
          .doc("Share of each --log, at its end, for validation only."),
      field<&Options::columns>("columns")
          .metavar("ROLE=NAMES,...")
          .doc(
              "Columns of the CSV files, where names do not say them: time=t,q=q1..q7,effort=tau1..tau7; shaft "
              "in place of q: angles of the motors' shafts in rad; a column of a file without header is its "
              "number; wanted_effort and wanted_torque give gains."),
      field<&Options::by_current>("by_current").doc("Efforts of the arm are currents of its motors."),
      field<&Options::gains>("gains").metavar("X,...").doc(
          "Torque per ampere of each joint in N m/A, in place of the arm's actuators."),
      field<&Options::friction>("friction")
          .words({"auto", "none", "viscous", "coulomb", "direction"})
          .doc("Friction of the arm's joints; coulomb: and viscous; direction: one for each direction; auto: "
               "that "
               "of motors, else coulomb."),
      field<&Options::no_offset>("no_offset").doc("Fit no constant effort on the arm's joints."),
      field<&Options::no_motors>("no_motors").doc("Leave out inertia and friction of the arm's motors."),
      field<&Options::derivatives>("derivatives")
          .words({"zero-phase", "spline"})
          .doc("Derivatives of the arm's positions; zero-phase: Butterworth, order 3, forward and backward."),
      field<&Options::cutoff_hz>("cutoff").unit("Hz").above(0).metavar("HZ").doc("Cut-off of zero-phase."),
      field<&Options::rest_speed>("rest_speed")
          .unit("rad/s")
          .at_least(0)
          .metavar("X")
          .doc("Joint speed below which samples are left out, because static friction is unknown there."),
      field<&Options::rest_shaft_speed>("rest_shaft_speed")
          .unit("rad/s")
          .at_least(0)
          .metavar("X")
          .by_default("--rest-speed for all")
          .doc("The same of the shaft, for joints with a motor, which sticks by its own speed; some 40 "
               "increments "
               "per second of its counter."),
      field<&Options::medium>("medium")
          .words({"auto", "water", "air"})
          .doc("Medium of the arm; auto: water where its links have volumes."),
      field<&Options::fit_water>("fit_water")
          .metavar("WORD,...")
          .doc("Water forces to estimate: buoyancy, added-mass, drag; the rest is as the arm's file has it."),
      field<&Options::down>("down")
          .metavar("X,Y,Z")
          .by_default("0,0,1, of a URDF 0,0,-1")
          .doc("Down, in the frame of the arm's base."),
      field<&Options::spread>("spread").above(0).metavar("SHARE").doc(
          "Relative sigma of the values in the arm file; parameters that no motion shows stay near them."),
      task::internal::water_density(field<&Options::density>("density"))
          .by_default("1000")
          .doc("Water density."),
      field<&Options::estimator>("estimator")
          .metavar("WORD")
          .doc("Estimator: consistent, ordinary, weighted or robust.")};
  return keys;
}

}  // namespace fathom

namespace fathom::task {
namespace {

using Eigen::Index;
using identify::ArmFit;
using identify::ArmRun;
using Options = IdentifyArmOptions;
using Summary = IdentifyArmSummary;
using Estimator = identify::ArmFitOptions::Estimator;
using Coulomb = dynamics::ArmColumns::Coulomb;

std::vector<std::string> comma_separated(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text + ",");
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

Eigen::VectorXd numbers_of(const std::string& text, const std::string& option, const char* such_as) {
  std::vector<double> numbers;
  for (const std::string& word : comma_separated(text)) {
    const auto number = number_in(word);
    if (!number) reject(option, fmt::format("= {}, expected numbers with commas", in_quotes(text)), such_as);
    numbers.push_back(*number);
  }
  return Eigen::VectorXd::Map(numbers.data(), static_cast<Index>(numbers.size()));
}

void check_values_of(const Options& options) {
  fields::check_values(options);
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
  return std::any_of(arm.links().begin(), arm.links().end(),
                     [](const model::Link& link) { return link.body.volume.value > 0; });
}

Vec3 down_of(const Options& options) {
  if (options.down.empty()) return options.arm.ends_with(".urdf") ? Vec3(-Vec3::UnitZ()) : Vec3(Vec3::UnitZ());
  const Eigen::VectorXd down = numbers_of(options.down, "--down", "such as 0,0,-1");
  if (down.size() != 3 || down.norm() == 0)
    reject("--down", fmt::format("= {}, expected three numbers that are not all 0", options.down),
           "such as 0,0,-1");
  return down.normalized();
}

void fit_water(const Options& options, bool is_in_water, dynamics::ArmColumns& columns) {
  if (options.fit_water.empty()) return;
  for (const std::string& word : comma_separated(options.fit_water)) {
    bool* const column = word == "buoyancy"     ? &columns.buoyancy
                         : word == "added-mass" ? &columns.added_mass
                         : word == "drag"       ? &columns.drag
                                                : nullptr;
    if (!column)
      reject("--fit-water",
             fmt::format("= {}: {} is not of water", in_quotes(options.fit_water), in_quotes(word)),
             "buoyancy, added-mass, drag, with commas");
    *column = true;
  }
  if (!is_in_water) reject("--fit-water", "is of water, but the arm is in air", "--medium water");
}

identify::ArmFitOptions fit_options(const Options& options, const model::Arm& arm) {
  identify::ArmFitOptions fit;
  fit.estimator = estimator_of(options.estimator);
  fit.by_current = options.by_current;
  fit.rest_speed = options.rest_speed;
  fit.rest_shaft_speed = options.rest_shaft_speed;
  if (options.rest_shaft_speed && !arm.has_motor())
    reject("--rest-shaft-speed", fmt::format("does nothing: no joint of {} has a motor", in_quotes(arm.name())),
           "--rest-speed is that of joints");
  fit.spread = options.spread;
  fit.down_b = down_of(options);
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

constexpr std::size_t most_named = 10;  // outliers of a run; summary.json lists all

/// Rows that were left out and what is odd about a run, in a sentence each.
Findings oddities_of(const ArmRun& run) {
  Findings findings;
  for (const identify::RunOutlier& of : run.outliers) {
    if (findings.size() == most_named) {
      findings.push_back(
          {.severity = Severity::warning,
           .file = run.place(),
           .message = fmt::format("has {} more outliers, left out likewise", run.outliers.size() - most_named),
           .hint = "summary.json lists them"});
      break;
    }
    findings.push_back(
        {.severity = Severity::warning,
         .file = run.place(),
         .line = of.line,
         .message = fmt::format("{} = {:.6g}{}{} at {:.6g} s is an outlier, and its row is left out: {}; "
                                "expected about {:.4g}",
                                of.signal, of.value, of.unit.empty() ? "" : " ", of.unit, of.time, of.reason,
                                of.expected)});
  }
  for (const std::string& words : run.warnings)
    findings.push_back({.severity = Severity::warning, .file = run.place(), .message = words});
  return findings;
}

ArmRun read_run(const std::string& file, const model::Arm& arm, const Options& options) {
  const identify::ArmRunColumns columns = options.columns.empty()
                                              ? identify::ArmRunColumns()
                                              : identify::parse_arm_columns(options.columns, "--columns");
  identify::ArmRunOptions how;
  how.cutoff_hz = options.cutoff_hz;
  if (options.derivatives == "spline") how.derivatives = identify::ArmRunOptions::Derivatives::spline;
  const ArmRun run = identify::read_arm_run(file, arm, columns);
  try {
    return identify::prepare(run, how);
  } catch (const InputError& error) {
    Findings findings = error.findings();
    for (Finding& finding : findings)
      if (finding.key == "cutoff_hz") finding.key = "--cutoff";
    throw InputError(std::move(findings));
  }
}

/// Runs with velocities and accelerations; the last share of each log is held out where asked.
std::vector<ScoredArmRun> read_runs(const model::Arm& arm, const Options& options, const Context& context) {
  std::vector<ScoredArmRun> runs;
  const double files = static_cast<double>(options.log.size() + options.test.size());
  const auto read = [&](const std::string& file) {
    context.at("reading runs", static_cast<double>(runs.size()) / files, file);
    return read_run(file, arm, options);
  };
  const auto warn = [&](const ArmRun& run) {
    if (!context.warn) return;
    for (const Finding& finding : oddities_of(run)) context.warn(finding);
  };
  for (const std::string& file : options.log) {
    const ArmRun run = read(file);
    warn(run);
    const auto seen =
        static_cast<Index>(std::round((1 - options.hold_out) * static_cast<double>(run.samples())));
    runs.push_back({part_of(run, 0, seen), true});
    if (seen == run.samples()) continue;
    runs.push_back({part_of(run, seen, run.samples()), false});
    runs.back().run.name += ", held out";
  }
  for (const std::string& file : options.test) {
    runs.push_back({read(file), false});
    warn(runs.back().run);
  }
  return runs;
}

/// Returns the arm as it is, or with the gains that are given or that the controller of the run wanted.
model::Arm with_gains(const model::Arm& arm, const Options& options, const ArmRun& run,
                      std::vector<identify::DriveGain>& wanted) {
  if (!options.by_current) return arm;
  if (!options.gains.empty())
    return identify::with_drives(arm, numbers_of(options.gains, "--gains", "such as 12,12,10"), "--gains");
  if (run.wanted_torque.size() == 0) {
    for (const model::Joint& joint : arm.joints())
      if (!joint.actuator)
        reject("--by-current",
               fmt::format("needs motors, but joint {} has no actuator that says what an ampere makes",
                           in_quotes(joint.name)),
               "--gains X,... for all joints, or efforts in N m");
    return arm;
  }
  wanted = identify::drive_gains(run, arm, options.rest_speed);
  Eigen::VectorXd gains(static_cast<Index>(wanted.size()));
  std::transform(wanted.begin(), wanted.end(), gains.begin(), [](const auto& of) { return of.gain; });
  return identify::with_drives(arm, gains, "what the controller wanted of current and torque in " + run.name);
}

std::vector<Summary::Joint> joints_of(const ArmFit& fit, const std::vector<identify::Metrics>& scores,
                                      const std::vector<identify::BandScore>& bands = {}) {
  std::vector<Summary::Joint> list;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    list.push_back(
        {fit.arm.joints()[k].name, scores[k].samples, scores[k].rmse, scores[k].nrmse, scores[k].r2});
    if (k < bands.size()) list.back().half_band_95 = bands[k].half, list.back().in_band_95 = bands[k].covered;
  }
  return list;
}

/// Empty unless the fit is worse on an unseen run than the arm's file: root mean square over joints, each in
/// units of what the fit leaves of it where it was learnt.
std::string worse_than_file(const ArmFit& fit, const ScoredArmRun& run) {
  double of_fit = 0, of_file = 0, worst = 0;
  std::size_t at = 0;
  for (std::size_t j = 0; j < run.scores.size(); ++j) {
    if (run.scores[j].samples == 0) continue;
    const double scale = fit.joint_sigma[static_cast<Index>(j)];
    const double own = run.scores[j].rmse / scale, file = run.by_the_file[j].rmse / scale;
    of_fit += own * own, of_file += file * file;
    if (own * own - file * file > worst) worst = own * own - file * file, at = j;
  }
  if (!(of_fit > of_file)) return "";
  return fmt::format(
      "{}: the fit predicts this unseen run worse than the arm's file does: its errors are {:.3g} times as "
      "large, "
      "most at joint {} with {:.3g} against {:.3g} {} (is the arm the same, do units and columns hold in both "
      "runs, "
      "does the motion show its parameters?)",
      run.run.place(), std::sqrt(of_fit / of_file), in_quotes(fit.arm.joints()[at].name), run.scores[at].rmse,
      run.by_the_file[at].rmse, fit.options.by_current ? "A" : "N m");
}

Summary::Run run_of(const ArmFit& fit, const ScoredArmRun& of) {
  const ArmRun& run = of.run;
  Summary::Run s{run.name,    of.seen,           run.samples(), run.repeated,
                 run.trimmed, run.breaks.size(), run.uneven,    run.held};
  for (const identify::RunOutlier& one : run.outliers)
    s.outliers.push_back({one.line, one.time, one.signal, one.value, one.expected, one.reason});
  s.joints = joints_of(fit, of.scores, of.bands);
  s.by_the_file = joints_of(fit, of.by_the_file);
  return s;
}

Summary::Parameter parameter_of(const ArmFit& fit, std::size_t k) {
  const auto i = static_cast<Index>(k);
  const model::Parameter& found = fit.estimate[k];
  const std::array<double, 2> interval = {found.value - fit.half_width(k), found.value + fit.half_width(k)};
  return {found.name, found.unit,         found.value,    fit.free_beta[i], fit.estimate.sigma(k),
          interval,   fit.naive_sigma[i], fit.is_weak(k), fit.grouping(k)};
}

Summary::Consistent consistent_of(const ArmFit& fit) {
  const identify::ConsistentArm& found = *fit.consistent;
  Summary::Consistent s{found.least_eigenvalue, found.conic.gap,
                        found.conic.f,          found.conic.status == solve::ConicStatus::solved,
                        found.active,           found.moved};
  for (std::size_t k = 0; k < fit.parameters.size(); ++k)
    s.standard_parameters.emplace_back(fit.parameters[k].name, found.theta[static_cast<Index>(k)]);
  return s;
}

Summary summary_of(const ArmFit& fit, const std::vector<ScoredArmRun>& runs, const Options& options) {
  const identify::ArmFitOptions& how = fit.options;
  Summary s{.version = version(),
            .command = internal::command_of("identify --what arm", options),
            .name = fit.arm.name(),
            .estimator = options.estimator,
            .effort = how.by_current ? "A" : "N m",
            .medium = how.medium == dynamics::Medium::water ? "water" : "air",
            .drag_moved_to_origins = fit.drag_moved,
            .standard_parameters = fit.parameters.size(),
            .base_parameters_of_any_motion = fit.structural_rank,
            .base_parameters = fit.rank(),
            .scaled_condition_number = fit.scaled_condition,
            .rows = fit.rows,
            .rows_down_weighted = fit.down_weighted,
            .effective_samples = fit.effective_samples,
            .degrees_of_freedom = fit.degrees,
            .variance_inflation = fit.inflation};
  for (const auto& [is_fitted, word] : {std::pair(how.columns.buoyancy, "buoyancy"),
                                        {how.columns.added_mass, "added-mass"},
                                        {how.columns.drag, "drag"}})
    if (is_fitted) s.water_fitted.emplace_back(word);
  for (std::size_t k = 0; k < fit.at_rest.size(); ++k)
    s.rows_at_rest.emplace_back(fit.arm.joints()[k].name, fit.at_rest[k]);
  for (std::size_t k = 0; k < fit.rank(); ++k) s.parameters.push_back(parameter_of(fit, k));
  if (fit.consistent) s.consistent = consistent_of(fit);
  for (const ScoredArmRun& run : runs) {
    s.runs.push_back(run_of(fit, run));
    for (const std::string& words : run.run.warnings) s.notes.push_back(run.run.name + ": " + words);
    if (run.seen) continue;
    if (std::string words = worse_than_file(fit, run); !words.empty()) s.failed.push_back(std::move(words));
  }
  return s;
}

}  // namespace

void Options::check() const {
  if (arm.empty()) reject("--arm", "is missing: --what arm needs one", "--arm NAME, or FILE.urdf");
  if (log.empty()) reject("--log", "is missing: --what arm learns from runs", "--log FILE.csv");
  check_values_of(*this);
}

std::vector<std::filesystem::path> Options::inputs(const std::filesystem::path& arm_file) const {
  std::vector<std::filesystem::path> all = {arm_file};
  all.insert(all.end(), log.begin(), log.end());
  all.insert(all.end(), test.begin(), test.end());
  return all;
}

IdentifyArmResult identify_arm(const Options& options, const Context& context) {
  options.check();
  return identify_arm(model::read_arm(context.paths.arm(options.arm).string()), options, context);
}

IdentifyArmResult identify_arm(const model::Arm& arm, const Options& options, const Context& context) {
  options.check();
  return identify_arm(arm, read_runs(arm, options, context), options, context);
}

IdentifyArmResult identify_arm(const model::Arm& arm, std::vector<ScoredArmRun> runs, const Options& options,
                               const Context& context) {
  check_values_of(options);
  if (runs.empty()) reject("--log", "is missing: --what arm learns from runs", "--log FILE.csv");
  std::vector<identify::DriveGain> wanted;
  const model::Arm driven = with_gains(arm, options, runs.front().run, wanted);
  if (options.rest_shaft_speed && (!options.gains.empty() || !wanted.empty()))
    reject("--rest-shaft-speed",
           "does nothing: gains per joint took the place of the motors, so there are no shafts",
           "--rest-speed is that of joints");
  std::vector<ArmRun> seen;
  std::vector<std::string> names;
  for (const ScoredArmRun& one : runs)
    if (one.seen) {
      seen.push_back(one.run);
      names.push_back(one.run.name);
    }
  context.at("identifying " + arm.name(), 0);
  ArmFit fit = identify::fit_arm(driven, seen, fit_options(options, driven));
  for (ScoredArmRun& one : runs) {
    throw_if(context.stop);
    one.scores = score(fit, one.run);
    one.by_the_file = score_of_file(driven, fit.options, one.run);
    one.bands = score_band(fit, one.run);
  }
  IdentifyArmResult result{{summary_of(fit, runs, options)}, {}, {}};
  for (const identify::DriveGain& gain : wanted)
    result.summary.gains.push_back({gain.gain, gain.sigma, gain.residual});
  for (const std::string& note : arm.spec().notes_of_reading) {
    const Finding finding{.severity = Severity::note, .file = options.arm, .message = note};
    if (context.warn) context.warn(finding);
    result.summary.notes.push_back(finding.text());
  }
  if (fit.consistent)
    result.arm = identified_arm(fit, fmt::format("fathom identify --what arm, from {}", join(names, ", ")));
  result.evidence = IdentifyArmResult::Evidence{std::move(fit), std::move(runs)};
  return result;
}

// The keys of summary.json, in its order.
FATHOM_JSON(Summary::Gain, gain, sigma, residual)
FATHOM_JSON(Summary::Parameter, name, unit, estimate, free_estimate, sigma, interval_95, naive_sigma, weak,
            grouping)
FATHOM_JSON(Summary::Consistent, least_pseudo_inertia_eigenvalue, gap, objective, solved, held_back_by,
            moved_chi_square, standard_parameters)
FATHOM_JSON(Summary::Joint, joint, samples, rmse, nrmse, r2, half_band_95, in_band_95)
FATHOM_JSON(Summary::Outlier, line, time_s, signal, value, expected, reason)
FATHOM_JSON(Summary::Run, name, seen, samples, repeated_rows, trimmed_samples, gaps, uneven_s, held_positions,
            outliers, joints, by_the_file)
FATHOM_SUMMARY(IdentifyArmSummary, version, command, what, name, estimator, effort, medium, water_fitted,
               drag_moved_to_origins, standard_parameters, base_parameters_of_any_motion, base_parameters,
               scaled_condition_number, rows, rows_at_rest, rows_down_weighted, effective_samples,
               degrees_of_freedom, variance_inflation, gains, parameters, consistent, runs, notes, failed,
               files)

std::vector<ResultFile> IdentifyArmResult::files() const {
  if (!arm) return {};
  return {{"arm.yaml", model::arm_to_yaml(*arm)}};
}
IdentifyArmResult IdentifyArmResult::load(const std::filesystem::path& folder) {
  IdentifyArmResult result{{load_summary(folder)}, {}, {}};
  if (result.summary.consistent) result.arm = model::read_arm((folder / "arm.yaml").string());
  return result;
}

}  // namespace fathom::task
