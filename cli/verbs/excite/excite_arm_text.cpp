#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/excite/reading.hpp"

#include "cli/shipped.hpp"
#include "cli/terminal/number_text.hpp"
#include "cli/terminal/table.hpp"
#include "cli/verb.hpp"
#include "cli/verbs/excite/excite_arm_result.hpp"
#include "cli/verbs/excite/excite_result.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

using Json = nlohmann::ordered_json;  // it writes what is not finite as null

/// Of a parameter that is zero in the arm file nothing is relative.
std::string relative_text(const excite::Prediction& shown, std::size_t k) {
  if (shown.parameters[k].value == 0) return "-";
  return shown.relative(k) <= 10 ? fmt::format("{:.3g} %", 100 * shown.relative(k)) : "> 1000 %";
}

std::string shown_table(const ArmExciteResult& result) {
  Table table({"base parameter", "value", "predicted sigma", "unit", "relative", "made of"});
  const model::ParameterVector& parameters = result.shown.parameters;
  for (std::size_t k = 0; k < parameters.size(); ++k)
    table.row({parameters[k].name, significant(parameters[k].value), significant(parameters.sigma(k), 2),
               parameters[k].unit, relative_text(result.shown, k), result.shown.made_of[k]});
  return table.text();
}

/// Of each kind of limit the joint that comes nearest to it.
std::string arm_margin_table(const ArmExciteResult& result) {
  std::map<excite::ArmLimit, const excite::ArmMargin*> nearest;
  for (const excite::ArmMargin& margin : result.design.margins) {
    const auto [at, is_first] = nearest.emplace(margin.limit, &margin);
    if (!is_first && margin.share() < at->second->share()) at->second = &margin;
  }
  Table table({"limit on", "reached", "allowed", "left", "unit", "joint"});
  for (const auto& [limit, margin] : nearest) {
    const model::Joint& joint = result.problem().arm.joints()[margin->joint];
    table.row({limit == excite::ArmLimit::position ? "position from the middle" : to_string(limit),
               significant(margin->reached), significant(margin->allowed), percent(margin->share()),
               unit_of(joint, limit), joint.name});
  }
  return table.text();
}

Json arm_problem_json(const ArmExciteResult& result) {
  const excite::ArmProblem& problem = result.problem();
  return {{"name", problem.name},
          {"title", problem.title},
          {"file", problem.file},
          {"arm", problem.arm.name()},
          {"arm_file", problem.arm_file},
          {"held", problem.held},
          {"medium", problem.medium == dynamics::Medium::water ? "water" : "air"},
          {"space", problem.space == excite::ArmSpace::motor ? "motor" : "joint"},
          {"measured", problem.in_current ? "current" : "effort"},
          {"noise", problem.noise},
          {"harmonics", problem.harmonics},
          {"period_s", problem.period},
          {"samples", problem.samples},
          {"criterion", to_string(problem.criterion)},
          {"starts", problem.starts}};
}

Json arm_parameters_json(const ArmExciteResult& result) {
  Json list = Json::array();
  const model::ParameterVector& parameters = result.shown.parameters;
  for (std::size_t k = 0; k < parameters.size(); ++k)
    list.push_back({{"name", parameters[k].name},
                    {"unit", parameters[k].unit},
                    {"value", parameters[k].value},
                    {"sigma", parameters.sigma(k)},
                    {"relative", result.shown.relative(k)},
                    {"grouping", result.shown.made_of[k]}});
  return list;
}

Json arm_margins_json(const ArmExciteResult& result) {
  Json list = Json::array();
  for (const excite::ArmMargin& margin : result.design.margins) {
    const model::Joint& joint = result.problem().arm.joints()[margin.joint];
    list.push_back({{"joint", joint.name},
                    {"limit", to_string(margin.limit)},
                    {"unit", unit_of(joint, margin.limit)},
                    {"reached", margin.reached},
                    {"allowed", margin.allowed},
                    {"share_left", margin.share()}});
  }
  return list;
}

Json arm_starts_json(const excite::ArmDesign& design) {
  Json list = Json::array();
  for (const excite::Start& start : design.starts)
    list.push_back({{"number", start.number},
                    {"last", start.last},
                    {"polished", start.polished},
                    {"status", solve::to_string(start.status)},
                    {"iterations", start.iterations},
                    {"drawn_together", start.was_shrunk}});
  return list;
}

/// How much of it one period shows, and what would show more.
std::string worth_of(const ArmExciteResult& result) {
  const model::ParameterVector& parameters = result.shown.parameters;
  int known = 0, lost = 0;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    known += result.shown.relative(k) <= 0.1;
    lost += parameters[k].value != 0 && result.shown.relative(k) > 1;
  }
  std::string text = fmt::format("one period shows {} of {} within 10 %", known, parameters.size());
  if (lost > 0)
    text += fmt::format(
        "; {} have a sigma above their value: accelerations are small (try a shorter --duration), or add "
        "periods",
        lost);
  return text + "\n";
}

/// The command that takes the run that this motion gives, with the same columns.
std::string identify_command(const ArmExciteResult& result) {
  const excite::ArmProblem& problem = result.problem();
  const dynamics::ArmColumns& columns = problem.columns;
  const bool ships = std::filesystem::path(problem.arm_file).parent_path() == arm_folders().front();
  std::string text =
      "fathom identify --what arm --arm " + (ships ? problem.arm.name() : shell_word(problem.arm_file));
  if (problem.in_current) text += " --by-current";
  const Vec3 usual_down(0, 0, problem.arm_file.ends_with(".urdf") ? -1 : 1);
  if (problem.down_b != usual_down)
    text += fmt::format(" --down {:g},{:g},{:g}", problem.down_b[0], problem.down_b[1], problem.down_b[2]);
  if (problem.medium == dynamics::Medium::air) text += " --medium air";
  using Coulomb = dynamics::ArmColumns::Coulomb;
  if (columns.coulomb == Coulomb::by_direction) text += " --friction direction";
  if (columns.coulomb == Coulomb::symmetric && columns.motor) text += " --friction coulomb";
  if (columns.coulomb == Coulomb::none && columns.viscous) text += " --friction viscous";
  if (!columns.viscous && !columns.motor) text += " --friction none";
  if (!columns.offset) text += " --no-offset";
  return text + " --log RUN.csv";
}

std::string what_next(const ArmExciteResult& result) {
  const excite::ArmClock& clock = result.run_in.clock;
  return fmt::format(
      "next: take the arm to the first row of trajectory.csv and move it by that table ({:g} rows each "
      "second,\n"
      "{:g} s from rest to rest: {:g} s to start, {:g} s of motion, {:g} s to stop), record positions{} and "
      "{}, then\n"
      "  {}\n",
      result.rate_hz, clock.end(), clock.lead, clock.motion, clock.lead,
      result.problem().held.empty() ? "" : ", of held joints too,",
      result.problem().in_current ? "currents" : "efforts", identify_command(result));
}

}  // namespace

std::string in_words(const ArmExciteResult& result, double criterion) {
  const excite::Reading reading = excite::reading_of(result.problem().criterion, criterion,
                                                     static_cast<Eigen::Index>(result.shown.parameters.size()));
  return result.problem().criterion == excite::Criterion::condition
             ? fmt::format("condition number {:.4g}", reading.value)
             : fmt::format("criterion {:.4g}", criterion);
}

std::string certificate_of(const ArmExciteResult& result) {
  const auto& c = result.design.certificate;
  return fmt::format(
      "{} after {} iterations of start {}: stationarity {:.2g}, complementarity {:.2g}, margin {:.2g}",
      solve::to_string(c.status), c.iterations, result.design.start, c.stationarity, c.complementarity,
      c.margin);
}

nlohmann::ordered_json summary_of(const ArmExciteResult& result) {
  const excite::ArmDesign& design = result.design;
  const auto& c = design.certificate;
  return {{"command", result.command},
          {"version", FATHOM_VERSION},
          {"seed", result.seed},
          {"problem", arm_problem_json(result)},
          {"criterion", design.value},
          {"criterion_in_words", in_words(result, design.value)},
          {"condition_number", design.condition},
          {"condition_number_in_units", design.raw_condition},
          {"condition_number_of_random_motions", result.random_condition},
          {"parameters", arm_parameters_json(result)},
          {"certificate",
           {{"status", solve::to_string(c.status)},
            {"stationarity", c.stationarity},
            {"complementarity", c.complementarity},
            {"margin", c.margin},
            {"iterations", c.iterations}}},
          {"run_in_s", result.run_in.clock.lead},
          {"motion_s", result.run_in.clock.motion},
          {"inside_limits", result.is_inside()},
          {"margins", arm_margins_json(result)},
          {"best_start", design.start},
          {"starts", arm_starts_json(design)},
          {"interrupted", design.interrupted},
          {"notes", design.notes},
          {"files", Json::array()}};
}

std::string text_of(const ArmExciteResult& result) {
  const excite::ArmProblem& problem = result.problem();
  const excite::ArmDesign& design = result.design;
  std::string text = fmt::format(
      "{}: {} base parameters of {} from a period of {:g} s, {} harmonics of each {}, {}\n", problem.name,
      result.shown.parameters.size(), problem.arm.name(), problem.period, problem.harmonics,
      problem.space == excite::ArmSpace::motor ? "shaft" : "joint", to_string(problem.criterion));
  if (!problem.held.empty()) text += fmt::format("held: {}\n", join(problem.held, ", "));
  text += shown_table(result);
  text += fmt::format("predicted sigma: of least squares on {} samples of a period with noise of {:g} {}\n",
                      problem.samples, problem.noise, problem.in_current ? "A" : "N m");
  text += worth_of(result);
  text += fmt::format(
      "condition number {:.4g}, columns at the lengths that random motions give them; the best of "
      "{} random motions: {:.4g}\n\n",
      design.condition, ArmExciteResult::random_motions, result.random_condition);
  text += arm_margin_table(result);
  text += fmt::format("certificate: {}\n", certificate_of(result));
  if (design.interrupted)
    text += fmt::format("INTERRUPTED: the best of {} of {} starts\n", design.starts.size(), problem.starts);
  if (!result.is_inside()) text += "A LIMIT IS BROKEN, see the margins\n";
  return text + what_next(result);
}

}  // namespace fathom::cli
