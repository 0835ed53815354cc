#include "fathom/report/arm_page.hpp"

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/report/internal/number_text.hpp"

namespace fathom::report {
namespace {

using identify::ArmFit;
using internal::significant;

std::string effort_unit(const ArmFit& fit) { return fit.options.by_current ? "A" : "N m"; }

Bars error_bars(const ArmPage& page) {
  Bars bars{.title = "Errors, joint by joint", .label = "RMSE over the effort's range", .unit = "%"};
  for (const model::Joint& joint : page.fit->arm.joints()) bars.groups.push_back(joint.name);
  for (const ArmPage::Run& run : page.runs) {
    bars.names.push_back(run.run->name);
    std::vector<double> values;
    for (const identify::Metrics& score : run.scores) values.push_back(100 * score.nrmse);
    bars.values.push_back(std::move(values));
  }
  bars.note = "Samples at which a joint moves. Runs that the fit has not seen say how good it is.";
  return bars;
}

Table error_table(const ArmPage& page) {
  const std::string rmse = fmt::format("RMSE [{}]", effort_unit(*page.fit));
  Table table{.title = "Errors", .columns = {"run", "joint", rmse, "NRMSE [%]", "R\u00b2", "samples"}};
  for (const ArmPage::Run& run : page.runs)
    for (std::size_t k = 0; k < run.scores.size(); ++k)
      table.rows.push_back({run.seen ? run.run->name : run.run->name + " (not seen)",
                            page.fit->arm.joints()[k].name, significant(run.scores[k].rmse, 4),
                            significant(100 * run.scores[k].nrmse, 3), significant(run.scores[k].r2, 4),
                            fmt::format("{}", run.scores[k].samples)});
  return table;
}

/// A run's own time: from its first sample on.
Plot effort_plot(const ArmPage::Run& run, const Eigen::MatrixXd& predicted, const ArmFit& fit,
                 std::size_t joint) {
  const auto j = static_cast<Eigen::Index>(joint);
  const Eigen::VectorXd t = run.run->times.array() - run.run->times[0];
  Series measured{.name = "measured", .style = Series::Style::points};
  Series model{.name = run.seen ? "fitted" : "foretold"}, left{.name = "left"};
  measured.t.assign(t.begin(), t.end());
  model.t = left.t = measured.t;
  for (Eigen::Index k = 0; k < t.size(); ++k) {
    measured.y.push_back(run.run->effort(k, j));
    model.y.push_back(predicted(k, j));
    left.y.push_back(run.run->effort(k, j) - predicted(k, j));
  }
  return {.title = fmt::format("{}: {}", run.run->name, fit.arm.joints()[joint].name),
          .y_label = fit.options.by_current ? "Current" : "Effort",
          .y_unit = effort_unit(fit),
          .series = {std::move(model), std::move(measured), std::move(left)}};
}

Table base_table(const ArmFit& fit) {
  Table table{.title = "Base parameters: what motion shows",
              .columns = {"parameter", "value", "\u00b1 95 %", "unit", "shown", "made of"}};
  for (std::size_t k = 0; k < fit.rank(); ++k)
    table.rows.push_back({fit.estimate[k].name, significant(fit.estimate[k].value, 4),
                          significant(fit.half_width(k), 2), fit.estimate[k].unit,
                          fit.is_weak(k) ? "weakly" : "", fit.grouping(k)});
  table.note = fmt::format(
      "{} standard parameters; any motion shows {} combinations of them, these runs {}. Intervals heed that "
      "residuals remember: variances are {:.0f} times those of independent ones. Weakly shown: one sigma makes "
      "more than {:g} "
      "% of "
      "a joint's effort.",
      fit.parameters.size(), fit.structural_rank, fit.rank(), fit.inflation, 100 * fit.options.weak_share);
  if (fit.consistent) table.note += " Intervals are those of the estimate before links had to exist.";
  if (!fit.drag_moved.empty())
    table.note += fmt::format(
        " Drag of {} is displaced, turned or coupled in the file; it was fitted as diagonals at the link's "
        "origin.",
        join(fit.drag_moved, ", "));
  return table;
}

Table links_table(const ArmFit& fit) {
  Table table{.title = "Links that exist and move so",
              .columns = {"parameter", "value", "in the file", "unit"}};
  for (std::size_t k = 0; k < fit.parameters.size(); ++k)
    table.rows.push_back({fit.parameters[k].name,
                          significant(fit.consistent->theta[static_cast<Eigen::Index>(k)], 4),
                          significant(fit.parameters[k].value, 4), fit.parameters[k].unit});
  table.note = fmt::format(
      "Nearest to the file's numbers among those that give the base parameters. Smallest eigenvalue of a "
      "pseudo-inertia: {:.3g}. Optimal within {:.1g} of {:.4g}.",
      fit.consistent->least_eigenvalue, fit.consistent->conic.gap, fit.consistent->conic.f);
  if (!fit.consistent->active.empty())
    table.note += fmt::format(" Held back by: {}.", join(fit.consistent->active, ", "));
  return table;
}

}  // namespace

Page arm_page(const ArmPage& of) {
  const ArmFit& fit = *of.fit;
  Page page{.title = "Arm " + fit.arm.name(),
            .subtitle = fmt::format("{} joints, {} base parameters", fit.arm.size(), fit.rank()),
            .footer = of.footer};
  page.items.emplace_back(error_bars(of));
  for (const ArmPage::Run& run : of.runs) {
    const Eigen::MatrixXd predicted = predict(fit, *run.run);
    for (std::size_t joint = 0; joint < fit.arm.size(); ++joint)
      page.items.emplace_back(effort_plot(run, predicted, fit, joint));
  }
  page.items.emplace_back(error_table(of));
  page.items.emplace_back(base_table(fit));
  if (fit.consistent) page.items.emplace_back(links_table(fit));
  if (!of.notes.empty())
    page.items.emplace_back(Text{.title = "Of reading the arm's file", .paragraphs = of.notes});
  return page;
}

}  // namespace fathom::report
