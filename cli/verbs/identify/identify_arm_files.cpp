#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/model_file/arm_file.hpp"
#include "fathom/report/arm_page.hpp"

#include "cli/terminal/number_text.hpp"
#include "cli/terminal/table.hpp"
#include "cli/verbs/identify/identify_arm_result.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

using identify::ArmFit;
using identify::Metrics;
using Json = nlohmann::ordered_json;

Json joints_json(const ArmFit& fit, const std::vector<Metrics>& scores) {
  Json joints = Json::array();
  for (std::size_t k = 0; k < scores.size(); ++k)
    joints.push_back({{"joint", fit.arm.joints()[k].name},
                      {"samples", scores[k].samples},
                      {"rmse", scores[k].rmse},
                      {"nrmse", scores[k].nrmse},
                      {"r2", scores[k].r2}});
  return joints;
}

Json runs_json(const ArmResult& result) {
  Json runs = Json::array();
  for (const ScoredRun& one : result.runs)
    runs.push_back({{"name", one.run.name},
                    {"seen", one.seen},
                    {"samples", one.run.samples()},
                    {"repeated_rows", one.run.repeated},
                    {"trimmed_samples", one.run.trimmed},
                    {"gaps", one.run.breaks.size()},
                    {"uneven_s", one.run.uneven},
                    {"joints", joints_json(*result.fit, one.scores)},
                    {"by_the_file", joints_json(*result.fit, one.own)}});
  return runs;
}

Json parameters_json(const ArmFit& fit) {
  Json list = Json::array();
  for (std::size_t k = 0; k < fit.rank(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const double half = fit.half_width(k);
    const model::Parameter& found = fit.estimate[k];
    list.push_back({{"name", found.name},
                    {"unit", found.unit},
                    {"estimate", found.value},
                    {"free_estimate", fit.free_beta[i]},
                    {"sigma", fit.estimate.sigma(k)},
                    {"interval_95", {found.value - half, found.value + half}},
                    {"naive_sigma", fit.naive_sigma[i]},
                    {"weak", fit.is_weak(k)},
                    {"grouping", fit.grouping(k)}});
  }
  return list;
}

Json water_json(const dynamics::ArmColumns& columns) {
  Json words = Json::array();
  if (columns.buoyancy) words.push_back("buoyancy");
  if (columns.added_mass) words.push_back("added-mass");
  if (columns.drag) words.push_back("drag");
  return words;
}

Json consistent_json(const ArmFit& fit) {
  if (!fit.consistent) return {};
  Json values = Json::object();
  for (std::size_t k = 0; k < fit.parameters.size(); ++k)
    values[fit.parameters[k].name] = fit.consistent->theta[static_cast<Eigen::Index>(k)];
  return {{"least_pseudo_inertia_eigenvalue", fit.consistent->least_eigenvalue},
          {"gap", fit.consistent->conic.gap},
          {"objective", fit.consistent->conic.f},
          {"solved", fit.consistent->conic.status == solve::ConicStatus::solved},
          {"held_back_by", fit.consistent->active},
          {"moved_chi_square", fit.consistent->moved},
          {"standard_parameters", values}};
}

std::string errors_text(const ArmResult& result) {
  const std::string unit = result.fit->options.by_current ? "A" : "N m";
  std::string text;
  for (const ScoredRun& one : result.runs) {
    Table table({"joint", fmt::format("RMSE [{}]", unit), "NRMSE", "R2", "RMSE by the file", "samples"});
    for (std::size_t k = 0; k < one.scores.size(); ++k)
      table.row({result.fit->arm.joints()[k].name, significant(one.scores[k].rmse),
                 percent(one.scores[k].nrmse), fixed(one.scores[k].r2, 4), significant(one.own[k].rmse),
                 fmt::format("{}", one.scores[k].samples)});
    text +=
        fmt::format("{} ({}):\n{}\n", one.run.name, one.seen ? "learnt from" : "not seen before", table.text());
  }
  return text;
}

std::string notes_text(const ArmResult& result) {
  const ArmFit& fit = *result.fit;
  std::string text;
  for (std::size_t k = 0; k < result.gains.size(); ++k)
    text += fmt::format("{}: {:.4g} N m/A, by what its controller wanted\n", fit.arm.joints()[k].name,
                        result.gains[k].gain);
  if (!fit.drag_moved.empty())
    text +=
        wrapped(fmt::format(
            "drag of {} is displaced, turned or coupled in the file; fitted as diagonals at the link's origin",
            join(fit.drag_moved, ", "))) +
        "\n";
  std::size_t rest = 0;
  for (const std::size_t count : fit.at_rest) rest += count;
  text += fmt::format(
      "{} rows used, {} left out at rest; residuals remember, which makes variances {:.0f} times as large\n",
      fit.rows, rest, fit.inflation);
  if (fit.down_weighted > 0) text += fmt::format("{} rows count less: outliers\n", fit.down_weighted);
  if (!fit.consistent) return text;
  text += fmt::format(
      "links that exist: smallest eigenvalue of a pseudo-inertia {:.3g}; optimal within {:.1g} of {:.4g}\n",
      fit.consistent->least_eigenvalue, fit.consistent->conic.gap, fit.consistent->conic.f);
  if (!fit.consistent->active.empty())
    text += wrapped(fmt::format("held back by: {}", join(fit.consistent->active, ", "))) + "\n";
  return text;
}

}  // namespace

Json summary_of(const ArmResult& result) {
  const ArmFit& fit = *result.fit;
  Json gains = Json::array(), rest = Json::object();
  for (const identify::DriveGain& gain : result.gains)
    gains.push_back({{"gain", gain.gain}, {"sigma", gain.sigma}, {"residual", gain.residual}});
  for (std::size_t k = 0; k < fit.at_rest.size(); ++k) rest[fit.arm.joints()[k].name] = fit.at_rest[k];
  return {{"version", FATHOM_VERSION},
          {"command", result.command},
          {"what", "arm"},
          {"name", fit.arm.name()},
          {"estimator", result.estimator},
          {"effort", fit.options.by_current ? "A" : "N m"},
          {"medium", fit.options.medium == dynamics::Medium::water ? "water" : "air"},
          {"water_fitted", water_json(fit.options.columns)},
          {"drag_moved_to_origins", fit.drag_moved},
          {"standard_parameters", fit.parameters.size()},
          {"base_parameters_of_any_motion", fit.structural_rank},
          {"base_parameters", fit.rank()},
          {"scaled_condition_number", fit.scaled_condition},
          {"rows", fit.rows},
          {"rows_at_rest", rest},
          {"rows_down_weighted", fit.down_weighted},
          {"effective_samples", fit.effective_samples},
          {"variance_inflation", fit.inflation},
          {"gains", gains},
          {"parameters", parameters_json(fit)},
          {"consistent", consistent_json(fit)},
          {"runs", runs_json(result)},
          {"notes", result.notes},
          {"files", Json::array()}};
}

std::string text_of(const ArmResult& result) {
  const ArmFit& fit = *result.fit;
  Table table({"base parameter", "value", "+- 95 %", "unit", "", "of"});
  for (std::size_t k = 0; k < fit.rank(); ++k)
    table.row({fit.estimate[k].name, significant(fit.estimate[k].value), significant(fit.half_width(k), 2),
               fit.estimate[k].unit, fit.is_weak(k) ? "weak" : "", fit.grouping(k)});
  return fmt::format(
      "{}: {} standard parameters, {} base parameters of any motion, {} of these runs\n\n{}\n{}{}\n",
      fit.arm.name(), fit.parameters.size(), fit.structural_rank, fit.rank(), table.text(), errors_text(result),
      notes_text(result));
}

std::vector<std::string> write_files(const ArmResult& result, OutputFolder& out) {
  report::ArmPage page{
      &*result.fit, {}, fmt::format("fathom {}: {}", FATHOM_VERSION, result.command), result.notes};
  for (const ScoredRun& one : result.runs) page.runs.push_back({&one.run, one.seen, one.scores});
  std::vector<std::string> names = {"report.html", "summary.json"};
  out.write("report.html", report::to_html(report::arm_page(page)));
  if (!result.after) return names;
  out.write("arm.yaml", model::arm_to_yaml(*result.after));
  names.insert(names.begin(), "arm.yaml");
  return names;
}

}  // namespace fathom::cli
