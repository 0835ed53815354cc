#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/task/identify/arm.hpp"

namespace fathom::task {
namespace {

using namespace report;
using Summary = IdentifyArmSummary;

Bars error_bars(const Summary& s) {
  Bars bars{.title = "Errors, joint by joint", .label = "RMSE over the effort's range", .unit = "%"};
  for (const auto& joint : s.runs.front().joints) bars.groups.push_back(joint.joint);
  for (const Summary::Run& run : s.runs) {
    bars.names.push_back(run.name);
    auto& values = bars.values.emplace_back();
    for (const auto& joint : run.joints) values.push_back(100 * joint.nrmse);
  }
  bars.note = "Samples at which a joint moves. Errors on unseen runs say how good the fit is.";
  return bars;
}

Table error_table(const Summary& s) {
  Table table{.title = "Errors",
              .columns = {TableColumn("run").shown_once(), "joint", fmt::format("RMSE [{}]", s.effort),
                          TableColumn("NRMSE", "{:.1f} %").times(100).on_page("NRMSE [%]", "{:.3g}"),
                          TableColumn("R2", "{:.4f}").on_page("R\u00b2", "{:.4g}"),
                          TableColumn("RMSE by the file", "{:.4g}", Where::terminal),
                          TableColumn("+- 95 %", "{:.3g}").on_page("\u00b1 95 %"),
                          TableColumn("in band", "{:.1f} %").times(100), "samples"}};
  for (const Summary::Run& run : s.runs)
    for (std::size_t k = 0; k < run.joints.size(); ++k) {
      const Summary::Joint& joint = run.joints[k];
      table.rows.push_back({run.name + (run.seen ? " (learnt from)" : " (not seen before)"), joint.joint,
                            joint.rmse, joint.nrmse, joint.r2, run.by_the_file[k].rmse, joint.half_band_95,
                            joint.in_band_95, joint.samples});
    }
  table.note =
      "+- 95 %: mean half width of the band about predicted efforts; in band: share of samples inside. Samples "
      "at "
      "which a joint moves.";
  table.note_where = Where::page;
  return table;
}

/// Measured and predicted efforts of a joint over the run's own time.
Plot effort_plot(const ScoredArmRun& scored, const Eigen::MatrixXd& predicted, const identify::ArmFit& fit,
                 Eigen::Index j) {
  const identify::ArmRun& run = scored.run;
  const auto list = [](const auto& column) {
    const Eigen::VectorXd values = column;
    return std::vector<double>(values.begin(), values.end());
  };
  const auto t = list(run.times.array() - run.times[0]);
  return {.title = fmt::format("{}: {}", run.name, fit.arm.joints()[static_cast<std::size_t>(j)].name),
          .y_label = fit.options.by_current ? "Current" : "Effort",
          .y_unit = fit.options.by_current ? "A" : "N m",
          .series = {{scored.seen ? "fitted" : "predicted", t, list(predicted.col(j))},
                     {"measured", t, list(run.effort.col(j)), Series::Style::points},
                     {"residual", t, list(run.effort.col(j) - predicted.col(j))}}};
}

Table base_table(const Summary& s) {
  Table table{.title = "Base parameters: what motion shows",
              .columns = {"base parameter", "value", TableColumn("+- 95 %", "{:.2g}").on_page("\u00b1 95 %"),
                          "unit", "shown", "made of"}};
  for (const Summary::Parameter& p : s.parameters)
    table.rows.push_back({p.name, p.estimate, 0.5 * (p.interval_95[1] - p.interval_95[0]), p.unit,
                          p.weak ? "weakly" : "", p.grouping});
  table.note = fmt::format(
      "{} standard parameters; any motion shows {} combinations of them, these runs {}. Intervals are of how "
      "blocks of time disagree, which holds autocorrelated residuals and errors of the model: variances are "
      "{:.0f} times those of independent residuals. Weakly shown: one sigma "
      "makes more than {:g} % of a joint's effort.{}",
      s.standard_parameters, s.base_parameters_of_any_motion, s.base_parameters, s.variance_inflation,
      100 * identify::ArmFitOptions().weak_share,
      s.consistent ? " Intervals are those of the estimate before links had to exist." : "");
  return table;
}

Text about_fit(const Summary& s) {
  Text text{.title = "About the fit"};
  for (std::size_t k = 0; k < s.gains.size(); ++k)
    text.paragraphs.push_back(fmt::format("{}: {:.4g} N m/A, by what its controller wanted",
                                          s.rows_at_rest[k].first, s.gains[k].gain));
  if (!s.drag_moved_to_origins.empty())
    text.paragraphs.push_back(fmt::format(
        "Drag of {} is displaced, turned or coupled in the file; it was fitted as diagonals at the link's "
        "origin.",
        join(s.drag_moved_to_origins, ", ")));
  std::size_t at_rest = 0;
  for (const auto& [joint, rows] : s.rows_at_rest) at_rest += rows;
  text.paragraphs.push_back(fmt::format("{} rows used, {} left out at rest", s.rows, at_rest));
  for (const Summary::Run& run : s.runs)
    if (!run.outliers.empty())
      text.paragraphs.push_back(fmt::format("{}: {} outliers left out, the first in line {}: {} = {:.4g}",
                                            run.name, run.outliers.size(), run.outliers.front().line,
                                            run.outliers.front().signal, run.outliers.front().value));
  if (s.rows_down_weighted > 0)
    text.paragraphs.push_back(fmt::format("{} rows count less: outliers", s.rows_down_weighted));
  if (!s.consistent) return text;
  text.paragraphs.push_back(fmt::format(
      "Links that exist: smallest eigenvalue of a pseudo-inertia {:.3g}; optimal within {:.1g} of {:.4g}",
      s.consistent->least_pseudo_inertia_eigenvalue, s.consistent->gap, s.consistent->objective));
  if (!s.consistent->held_back_by.empty())
    text.paragraphs.push_back("Active constraints: " + join(s.consistent->held_back_by, ", "));
  return text;
}

Table links_table(const identify::ArmFit& fit) {
  Table table{.title = "Links that exist and move so",
              .columns = {"parameter", "value", "in the file", "unit"},
              .note = "Nearest to the file's numbers among those that give the base parameters.",
              .where = Where::page};
  for (std::size_t k = 0; k < fit.parameters.size(); ++k)
    table.rows.push_back({fit.parameters[k].name, fit.consistent->theta[static_cast<Eigen::Index>(k)],
                          fit.parameters[k].value, fit.parameters[k].unit});
  return table;
}

}  // namespace

Document IdentifyArmResult::report() const {
  const Summary& s = summary;
  Document document{
      .title = "Arm " + s.name,
      .subtitle = fmt::format("{} joints, {} base parameters", s.rows_at_rest.size(), s.base_parameters),
      .footer = fmt::format("fathom {}: {}", s.version, s.command)};
  document.add(Text{.paragraphs = {s.name + ": " + document.subtitle}, .where = Where::terminal});
  document.add(error_bars(s));
  if (evidence)
    for (const ScoredArmRun& one : evidence->runs) {
      const Eigen::MatrixXd predicted = predict(evidence->fit, one.run);
      for (Eigen::Index j = 0; j < predicted.cols(); ++j)
        document.add(effort_plot(one, predicted, evidence->fit, j));
    }
  document.add(base_table(s));
  document.add(error_table(s));
  document.add(about_fit(s));
  if (evidence && evidence->fit.consistent) document.add(links_table(evidence->fit));
  document.add_text({.title = "Of reading the arm's file", .paragraphs = s.notes, .where = Where::page});
  return document;
}

}  // namespace fathom::task
