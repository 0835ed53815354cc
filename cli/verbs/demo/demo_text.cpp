#include <fmt/format.h>

#include "fathom/base/constants.hpp"

#include "cli/terminal/table.hpp"
#include "cli/verb.hpp"
#include "cli/verbs/demo/demo_result.hpp"

namespace fathom::cli {
namespace {

std::string tried_structures(const identify::StructureChoice& choice) {
  Table table({"structure", "parameters", "error on held-out blocks", "worse than the best by"});
  for (std::size_t k = 0; k < choice.candidates.size(); ++k) {
    const identify::Candidate& c = choice.candidates[k];
    table.row(
        {c.structure.name, fmt::format("{}", c.structure.size()),
         c.tried ? fmt::format("{:.4f}", c.error) : "-",
         fmt::format("{}{}", c.tried ? fmt::format("{:.4f} +- {:.4f}", c.worse, c.worse_sigma) : c.why_not,
                     k == choice.chosen ? "  <- chosen" : "")});
  }
  return table.text();
}

std::string parameter_table(const std::vector<studies::Estimated>& parameters) {
  Table table({"parameter", "true", "estimated", "95 % interval", "unit", ""});
  for (const studies::Estimated& e : parameters)
    table.row({e.name, fmt::format("{:.3f}", e.truth), fmt::format("{:.3f}", e.value),
               fmt::format("{:.3f} .. {:.3f}", e.low(), e.high()), e.unit, e.holds() ? "" : "misses"});
  return table.text();
}

std::string r2_table(const DemoResult& result) {
  const auto paths = result.trajectories(result.validation), pilot = result.joystick(result.validation);
  const auto linear_paths = result.trajectories(result.linear_validation);
  const auto linear_pilot = result.joystick(result.linear_validation);
  Table table({"R2 of", "unseen motions", "linear structure", "joystick", "linear structure",
               "in the 95 % band, motions", "joystick"});
  for (const int i : model::free_indices(result.validation.dof)) {
    const auto r2 = [&](const identify::Validation& v) {
      return model::is_free(v.dof, i) ? fmt::format("{:.3f}", v.r2(i).median) : "-";
    };
    const auto coverage = [&](const identify::Validation& v) {
      return fmt::format("{:.1f} %", 100 * v.coverage(i).median);
    };
    table.row({std::string(model::dof_name(i)), r2(paths), r2(linear_paths), r2(pilot), r2(linear_pilot),
               coverage(paths), coverage(pilot)});
  }
  return table.text();
}

std::string tracking_table(const studies::TrackingComparison& tracking) {
  Table table({"control on an unseen path", "off it, rms", "largest"});
  const auto row = [&](const char* name, const std::optional<loop::Tracking>& t) {
    table.row({name, t ? fmt::format("{:.2f} cm", 100 * t->position_rms) : "ran away",
               t ? fmt::format("{:.2f} cm", 100 * t->position_max) : ""});
  };
  row("PID alone", tracking.alone);
  row("PID with feed-forward of the nominal robot", tracking.nominal);
  row("PID with feed-forward of the identified robot", tracking.identified);
  return table.text();
}

}  // namespace

std::string text_of(const DemoResult& result) {
  const identify::Identified& identified = result.chosen.identified;
  const identify::NuisanceEstimate& nuisance = identified.fit.nuisance;
  std::string text = fmt::format("{}\nexcited and swum: {:g} s, {:.1f} m\n\n", result.day.excitation.title,
                                 result.problem.duration(), result.statistics.distance);
  if (identified.choice) text += tried_structures(*identified.choice) + "\n";
  text += parameter_table(result.parameters);
  text += fmt::format(
      "{} of {} intervals hold the plant's own number; what the structure lacks (lag, lift, "
      "tether)\n"
      "goes into those that it has\n"
      "delay from command to force: {:.0f} +- {:.0f} ms (95 %)\n",
      result.held(), result.parameters.size(), 1000 * nuisance.value.delay,
      1000 * sigmas_of_95 * nuisance.delay_sigma);
  for (const std::string& name : identified.active_constraints()) text += fmt::format("BOUND HIT: {}\n", name);
  for (const std::string& name : identified.expected_active_constraints())
    text += fmt::format("at its edge, as hulls may be: {}\n", name);
  text += fmt::format("\n{}medians over {} unseen motions of {:g} s; {:g} s of joystick\n\n{}\n",
                      r2_table(result), result.unseen.motions.size(), result.problem.duration(),
                      result.sizes.joystick_seconds, tracking_table(result.tracking));
  for (const DemoResult::Check& check : result.checks())
    if (!check.holds) text += fmt::format("A CHECK FAILED: {}\n", check.what);
  return text;
}

std::string next_steps(const DemoResult& result, const std::filesystem::path& folder) {
  const identify::Identified& identified = result.chosen.identified;
  const auto at = [&](const char* name) { return shell_word((folder / name).string()); };
  return fmt::format(
      "again, from the files:\n"
      "  fathom identify --robot {} --log {} --thrust-sigma {}{}{}\n"
      "  fathom validate --robot {} --log {}\n"
      "report: {}\n",
      at("nominal.yaml"), at(swim_log), studies::bench_sigma,
      identified.has_active_constraint() ? " --accept-bounds" : "",
      identified.all_identifiable() ? "" : " --accept-unseen", at("robot.yaml"), at(unseen_log),
      at("report.html"));
}

}  // namespace fathom::cli
