#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/report/internal/number_text.hpp"
#include "fathom/report/tank_page.hpp"

namespace fathom::report {
namespace {

using identify::DragFit;
using identify::IdentifiedTowing;
using identify::TowedRecord;
using internal::significant;

constexpr int points_of_law = 200;
constexpr std::size_t most_shown_runs = 4;

struct TowingUnits {
  const char *speed, *force, *linear, *quadratic;
};
TowingUnits units_of(const identify::TowingCampaign& campaign) {
  return campaign.axis < 3 ? TowingUnits{"m/s", "N", "N s/m", "N s\u00b2/m\u00b2"}
                           : TowingUnits{"rad/s", "N m", "N m s", "N m s\u00b2"};
}

bool is_outlier(const identify::TowingFit& fit, std::size_t run) {
  return std::any_of(fit.outliers.begin(), fit.outliers.end(), [&](const auto& one) { return one.run == run; });
}

/// Runs in order of speed, those of the fit and those left out.
void add_runs(const identify::TowingFit& fit, Series& good, Series& bad) {
  std::vector<std::size_t> order(fit.runs.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return fit.runs[a].speed < fit.runs[b].speed; });
  for (const std::size_t k : order) {
    Series& series = is_outlier(fit, k) ? bad : good;
    series.t.push_back(fit.runs[k].speed);
    series.y.push_back(fit.runs[k].force);
  }
}

Plot drag_plot(const IdentifiedTowing& found, const TowingUnits& units) {
  const DragFit& fit = found.fit.all;
  Series good{.name = "runs", .style = Series::Style::points}, law{.name = "c1 u + c2 |u| u"};
  Series bad{.name = "left out", .style = Series::Style::points};
  Band band{.name = "c1 u + c2 |u| u"};
  add_runs(found.fit, good, bad);
  const double low = std::min(0.0, fit.points.front().speed), high = std::max(0.0, fit.points.back().speed);
  for (int k = 0; k <= points_of_law; ++k) {
    const double u = low + (high - low) * k / points_of_law, f = fit.law.force(u), half = fit.half_width(u);
    law.t.push_back(u);
    law.y.push_back(f);
    band.t.push_back(u);
    band.low.push_back(f - half);
    band.high.push_back(f + half);
  }
  Plot plot{.title = found.bracket ? "Drag without the bracket, and its 95 % band" : "Drag and its 95 % band",
            .y_label = "Force",
            .y_unit = units.force,
            .series = {std::move(law), std::move(good)},
            .bands = {std::move(band)},
            .x_label = fmt::format("speed ({})", units.speed)};
  if (!bad.t.empty()) plot.series.push_back(std::move(bad));
  for (const identify::TowingOutlier& outlier : found.fit.outliers)
    plot.marks.push_back({found.fit.runs[outlier.run].speed, found.fit.runs[outlier.run].name});
  return plot;
}

/// Beside the force itself the band is too thin to see.
Plot left_plot(const IdentifiedTowing& found, const TowingUnits& units) {
  Plot plot = drag_plot(found, units);
  plot.title = "Measured less law, and the 95 % band";
  for (Series& series : plot.series)
    for (std::size_t k = 0; k < series.t.size(); ++k) series.y[k] -= found.fit.all.law.force(series.t[k]);
  Band& band = plot.bands.front();
  for (std::size_t k = 0; k < band.t.size(); ++k) {
    const double f = found.fit.all.law.force(band.t[k]);
    band.low[k] -= f;
    band.high[k] -= f;
  }
  plot.series.front().name = band.name = "law";
  return plot;
}

Table directions_table(const IdentifiedTowing& found, const TowingUnits& units) {
  Table table{.title = "Laws",
              .columns = {"runs", fmt::format("c1 [{}]", units.linear), fmt::format("c2 [{}]", units.quadratic),
                          "speeds", fmt::format("law off by [{}]", units.force), "held at 0"}};
  const auto row = [&](const std::string& name, const DragFit& fit) {
    const auto with_interval = [&](int k) {
      return fmt::format("{:.4g} \u00b1 {:.2g}", fit.law.c[k], fit.half_width_of(k));
    };
    table.rows.push_back({name, with_interval(0), with_interval(1), fmt::format("{}", fit.points.size()),
                          significant(fit.misfit, 2),
                          fit.at_bound.empty() ? "\u2013" : join(fit.at_bound, ", ")});
  };
  row("all", found.fit.all);
  if (found.fit.forward) row("forward", *found.fit.forward);
  if (found.fit.backward) row("backward", *found.fit.backward);
  table.note = "\u00b1 95 %, Student's t. Law off: what points miss it by beyond their own sigmas.";
  if (found.fit.same_both_ways)
    table.note +=
        fmt::format(" Were both directions the same, they would differ as much with a probability of {:.2g}.",
                    *found.fit.same_both_ways);
  return table;
}

Table runs_of_campaign(const IdentifiedTowing& found, const TowingUnits& units) {
  Table table{.title = "Runs",
              .columns = {"run", fmt::format("speed [{}]", units.speed), fmt::format("force [{}]", units.force),
                          "\u00b1 sigma", "steady from [s]", "to [s]", "independent samples", "verdict"}};
  std::size_t run = 0;
  for (const TowedRecord& record : found.records) {
    if (!record.steady.part) {
      table.rows.push_back({record.name, "\u2013", "\u2013", "\u2013", "\u2013", "\u2013", "\u2013",
                            "left out: " + record.steady.why_not});
      continue;
    }
    const identify::SteadyPart& part = *record.steady.part;
    const identify::TowedRun& fitted = found.fit.runs[run];
    std::string verdict = "\u2013";
    for (const identify::TowingOutlier& outlier : found.fit.outliers)
      if (outlier.run == run) verdict = fmt::format("left out: {:+.1f} sigmas from the law", outlier.sigmas);
    table.rows.push_back({record.name, significant(fitted.speed, 4), significant(fitted.force, 4),
                          significant(std::sqrt(fitted.variance), 2),
                          significant(record.record.t[part.from], 4),
                          significant(record.record.t[part.from + part.count - 1], 4),
                          significant(part.force.effective_samples, 3), verdict});
    ++run;
  }
  table.note =
      fmt::format("Forces without the bracket. Runs of one speed differ by {:.2g} {} beyond these sigmas.",
                  found.fit.run_sigma, units.force);
  return table;
}

Plot steady_plot(const TowedRecord& record, const TowingUnits& units) {
  Plot plot{.title = "Run " + record.name, .y_label = "Force, bracket and all", .y_unit = units.force};
  const auto& t = record.record.t;
  Series force{.name = "force along the path"};
  force.t.assign(t.begin(), t.end());
  force.y.assign(record.record.force.begin(), record.record.force.end());
  plot.series.push_back(std::move(force));
  if (record.at_rest > 0) plot.marks.push_back({t[record.at_rest - 1], "zero until here"});
  if (!record.steady.part) return plot;
  const auto [from, count] = std::pair{record.steady.part->from, record.steady.part->count};
  plot.marks.push_back({t[from], "steady"});
  plot.marks.push_back({t[from + count - 1], "end"});
  Series mean{.name = "mean"};
  mean.t = {t[from], t[from + count - 1]};
  mean.y = {record.steady.part->force.value, record.steady.part->force.value};
  plot.series.push_back(std::move(mean));
  return plot;
}

Figures key_figures(const IdentifiedTowing& found, const TowingUnits& units) {
  const DragFit& fit = found.fit.all;
  Figures strip;
  strip.figures.push_back({"c1", fmt::format("{:.3g}", fit.law.c[0]),
                           fmt::format("\u00b1 {:.2g} {}", fit.half_width_of(0), units.linear)});
  strip.figures.push_back({"c2", fmt::format("{:.4g}", fit.law.c[1]),
                           fmt::format("\u00b1 {:.2g} {}", fit.half_width_of(1), units.quadratic)});
  strip.figures.push_back(
      {"runs", fmt::format("{}", found.fit.runs.size() - found.fit.outliers.size()),
       fmt::format("{} left out", found.records.size() - found.fit.runs.size() + found.fit.outliers.size())});
  if (found.fit.same_both_ways)
    strip.figures.push_back({"both ways the same", fmt::format("p = {:.2g}", *found.fit.same_both_ways), ""});
  return strip;
}

}  // namespace

Page towing_page(const TowingPage& of) {
  const IdentifiedTowing& found = *of.found;
  const TowingUnits units = units_of(*of.campaign);
  Page page{
      .title = "Towing " + of.campaign->name,
      .subtitle = fmt::format("drag in {}, {} runs", model::dof_name(of.campaign->axis), found.records.size()),
      .footer = of.footer};
  page.items.emplace_back(key_figures(found, units));
  page.items.emplace_back(drag_plot(found, units));
  page.items.emplace_back(left_plot(found, units));
  page.items.emplace_back(directions_table(found, units));
  page.items.emplace_back(runs_of_campaign(found, units));
  std::vector<const TowedRecord*> shown;
  for (const identify::TowingOutlier& outlier : found.fit.outliers)
    shown.push_back(&found.record_of(outlier.run));
  for (const TowedRecord& record : found.records)
    if (!record.steady.part) shown.push_back(&record);
  shown.insert(shown.begin(), &found.record_of(found.fit.runs.size() - 1));
  for (std::size_t k = 0; k < std::min(shown.size(), most_shown_runs); ++k)
    if (k == 0 || shown[k] != shown[0]) page.items.emplace_back(steady_plot(*shown[k], units));
  return page;
}

}  // namespace fathom::report
