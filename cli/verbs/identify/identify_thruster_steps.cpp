#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/model_file/robot_file.hpp"

#include "cli/terminal/number_text.hpp"
#include "cli/terminal/table.hpp"
#include "cli/verbs/identify/identify_thruster_result.hpp"

namespace fathom::cli {
namespace {

using identify::StepLawChoice;
using identify::StepLawFit;
using identify::StepParameter;
using identify::StepScore;
using Json = nlohmann::ordered_json;

Json law_json(const StepLawFit& fit) {
  Json parameters = Json::object(), runs = Json::array();
  for (const StepParameter& of : fit.parameters)
    parameters[of.name] = {{"estimate", of.value},
                           {"interval_95", {of.low, of.high}},
                           {"unit", of.unit},
                           {"of_bench", of.of_bench}};
  for (const StepScore& score : fit.held_out)
    runs.push_back({{"run", score.run},
                    {"speed_r2", score.speed_r2},
                    {"force_r2", score.force_r2},
                    {"speed_rmse_rad_s", score.speed_rmse},
                    {"force_rmse_N", score.force_rmse}});
  return {{"law", name_of(fit.law)},    {"why_not", fit.why_not.empty() ? Json() : Json(fit.why_not)},
          {"converged", fit.converged}, {"held_out_error", fit.error},
          {"worse", fit.worse},         {"worse_sigma", fit.worse_sigma},
          {"parameters", parameters},   {"held_out", runs}};
}

std::string laws_text(const StepLawChoice& choice) {
  Table table(
      {"law", "unknowns", "run, not seen", "R2 of speed", "R2 of force", "rmse", "", "worse than best"});
  for (const StepLawFit& fit : choice.laws) {
    const bool is_chosen = &fit == &choice.best();
    std::string name = (is_chosen ? "* " : "  ") + name_of(fit.law);
    for (const StepScore& score : fit.held_out) {
      const auto with_unit = [](double value, const char* unit) {
        return std::isfinite(value) ? significant(value, 3) + unit : "-";
      };
      table.row(
          {name, name.empty() ? "" : fmt::format("{}", fit.unknowns()), score.run, fixed(score.speed_r2, 4),
           fixed(score.force_r2, 4), with_unit(score.speed_rmse, " rad/s"), with_unit(score.force_rmse, " N"),
           name.empty() || choice.forced ? "" : fmt::format("{:.2g} +- {:.1g}", fit.worse, fit.worse_sigma)});
      name.clear();
    }
  }
  return table.text();
}

std::string parameters_text(const StepLawFit& fit) {
  Table table({"parameter", "value", "95 %", ""});
  for (const StepParameter& of : fit.parameters)
    table.row({of.name + (of.unit.empty() ? "" : " [" + of.unit + "]"), significant(of.value),
               of.at_bound ? "not shown" : fmt::format("{:.3g} to {:.3g}", of.low, of.high),
               of.of_bench ? "of the bench, not in the map" : ""});
  return table.text();
}

}  // namespace

Json steps_json(const std::optional<StepLawChoice>& choice) {
  if (!choice) return {};
  Json laws = Json::array();
  for (const StepLawFit& fit : choice->laws) laws.push_back(law_json(fit));
  return {{"law", name_of(choice->best().law)},
          {"forced", choice->forced},
          {"held_out", choice->by_runs     ? "runs"
                       : choice->steps > 1 ? "steps"
                                           : "nothing"},
          {"steps", choice->steps},
          {"laws", laws},
          {"not_told", choice->not_told()}};
}

std::string steps_text(const StepLawChoice& choice, const std::string& name) {
  std::string text = fmt::format(
      "{} follows its command by the law {}, {}; its thrusters say transient: {}_lag\n{}\n{}\n", name,
      name_of(choice.best().law),
      choice.forced ? "as told"
                    : "the simplest that is within one standard error of the best on steps not seen",
      name, laws_text(choice), parameters_text(choice.best()));
  for (const StepLawFit& fit : choice.laws)
    if (!fit.why_not.empty() && !choice.forced)
      text += fmt::format("not tried: {}, which {}\n", name_of(fit.law), fit.why_not);
  for (const std::string& words : choice.not_told()) text += "not told: " + words + "\n";
  return text;
}

std::string steps_yaml(const ThrusterResult& result) {
  const identify::StepLawFit& fit = result.steps->best();
  const identify::StepModel model(result.found, fit.law, result.runs);
  std::vector<std::string> names;
  for (const identify::StepRun& run : result.runs) names.push_back(run.name);
  return model::thruster_map_to_yaml(result.name, model.map()) +
         model::thruster_transient_to_yaml(
             result.name + "_lag",
             model.transient(fit.numbers, fmt::format("fathom identify --what thruster, law {}, from {}",
                                                      name_of(fit.law), join(names, ", "))));
}

}  // namespace fathom::cli
