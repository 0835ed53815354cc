#include "fathom/task/identify/thruster.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/task/internal/json.hpp"
#include "fathom/task/internal/option_table.hpp"

namespace fathom {

template <>
const fields::Keys& fields::Table<task::IdentifyThrusterOptions>::fields() {
  using Options = task::IdentifyThrusterOptions;
  static const Keys keys{
      field<&Options::table>("table").metavar("FILE").doc(
          "With --what thruster: CSV of a bollard or towing test, a column of commands and one of forces."),
      field<&Options::column>("column")
          .metavar("ROLE=NAME:UNIT")
          .doc(
              "Role of a column, if its name does not say it: command, force, voltage, speed, current, inflow, "
              "time; NAME is a number where there is no header; may be repeated."),
      field<&Options::steps>("steps").metavar("FILE").doc(
          "CSV of a run in time beside the table: time, command, and speed, force or both; laws of the "
          "transient "
          "are fitted to some runs or steps and scored on the others; may be repeated."),
      field<&Options::test>("test").metavar("FILE").doc(
          "Run in time, of an arm or a thruster, for validation only; may be repeated."),
      field<&Options::law>("law")
          .metavar("LAW")
          .by_default("the simplest that predicts unseen steps as well as the best")
          .doc("Law of the transient: force, shaft or motor, each perhaps with +flow."),
      field<&Options::neutral>("neutral")
          .metavar("X")
          .by_default("1500 us, or 0")
          .doc("Command that gives no force."),
      field<&Options::name>("name").metavar("NAME").doc("Name of the map in the robot file.")};
  return keys;
}

}  // namespace fathom

namespace fathom::task {
namespace {

using identify::IdentifiedThruster;
using identify::StepLawChoice;
using identify::StepRun;
using Options = IdentifyThrusterOptions;
using Summary = IdentifyThrusterSummary;

identify::ColumnChoice column_choice(const std::vector<std::string>& texts) {
  identify::ColumnChoice choice;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      reject("--column", fmt::format("= {}, expected ROLE=NAME:UNIT", in_quotes(text)),
             "such as force=Thrust:kgf");
    if (!choice.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      reject("--column", fmt::format("names {} twice", text.substr(0, equals)));
  }
  return choice;
}

Summary::Side side_of(const identify::SideChoice& side) {
  Summary::Side s{side.law.degree,
                  side.law.edge,
                  side.law.c,
                  side.full_force,
                  side.rmse,
                  side.chosen().error,
                  0.5 * (side.high - side.low).mean()};
  for (const auto& one : side.tried) s.tried.push_back({one.degree, one.error});
  return s;
}

std::optional<Summary::Shaft> shaft_of(const std::optional<IdentifiedThruster::Shaft>& of) {
  if (!of) return {};
  const auto& [fit, thrust] = *of;
  return Summary::Shaft{fit.shaft.a, fit.shaft.exponent, fit.exponent_sigma, fit.shaft.c, fit.c_sigma,
                        fit.r2,      thrust.T_ww,        thrust.sigma,       thrust.r2};
}

std::optional<Summary::Motor> motor_of(const std::optional<identify::MotorConstants>& of) {
  if (!of) return {};
  return Summary::Motor{of->k_t, of->k_t_sigma, of->resistance, of->resistance_sigma};
}

std::optional<Summary::Inflow> inflow_of(const std::optional<identify::TowedThruster>& towed) {
  if (!towed) return {};
  const identify::AdvanceLoss& loss = towed->loss;
  Summary::Inflow s{towed->points.size(), loss.thrust.ww, loss.ww_sigma(),       loss.thrust.wu,
                    loss.wu_sigma(),      loss.r2,        loss.r2_without_inflow};
  for (const double speed : towed->speeds())
    for (const double inflow : towed->inflows()) {
      const auto [share, sigma] = loss.loss(speed, inflow);
      s.loss.push_back({speed, inflow, share, sigma});
    }
  return s;
}

Summary::Law law_of(const identify::StepLawFit& fit) {
  Summary::Law s{.law = name_of(fit.law),
                 .converged = fit.converged,
                 .held_out_error = fit.error,
                 .worse = fit.worse,
                 .worse_sigma = fit.worse_sigma};
  if (!fit.why_not.empty()) s.why_not = fit.why_not;
  for (const auto& of : fit.parameters)
    s.parameters.emplace_back(of.name, Summary::Number{of.value, {of.low, of.high}, of.unit, of.of_bench});
  for (const auto& [run, speed_r2, force_r2, speed_rmse, force_rmse] : fit.held_out)
    s.held_out.push_back({run, speed_r2, force_r2, speed_rmse, force_rmse});
  return s;
}

std::optional<Summary::Dynamics> dynamics_of(const std::optional<StepLawChoice>& choice) {
  if (!choice) return {};
  Summary::Dynamics s{.law = name_of(choice->best().law),
                      .forced = choice->forced,
                      .held_out = choice->by_runs     ? "runs"
                                  : choice->steps > 1 ? "steps"
                                                      : "nothing",
                      .steps = choice->steps,
                      .not_told = choice->not_told()};
  for (const auto& fit : choice->laws) s.laws.push_back(law_of(fit));
  return s;
}

std::string law_name(const IdentifiedThruster& found) {
  if (found.table) return "table";
  if (found.propeller) return "propeller";
  return std::holds_alternative<model::LinearQuadratic>(found.map().law) ? "linear_quadratic"
                                                                         : "polynomial_pair";
}

Summary::Score score_of(const identify::StepScore& of) {
  return {of.run, of.speed_r2, of.force_r2, of.speed_rmse, of.force_rmse};
}

/// Throws InputError, with the run's file, where a run of --test cannot be compared with the law.
void check_test(const IdentifiedThruster& found, const identify::StepLaw& law, const StepRun& run) {
  identify::check_step_run(found, run);
  if (const std::string why = identify::why_not(found, law, {run}); !why.empty())
    reject(run.file.empty() ? run.name : run.file, 0, "",
           fmt::format("cannot be compared with the law {}: it {}", name_of(law), why),
           "add the column, or choose another law by --law");
}

/// Scores runs of --test under the chosen law, and under the same map without any lag.
void score_tests(const IdentifiedThruster& found, const identify::StepLawFit& fit,
                 const std::vector<StepRun>& tests, Summary& s) {
  if (tests.empty()) return;
  for (const StepRun& run : tests) check_test(found, fit.law, run);
  const identify::StepModel model(found, fit.law, tests);
  identify::StepLaw at_once = fit.law;
  at_once.flow = false;
  if (at_once.base == identify::StepLaw::Base::motor) at_once.base = identify::StepLaw::Base::shaft;
  const identify::StepModel map(found, at_once, tests);
  identify::StepNumbers none;
  none.lag = 1e-9;
  none.speed_scale = fit.numbers.speed_scale, none.force_scale = fit.numbers.force_scale;
  for (std::size_t k = 0; k < tests.size(); ++k) {
    const auto with = score_of(identify::score_step_run(model, fit.numbers, tests[k], k)),
               without = score_of(identify::score_step_run(map, none, tests[k], k));
    s.dynamics->tests.push_back(with);
    s.dynamics->without_law.push_back(without);
    const bool by_force = std::isfinite(with.force_r2);
    const double error = by_force ? with.force_rmse_N : with.speed_rmse_rad_s,
                 beside = by_force ? without.force_rmse_N : without.speed_rmse_rad_s;
    if (!std::isfinite(error) || !std::isfinite(beside))
      reject(tests[k].file, 0, "", fmt::format("cannot be compared with the law {}", name_of(fit.law)),
             "are its commands within those of the table?");
    // Of an unseen run that is predicted worse than by its own mean, nothing was learnt.
    if (const double r2 = std::fmin(with.speed_r2, with.force_r2); r2 < 0)
      s.failed.push_back(
          fmt::format("{}: R2 of the {} is {:.3g} on this unseen run, must be above 0 (a slip in the file? "
                      "has it the table's units and neutral?)",
                      tests[k].file, with.force_r2 == r2 ? "force" : "speed", r2));
    if (error > beside)
      s.failed.push_back(
          fmt::format("{}: the law {} predicts this unseen run worse than a force that follows at once: {:.3g} "
                      "against {:.3g} {} (does its command have the table's unit and neutral?)",
                      tests[k].file, name_of(fit.law), error, beside, by_force ? "N" : "rad/s"));
  }
}

/// Rows of the table that the others contradict.
void add_strange_rows(const identify::BollardTable& table, const IdentifiedThruster& found,
                      const Options& options, Summary& s) {
  for (const identify::StrangeRow& row : identify::strange_rows(table, found.map().command.neutral)) {
    const std::string place = row.line > 0 ? fmt::format("{}:{}", options.table, row.line) : "the table";
    s.failed.push_back(
        fmt::format("{}: force {:.4g} N at command {:g}, where the other rows give {:.4g} N (a slip? "
                    "mend it, or leave the line out)",
                    place, row.force, row.command, row.expected));
  }
}

Summary summary_of(const IdentifiedThruster& found, const std::optional<StepLawChoice>& steps,
                   const std::vector<std::string>& columns, const Options& options) {
  const model::ForceRange range = model::attained_force(found.map(), {}, 1000);
  Summary s{.version = version(),
            .command = internal::command_of("identify --what thruster", options),
            .name = options.name,
            .columns = columns,
            .command_unit = std::string(name_of(found.unit)),
            .law = law_name(found),
            .force_N = {range.min, range.max},
            .motor_forward = motor_of(found.forward_motor),
            .motor_reverse = motor_of(found.reverse_motor),
            .inflow_forward = inflow_of(found.forward_towed),
            .inflow_reverse = inflow_of(found.reverse_towed),
            .dynamics = dynamics_of(steps),
            .not_fitted = found.left_out};
  for (const auto& test : found.tests)
    s.tests.push_back({test.voltage, side_of(test.laws.forward), side_of(test.laws.reverse),
                       shaft_of(test.forward_shaft), shaft_of(test.reverse_shaft)});
  if (!found.table) return s;
  for (const auto& gap : found.table->between) {
    const Eigen::Map<const Eigen::VectorXd> half(gap.half.data(), static_cast<Eigen::Index>(gap.half.size()));
    s.between_voltages.push_back({gap.voltage, {gap.below, gap.above}, half.mean(), half.maxCoeff()});
  }
  s.points_moved = found.table->pooled_points;
  for (const auto& out : found.table->left_out)
    s.voltages_left_out.push_back({out.voltage, {out.below, out.above}, out.rms, out.peak, out.full_force});
  return s;
}

/// What the map holds of inflow, for who pastes it.
std::string inflow_comment(const IdentifiedThruster& found) {
  if (found.propeller && found.reverse_towed)
    return "# T_ww and T_wu are of rows with inflow, on both sides. The speeds are those at which T_ww |w| w "
           "is the force in still water.\n";
  if (found.propeller)
    return "# T_wu is of rows with inflow, forward. The speeds are those at which T_ww |w| w is the force in "
           "still water:\n# in reverse, where the blades push less, they are below the true ones.\n";
  if (!found.forward_towed) return "";
  const model::ThrustCoefficients& thrust = found.forward_towed->loss.thrust;
  return fmt::format(
      "# Not held: thrust lost to inflow, T_ww = {:.4g} N s^2, T_wu = {:.4g} N s^2/m; a table over voltage has "
      "none.\n",
      thrust.ww, thrust.wu);
}

std::string yaml_of(const IdentifiedThruster& found, const std::optional<StepLawChoice>& steps,
                    const std::vector<StepRun>& runs, const std::string& name) {
  const std::string comment = inflow_comment(found);
  if (!steps) return comment + model::thruster_map_to_yaml(name, found.map());
  const identify::StepLawFit& fit = steps->best();
  const identify::StepModel model(found, fit.law, runs);
  std::vector<std::string> names;
  for (const StepRun& run : runs) names.push_back(run.name);
  const std::string source =
      fmt::format("fathom identify --what thruster, law {}, from {}", name_of(fit.law), join(names, ", "));
  return comment + model::thruster_map_to_yaml(name, model.map()) +
         model::thruster_transient_to_yaml(name + "_lag", model.transient(fit.numbers, source));
}

/// Findings about the table are about its file.
[[noreturn]] void throw_with_file(const InputError& error, const std::string& file) {
  Findings findings = error.findings();
  for (Finding& finding : findings)
    if (finding.file.empty() && finding.key == "table") {
      finding.file = file;
      finding.key.clear();
    }
  throw InputError(std::move(findings));
}

}  // namespace

void Options::check() const {
  fields::check_values(*this);
  if (table.empty())
    reject("--table", "is missing: --what thruster learns from a bollard test", "--table FILE.csv");
  if (!is_plain_name(name))
    reject("--name", fmt::format("= {}, expected letters, digits, - and _", in_quotes(name)));
  if (!test.empty() && steps.empty())
    reject("--test", "is a run that a law in time is judged by, and there is none to learn one from",
           "--steps FILE.csv");
  if (!law.empty() && steps.empty())
    reject("--law", "is of runs in time, and there is none", "--steps FILE.csv");
}

std::vector<std::filesystem::path> Options::inputs() const {
  std::vector<std::filesystem::path> all = {table};
  all.insert(all.end(), steps.begin(), steps.end());
  all.insert(all.end(), test.begin(), test.end());
  return all;
}

IdentifyThrusterResult identify_thruster(const Options& options, const Context& context) {
  options.check();
  const identify::ColumnChoice choice = column_choice(options.column);
  const identify::BollardTable table = identify::bollard_table(log::read_number_table(options.table), choice);
  const auto read = [&](const std::vector<std::string>& files) {
    std::vector<StepRun> runs;
    for (const std::string& file : files) {
      throw_if(context.stop);
      runs.push_back(identify::step_run(log::read_number_table(file), choice, table.unit));
    }
    return runs;
  };
  std::vector<StepRun> runs = read(options.steps), tests = read(options.test);
  try {
    return identify_thruster(table, std::move(runs), options, context, std::move(tests));
  } catch (const InputError& error) {
    throw_with_file(error, options.table);
  }
}

IdentifyThrusterResult identify_thruster(const identify::BollardTable& table, std::vector<StepRun> runs,
                                         const Options& options, const Context& context,
                                         std::vector<StepRun> tests) {
  const std::string doing = "identifying " + options.name;
  context.at(doing, 0, "static laws");
  IdentifiedThruster found =
      identify::identify_thruster(table, identify::command_of(table, options.neutral),
                                  fmt::format("fathom identify --what thruster, from {}",
                                              std::filesystem::path(options.table).filename().string()),
                                  options.search);
  std::optional<StepLawChoice> steps;
  if (!runs.empty()) {
    context.at(doing, 0.5, "transients");
    const auto law = options.law.empty() ? std::nullopt : std::optional(identify::step_law_named(options.law));
    steps = identify::choose_step_law(found, runs, law);
  }
  throw_if(context.stop);
  Summary summary = summary_of(found, steps, table.columns, options);
  add_strange_rows(table, found, options, summary);
  if (steps) score_tests(found, steps->best(), tests, summary);
  std::string yaml = yaml_of(found, steps, runs, options.name);
  return {
      {std::move(summary)},
      std::move(yaml),
      IdentifyThrusterResult::Evidence{std::move(found), std::move(runs), std::move(steps), std::move(tests)}};
}

// The keys of summary.json, in its order.
FATHOM_JSON(Summary::Tried, degree, held_out_error_N)
FATHOM_JSON(Summary::Side, degree, dead_band, coefficients, full_force_N, rmse_N, held_out_error_N, half_band_N,
            tried)
FATHOM_JSON(Summary::Shaft, a, exponent, exponent_sigma, c, c_sigma, r2, T_ww, T_ww_sigma, T_ww_r2)
FATHOM_JSON(Summary::Test, voltage, forward, reverse, forward_shaft, reverse_shaft)
FATHOM_JSON(Summary::LeftOut, voltage, from, rms_N, peak_N, full_force_N)
FATHOM_JSON(Summary::Between, voltage, from, mean_half_band_N, largest_half_band_N)
FATHOM_JSON(Summary::Motor, k_t, k_t_sigma, resistance, resistance_sigma)
FATHOM_JSON(Summary::Loss, shaft_speed_rad_s, inflow_m_s, share, sigma)
FATHOM_JSON(Summary::Inflow, points, T_ww, T_ww_sigma, T_wu, T_wu_sigma, r2, r2_without_inflow, loss)
FATHOM_JSON(Summary::Number, estimate, interval_95, unit, of_bench)
FATHOM_JSON(Summary::Score, run, speed_r2, force_r2, speed_rmse_rad_s, force_rmse_N)
FATHOM_JSON(Summary::Law, law, why_not, converged, held_out_error, worse, worse_sigma, parameters, held_out)
FATHOM_JSON(Summary::Dynamics, law, forced, held_out, steps, laws, tests, without_law, not_told)
FATHOM_SUMMARY(IdentifyThrusterSummary, version, command, what, name, columns, command_unit, law, force_N,
               tests, voltages_left_out, between_voltages, points_moved, motor_forward, motor_reverse,
               inflow_forward, inflow_reverse, dynamics, not_fitted, failed, files)

IdentifyThrusterResult IdentifyThrusterResult::load(const std::filesystem::path& folder) {
  return {{load_summary(folder)}, read_file(folder / "thruster.yaml"), {}};
}

}  // namespace fathom::task
