#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/tank/missing_dof.hpp"
#include "fathom/task/identify/tank.hpp"

namespace fathom::task {
namespace {

using namespace report;
using identify::IdentifiedTowing;
using identify::TowedRecord;

constexpr int points_of_law = 200;
constexpr std::size_t most_shown_runs = 4;

struct TowingUnits {
  const char *speed, *force, *linear, *quadratic, *quadratic_on_page;
};
TowingUnits units_of(const TowingSummary& s) {
  const bool turns = s.axis == "roll" || s.axis == "pitch" || s.axis == "yaw";
  return turns ? TowingUnits{"rad/s", "N m", "N m s", "N m s^2", "N m s\u00b2"}
               : TowingUnits{"m/s", "N", "N s/m", "N s^2/m^2", "N s\u00b2/m\u00b2"};
}

/// Runs in order of speed, those of the fit and those left out.
void add_runs(const identify::TowingFit& fit, Series& good, Series& bad) {
  std::vector<std::size_t> order(fit.runs.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return fit.runs[a].speed < fit.runs[b].speed; });
  for (const std::size_t k : order) {
    const bool is_outlier = std::any_of(fit.outliers.begin(), fit.outliers.end(),
                                        [&](const identify::TowingOutlier& one) { return one.run == k; });
    Series& series = is_outlier ? bad : good;
    series.t.push_back(fit.runs[k].speed);
    series.y.push_back(fit.runs[k].force);
  }
}

Plot drag_plot(const IdentifiedTowing& found, const TowingUnits& units) {
  const identify::DragFit& fit = found.fit.all;
  Series good{.name = "runs", .style = Series::Style::points}, law{.name = "c1 u + c2 |u| u"};
  Series bad{.name = "left out", .style = Series::Style::points};
  Band band{.name = law.name};
  add_runs(found.fit, good, bad);
  const double low = std::min(0.0, fit.points.front().speed), high = std::max(0.0, fit.points.back().speed);
  for (int k = 0; k <= points_of_law; ++k) {
    const double u = low + (high - low) * k / points_of_law, f = fit.law.force(u), half = fit.half_width(u);
    law.t.push_back(u);
    law.y.push_back(f);
    band.low.push_back(f - half);
    band.high.push_back(f + half);
  }
  band.t = law.t;
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
Plot left_plot(Plot plot, const identify::DragLaw& law) {
  plot.title = "Measured less law, and the 95 % band";
  for (Series& series : plot.series)
    for (std::size_t k = 0; k < series.t.size(); ++k) series.y[k] -= law.force(series.t[k]);
  Band& band = plot.bands.front();
  for (std::size_t k = 0; k < band.t.size(); ++k) {
    const double f = law.force(band.t[k]);
    band.low[k] -= f;
    band.high[k] -= f;
  }
  plot.series.front().name = band.name = "law";
  return plot;
}

Table laws_table(const TowingSummary& s, const TowingUnits& units) {
  const auto coefficient = [](const char* name, const char* unit, const char* unit_on_page) {
    return TableColumn(fmt::format("{} [{}]", name, unit), "{:.4g} +- {:.2g}")
        .on_page(fmt::format("{} [{}]", name, unit_on_page), "{:.4g} \u00b1 {:.2g}");
  };
  Table table{.title = "Laws",
              .columns = {"runs",
                          coefficient("c1", units.linear, units.linear),
                          coefficient("c2", units.quadratic, units.quadratic_on_page),
                          "speeds",
                          {fmt::format("law off by [{}]", units.force), "{:.2g}"},
                          "held at 0"}};
  const auto row = [&](const char* name, const TowingSummary::Law& law) {
    const auto cell = [](const TankEstimate& c) { return Cell{c.estimate, c.half_width()}; };
    table.rows.push_back(
        {name, cell(law.c1), cell(law.c2), law.points.size(), law.misfit, join(law.held_at_zero, ", ")});
  };
  row("all", s.all);
  if (s.forward) row("forward", *s.forward);
  if (s.backward) row("backward", *s.backward);
  table.note = "95 % intervals, Student's t. Law off: what points miss it by beyond their own sigmas.";
  if (s.same_both_ways)
    table.note += fmt::format(
        " Were both directions the same, they would differ as much with a probability of {:.2g}{}.",
        *s.same_both_ways, *s.same_both_ways < 0.05 ? ": they differ, and one law is of neither" : "");
  return table;
}

std::string outlier_text(double sigmas) { return fmt::format("{:+.1f} sigmas from the law", sigmas); }

/// What the table of runs does not tell on the terminal, then assumptions.
Text notes_of(const TowingSummary& s) {
  Text text{.where = Where::terminal};
  for (const auto& run : s.runs)
    if (run.outlier_sigmas)
      text.paragraphs.push_back(fmt::format("left out: {}, {}", run.name, outlier_text(*run.outlier_sigmas)));
  for (const auto& run : s.runs)
    if (run.left_out) text.paragraphs.push_back(fmt::format("left out: {}, {}", run.name, *run.left_out));
  for (const auto& one : s.supposed)
    text.paragraphs.push_back(fmt::format(
        "supposed: {} not tested: drag of {} times the ratio of added masses, {:.4g}; sigma {:.0f} % of it",
        one.axis, s.axis, one.ratio, 100 * identify::supposed_share));
  return text;
}

Table runs_table(const TowingSummary& s, const TowingUnits& units) {
  Table table{.title = "Runs",
              .columns = {"run",
                          fmt::format("speed [{}]", units.speed),
                          fmt::format("force [{}]", units.force),
                          {"\u00b1 sigma", "{:.2g}"},
                          "steady from [s]",
                          "to [s]",
                          {"independent samples", "{:.3g}"},
                          "verdict"},
              .where = Where::page};
  for (const auto& run : s.runs) {
    const auto steady = run.steady.value_or(std::array{nan, nan});
    const std::string verdict = run.left_out         ? "left out: " + *run.left_out
                                : run.outlier_sigmas ? "left out: " + outlier_text(*run.outlier_sigmas)
                                                     : "\u2013";
    table.rows.push_back({run.name, run.speed.value_or(nan), run.force.value_or(nan), run.sigma.value_or(nan),
                          steady[0], steady[1], run.effective_samples.value_or(nan), verdict});
  }
  table.note =
      fmt::format("Forces without the bracket. Runs of one speed differ by {:.2g} {} beyond these sigmas.",
                  s.run_sigma, units.force);
  return table;
}

Plot steady_plot(const TowedRecord& record, const TowingUnits& units) {
  Plot plot{.title = "Run " + record.name, .y_label = "Force, bracket and all", .y_unit = units.force};
  const auto& t = record.record.t;
  const auto& force = record.record.force;
  plot.series.push_back({"force along the path", {t.begin(), t.end()}, {force.begin(), force.end()}});
  if (record.at_rest > 0) plot.marks.push_back({t[record.at_rest - 1], "zero until here"});
  if (!record.steady.part) return plot;
  const auto [from, count] = std::pair{record.steady.part->from, record.steady.part->count};
  plot.marks.push_back({t[from], "steady"});
  plot.marks.push_back({t[from + count - 1], "end"});
  const double mean = record.steady.part->force.value;
  plot.series.push_back({"mean", {t[from], t[from + count - 1]}, {mean, mean}});
  return plot;
}

Figures key_figures(const TowingSummary& s, const TowingUnits& units) {
  const auto half = [](const TankEstimate& c, const char* unit) {
    return fmt::format("\u00b1 {:.2g} {}", c.half_width(), unit);
  };
  const auto left_out = std::count_if(s.runs.begin(), s.runs.end(),
                                      [](const auto& run) { return run.left_out || run.outlier_sigmas; });
  Figures strip{
      {{"c1", fmt::format("{:.3g}", s.all.c1.estimate), half(s.all.c1, units.linear)},
       {"c2", fmt::format("{:.4g}", s.all.c2.estimate), half(s.all.c2, units.quadratic_on_page)},
       {"runs", fmt::format("{}", std::ssize(s.runs) - left_out), fmt::format("{} left out", left_out)}}};
  if (s.same_both_ways)
    strip.figures.push_back({"both ways the same", fmt::format("p = {:.2g}", *s.same_both_ways), ""});
  return strip;
}

/// How the steady part was found: of the last run, of outliers, and where there is none.
std::vector<Plot> steady_plots(const IdentifiedTowing& found, const TowingUnits& units) {
  std::vector<const TowedRecord*> shown = {&found.record_of(found.fit.runs.size() - 1)};
  for (const identify::TowingOutlier& outlier : found.fit.outliers)
    shown.push_back(&found.record_of(outlier.run));
  for (const TowedRecord& record : found.records)
    if (!record.steady.part) shown.push_back(&record);
  std::vector<Plot> plots;
  for (std::size_t k = 0; k < std::min(shown.size(), most_shown_runs); ++k)
    if (k == 0 || shown[k] != shown[0]) plots.push_back(steady_plot(*shown[k], units));
  return plots;
}

std::vector<double> in_degrees(const Eigen::VectorXd& angle) {
  const Eigen::VectorXd scaled = degrees * angle;
  return {scaled.begin(), scaled.end()};
}

/// Every run on its own time, from its first sample on, then what is left of all.
std::vector<Plot> swing_plots(const identify::IdentifiedDecay& found) {
  std::vector<Plot> plots;
  Plot left{.title = "Measured less fitted", .y_label = "Angle", .y_unit = "\u00b0"};
  for (std::size_t k = 0; k < found.runs.size(); ++k) {
    const identify::DecayRun& run = found.runs[k];
    const Eigen::VectorXd& fitted = found.fit.runs[k].angle;
    const Eigen::VectorXd since = run.t.array() - run.t[0];
    const std::vector<double> t(since.begin(), since.end());
    plots.push_back({.title = "Run " + run.name,
                     .y_label = "Angle",
                     .y_unit = "\u00b0",
                     .series = {{"fitted", t, in_degrees(fitted)},
                                {"measured", t, in_degrees(run.angle), Series::Style::points}}});
    left.series.push_back({run.name, t, in_degrees(run.angle - fitted)});
  }
  plots.push_back(std::move(left));
  return plots;
}

Table rates_table(const DecaySummary& s, const identify::IdentifiedDecay* found) {
  Table table{.title = "What a free decay shows: ratios to the inertia",
              .columns = {"number",
                          {"value", "{:.5g}"},
                          TableColumn("+- 95 %", "{:.2g}").on_page("\u00b1 95 %"),
                          "unit",
                          {"degrees of freedom", "{:.3g}", Where::page}}};
  Eigen::Index k = 0;
  for (const auto& [name, rate] : s.over_inertia) {
    const char* what = name == "equilibrium" ? "" : name == "restoring" ? " / inertia" : " damping / inertia";
    table.rows.push_back(
        {name + what, rate.estimate, rate.half_width(), *rate.unit, found ? found->fit.degrees[k] : nan});
    ++k;
  }
  const TankEstimate& rest = s.over_inertia[1].second;
  table.note = fmt::format("it comes to rest at {:.2f} +- {:.2f} degrees", degrees * rest.estimate,
                           degrees * rest.half_width());
  if (!s.held_at_zero.empty()) table.note += fmt::format("; held at 0: {}", join(s.held_at_zero, ", "));
  return table;
}

Table coefficients_table(const ByName<DecaySummary::Coefficient>& coefficients) {
  Table table{
      .title = "Coefficients",
      .columns = {"number", "value", TableColumn("+- sigma", "{:.2g}").on_page("\u00b1 sigma"), "unit"}};
  const char* names[] = {"inertia, with the water's", "restoring", "linear damping", "quadratic damping"};
  const char* units[] = {"kg m^2", "N m", "N m s", "N m s^2"};
  for (std::size_t k = 0; k < coefficients.size(); ++k) {
    const DecaySummary::Coefficient& c = coefficients[k].second;
    table.rows.push_back({names[k], c.estimate, c.sigma, units[k]});
  }
  return table;
}

Table decay_runs_table(const DecaySummary& s, const identify::IdentifiedDecay& found) {
  Table table{.title = "Runs",
              .columns = {"run",
                          {"released at [\u00b0]", "{:.4g}"},
                          "samples",
                          {"mean square error [rad\u00b2]", "{:.3g}"}},
              .where = Where::page};
  for (std::size_t k = 0; k < s.runs.size(); ++k)
    table.rows.push_back(
        {s.runs[k].name, degrees * s.runs[k].first_angle, found.runs[k].t.size(), s.runs[k].mse});
  table.note = fmt::format("R2 {:.5f}. One residual in {:.0f} is independent.", s.r2, found.fit.integral_time);
  return table;
}

template <class Summary>
Document begun(const Summary& s, const std::string& title, const std::string& subtitle,
               const std::string& first_line) {
  Document document{.title = title + s.name,
                    .subtitle = subtitle,
                    .footer = fmt::format("fathom {}: {}", s.version, s.command)};
  document.add(Text{.paragraphs = {fmt::format("{}: {}", s.name, first_line)}, .where = Where::terminal});
  return document;
}

}  // namespace

template <>
Document TowingResult::report() const {
  const TowingSummary& s = summary;
  const TowingUnits units = units_of(s);
  Document document = begun(s, "Towing ", fmt::format("drag in {}, {} runs", s.axis, s.runs.size()),
                            fmt::format("drag in {}, +- 95 %", s.axis));
  document.add(key_figures(s, units));
  if (evidence) {
    const Plot drag = drag_plot(evidence->found, units);
    document.add(drag);
    document.add(left_plot(drag, evidence->found.fit.all.law));
  }
  document.add(laws_table(s, units));
  document.add_text(notes_of(s));
  document.add(runs_table(s, units));
  if (evidence) document.add_all(steady_plots(evidence->found, units));
  return document;
}

template <>
Document DecayResult::report() const {
  const DecaySummary& s = summary;
  const auto runs = s.runs.size();
  Document document = begun(s, "Free decay ", fmt::format("{}, {} runs", s.axis, runs),
                            fmt::format("free decay in {}, {} runs, R2 {:.4f}", s.axis, runs, s.r2));
  document.add(Text{.paragraphs = {"I \u03b8\u2033 + d \u03b8\u2032 + q |\u03b8\u2032| \u03b8\u2032 + k "
                                   "sin(\u03b8 \u2212 \u03b8\u2080) = 0."},
                    .where = Where::page});
  document.add(rates_table(s, evidence ? &evidence->found : nullptr));
  if (s.coefficients)
    document.add(coefficients_table(*s.coefficients));
  else
    document.add(Text{.paragraphs = {"ratios alone: known: {inertia: ..} or {restoring: ..} in the campaign "
                                     "makes numbers of them"}});
  if (!evidence) return document;
  if (const auto& known = evidence->campaign.known)
    document.add(Text{.paragraphs = {fmt::format(
                          "The {} was known: {:.4g} \u00b1 {:.2g}.",
                          known->what == identify::KnownOfDecay::What::inertia ? "inertia" : "restoring",
                          known->value, known->sigma)},
                      .where = Where::page});
  document.add_all(swing_plots(evidence->found));
  document.add(decay_runs_table(s, evidence->found));
  return document;
}

}  // namespace fathom::task
