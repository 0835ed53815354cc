#include "fathom/report/thruster_page.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/report/internal/number_text.hpp"

namespace fathom::report {
namespace {

using identify::IdentifiedThruster;
using identify::SideChoice;
using internal::percent;
using internal::significant;

constexpr int points_of_curve = 200;

std::string title_of(const IdentifiedThruster::AtVoltage& test) {
  return test.voltage ? fmt::format("Force at {:g} V", *test.voltage) : "Force";
}

/// The points of a side with their band, in order of command.
void add_side(Series& points, Band& band, const SideChoice& side, double neutral, double direction) {
  const Eigen::Index n = side.u.size();
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::Index k = direction > 0 ? i : n - 1 - i;
    const double at = neutral + direction * side.u[k];
    const auto [low, high] = std::minmax({direction * side.low[k], direction * side.high[k]});
    points.t.push_back(at);
    points.y.push_back(direction * side.forces[k]);
    band.t.push_back(at);
    band.low.push_back(low);
    band.high.push_back(high);
  }
}

Plot force_plot(const IdentifiedThruster::AtVoltage& test) {
  const model::ThrusterMap& map = test.laws.map;
  Series points{.name = "measured", .style = Series::Style::points}, law{.name = "law"};
  Band band{.name = "95 % band of the law"};
  add_side(points, band, test.laws.reverse, map.command.neutral, -1);
  add_side(points, band, test.laws.forward, map.command.neutral, 1);
  for (int k = 0; k <= points_of_curve; ++k) {
    const double at = map.command.min + (map.command.max - map.command.min) * k / points_of_curve;
    law.t.push_back(at);
    law.y.push_back(model::force_of_command(map, at, test.voltage.value_or(0)));
  }
  const std::string unit(symbol_of(map.command.unit));
  return {.title = title_of(test),
          .y_label = "Force",
          .y_unit = "N",
          .series = {std::move(law), std::move(points)},
          .bands = {std::move(band)},
          .x_label = unit.empty() ? "command" : fmt::format("command ({})", unit)};
}

/// What the law leaves, with its band about zero: beside the force itself both are too thin to see.
Plot residual_plot(const IdentifiedThruster::AtVoltage& test) {
  Plot plot = force_plot(test);
  plot.title = test.voltage ? fmt::format("Measured less law at {:g} V", *test.voltage) : "Measured less law";
  Series& points = plot.series[1];
  Band& band = plot.bands.front();
  for (std::size_t k = 0; k < points.t.size(); ++k) {
    const double law = model::force_of_command(test.laws.map, points.t[k], test.voltage.value_or(0));
    points.y[k] -= law;
    band.low[k] -= law;
    band.high[k] -= law;
  }
  points.name = "measured less law";
  plot.series.erase(plot.series.begin());
  return plot;
}

/// As Fig. 5.14 of Nielsen 2019.
Plot loss_plot(const identify::TowedThruster& towed, const std::string& side) {
  Plot plot{.title = "Thrust lost to inflow, " + side,
            .y_label = "Thrust lost",
            .y_unit = "%",
            .x_label = "inflow (m/s)"};
  const auto [from, to] = std::minmax({0.0, towed.far_inflow()});
  for (const double speed : towed.speeds()) {
    Series line{.name = fmt::format("{:.0f} rad/s", speed)};
    Band band{.name = line.name};
    for (int k = 0; k <= points_of_curve; ++k) {
      const double inflow = from + (to - from) * k / points_of_curve;
      const identify::AdvanceLoss::Loss loss = towed.loss.loss(speed, inflow);
      line.t.push_back(inflow);
      line.y.push_back(100 * loss.share);
      band.t.push_back(inflow);
      band.low.push_back(100 * (loss.share - sigmas_of_95 * loss.sigma));
      band.high.push_back(100 * (loss.share + sigmas_of_95 * loss.sigma));
    }
    plot.series.push_back(std::move(line));
    plot.bands.push_back(std::move(band));
  }
  return plot;
}

/// All points on one line: by the law, the share of T_ww w^2 that is left goes with u / w alone.
Plot thrust_over_ratio_plot(const identify::TowedThruster& towed, const std::string& side) {
  std::vector<identify::TowedPoint> points = towed.points;
  const auto ratio = [](const identify::TowedPoint& point) { return point.inflow / point.shaft_speed; };
  std::sort(points.begin(), points.end(), [&](const auto& a, const auto& b) { return ratio(a) < ratio(b); });
  const model::ThrustCoefficients& T = towed.loss.thrust;
  Series measured{.name = "measured", .style = Series::Style::points}, law{.name = "law"};
  for (const identify::TowedPoint& point : points) {
    const double at_rest = T.ww * point.shaft_speed * point.shaft_speed;
    for (Series* series : {&measured, &law}) series->t.push_back(1000 * ratio(point));
    measured.y.push_back(100 * point.thrust / at_rest);
    law.y.push_back(100 * model::propeller_thrust(T, point.shaft_speed, point.inflow) / at_rest);
  }
  return {.title = "Thrust that is left, " + side,
          .y_label = "Of T_ww w^2",
          .y_unit = "%",
          .series = {std::move(law), std::move(measured)},
          .x_label = "inflow over shaft speed (mm/rad)"};
}

Table towed_table(const IdentifiedThruster& found) {
  Table table{.title = "Inflow",
              .columns = {"side", "points", "T_ww [N s^2]", "T_wu [N s^2/m]", "R2", "R2 without inflow"}};
  for (const auto* towed : {&found.forward_towed, &found.reverse_towed}) {
    if (!*towed) continue;
    const identify::AdvanceLoss& loss = (*towed)->loss;
    table.rows.push_back({towed == &found.forward_towed ? "forward" : "reverse",
                          fmt::format("{}", (*towed)->points.size()),
                          fmt::format("{:.4g} \u00b1 {:.2g}", loss.thrust.ww, loss.ww_sigma()),
                          fmt::format("{:.4g} \u00b1 {:.2g}", loss.thrust.wu, loss.wu_sigma()),
                          fmt::format("{:.4f}", loss.r2), fmt::format("{:.4f}", loss.r2_without_inflow)});
  }
  table.note =
      "T = T_ww w^2 + T_wu w u, u the inflow along the thrust. \u00b1 one sigma, which holds what the law "
      "itself "
      "may be wrong by.";
  return table;
}

std::string r2_in_words(double r2) {
  return std::isfinite(r2) ? fmt::format(", R2 not seen {:.4f}", r2) : std::string();
}

/// The chosen law with the numbers of all runs; R2 are of numbers that did not see the run or step.
void add_run(Page& page, const ThrusterPage& of, const identify::StepModel& model, std::size_t index) {
  const identify::StepRun& run = of.runs[index];
  const identify::StepLawFit& fit = of.steps->best();
  const identify::StepScore score = index < fit.held_out.size() ? fit.held_out[index] : identify::StepScore();
  const identify::StepResponse response = model.simulate(index, fit.numbers);
  const auto numbers = [](const Eigen::VectorXd& values) {
    return std::vector<double>(values.begin(), values.end());
  };
  const auto add = [&](const char* what, const char* unit, double r2, const auto& measured,
                       const Eigen::VectorXd& modelled) {
    if (modelled.size() == 0) return;
    page.items.emplace_back(Plot{.title = fmt::format("{} in {}{}", what, run.name, r2_in_words(r2)),
                                 .y_label = what,
                                 .y_unit = unit,
                                 .series = {{.name = "measured",
                                             .t = numbers(run.times),
                                             .y = numbers(*measured),
                                             .style = Series::Style::points},
                                            {.name = "law", .t = numbers(run.times), .y = numbers(modelled)}},
                                 .x_label = "time (s)"});
  };
  add("Shaft speed", "rad/s", score.speed_r2, run.speeds, response.speeds);
  add("Force", "N", score.force_r2, run.forces, response.forces);
}

Table step_laws_table(const identify::StepLawChoice& choice) {
  Table table{.title = "How it follows a command",
              .columns = {"law", "unknowns", "run, not seen", "R2 of speed", "R2 of force",
                          "rmse of speed [rad/s]", "rmse of force [N]", "worse than the best"}};
  for (const identify::StepLawFit& fit : choice.laws)
    for (const identify::StepScore& score : fit.held_out)
      table.rows.push_back({name_of(fit.law) + (&fit == &choice.best() ? ", chosen" : ""),
                            fmt::format("{}", fit.unknowns()), score.run, significant(score.speed_r2, 4),
                            significant(score.force_r2, 4), significant(score.speed_rmse, 3),
                            significant(score.force_rmse, 3),
                            fmt::format("{:.2g} \u00b1 {:.1g}", fit.worse, fit.worse_sigma)});
  table.note = fmt::format(
      "Held out: {}. Worse: mean square error of a step over the spread of its run, less that of the best law, "
      "\u00b1 one "
      "standard error. Chosen is the law with fewest unknowns that is not worse by more than that.",
      choice.by_runs ? "one run after the other" : "every other step");
  return table;
}

Table step_parameters_table(const identify::StepLawFit& fit) {
  Table table{.title = "Numbers of the law " + name_of(fit.law),
              .columns = {"parameter", "unit", "value", "95 % from", "to", "of"}};
  for (const identify::StepParameter& of : fit.parameters)
    table.rows.push_back({of.name, of.unit, significant(of.value, 4), significant(of.low, 3),
                          significant(of.high, 3), of.of_bench ? "the bench" : "the thruster"});
  return table;
}

void add_runs(Page& page, const ThrusterPage& of) {
  const identify::StepModel model(*of.found, of.steps->best().law, of.runs);
  if (Table table = step_laws_table(*of.steps); !table.rows.empty()) page.items.emplace_back(std::move(table));
  page.items.emplace_back(step_parameters_table(of.steps->best()));
  for (std::size_t k = 0; k < of.runs.size(); ++k) add_run(page, of, model, k);
  if (std::vector<std::string> words = of.steps->not_told(); !words.empty())
    page.items.emplace_back(Text{.title = "What the runs do not tell", .paragraphs = std::move(words)});
}

Table laws_table(const IdentifiedThruster& found) {
  Table table{.title = "Why these laws",
              .columns = {"test", "side", "degree", "dead band to", "left by the fit", "held out, degree 1",
                          "2", "3", "4", "5", "band, mean half"}};
  for (const auto& test : found.tests)
    for (const SideChoice* side : {&test.laws.forward, &test.laws.reverse}) {
      const bool is_forward = side == &test.laws.forward;
      const double edge = test.laws.map.command.neutral + (is_forward ? 1 : -1) * side->law.edge;
      std::vector<std::string> row = {test.voltage ? fmt::format("{:g} V", *test.voltage) : "all",
                                      is_forward ? "forward" : "reverse", fmt::format("{}", side->law.degree),
                                      significant(edge, 5), percent(side->rmse / side->full_force)};
      for (std::size_t k = 0; k < 5; ++k)
        row.push_back(k < side->tried.size() ? percent(side->tried[k].error / side->full_force) : "\u2013");
      row.push_back(percent(0.5 * (side->high - side->low).mean() / side->full_force));
      table.rows.push_back(std::move(row));
    }
  table.note =
      "Shares of the side's full force. Held out: every tenth point in turn, which the fit did not see. Chosen "
      "is the "
      "lowest degree within one standard error of the least. No law falls as the command rises.";
  return table;
}

Table left_out_table(const identify::VoltageTable& found) {
  Table table{.title = "What the table says of a voltage that it lacks",
              .columns = {"voltage [V]", "from [V]", "rms [N]", "rms", "at most"}};
  for (const identify::VoltageLeftOut& out : found.left_out)
    table.rows.push_back({significant(out.voltage, 4), fmt::format("{:g} and {:g}", out.below, out.above),
                          significant(out.rms, 3), percent(out.rms / out.full_force),
                          percent(out.peak / out.full_force)});
  table.note = fmt::format(
      "Straight lines between the neighbours, against what was measured; shares of the full force there. {} "
      "points "
      "were moved, by at most {:.3g} N, so that no row falls and neutral gives no force.",
      found.pooled_points, found.largest_move);
  return table;
}

Table shafts_table(const IdentifiedThruster& found) {
  Table table{
      .title = "Shaft",
      .columns = {"test", "side", "a [rad/s]", "exponent", "c [rad/s]", "R2", "T_ww [N s^2]", "R2 of thrust"}};
  for (const auto& test : found.tests)
    for (const auto* shaft : {&test.forward_shaft, &test.reverse_shaft}) {
      if (!*shaft) continue;
      const identify::ShaftSpeedFit& fit = (*shaft)->speed;
      const auto with_sigma = [](double value, double sigma) {
        return fmt::format("{:.4g} \u00b1 {:.2g}", value, sigma);
      };
      table.rows.push_back({test.voltage ? fmt::format("{:g} V", *test.voltage) : "all",
                            shaft == &test.forward_shaft ? "forward" : "reverse",
                            with_sigma(fit.a, fit.a_sigma), with_sigma(fit.shaft.exponent, fit.exponent_sigma),
                            with_sigma(fit.shaft.c, fit.c_sigma), fmt::format("{:.5f}", fit.r2),
                            with_sigma((*shaft)->thrust.T_ww, (*shaft)->thrust.sigma),
                            fmt::format("{:.4f}", (*shaft)->thrust.r2)});
      table.note = fmt::format(
          "|w| = a (x / {:g})^exponent + c, x = |command - neutral|; T = T_ww w^2. \u00b1 one sigma.",
          fit.reference);
    }
  return table;
}

Figures figures_of(const IdentifiedThruster& found, const identify::StepLawChoice* steps) {
  const model::ForceRange range = model::attained_force(found.map(), {}, 1000);
  double worst = 0;
  for (const auto& test : found.tests)
    for (const SideChoice* side : {&test.laws.forward, &test.laws.reverse})
      worst = std::max(worst, side->chosen().error / side->full_force);
  Figures strip;
  strip.figures.push_back({"map",
                           found.table       ? "table"
                           : found.propeller ? "propeller"
                                             : "polynomial",
                           found.table ? fmt::format("{} voltages", found.tests.size()) : "one law per side"});
  strip.figures.push_back(
      {"full force", fmt::format("{:.1f} N", range.max), fmt::format("reverse {:.1f} N", range.min)});
  strip.figures.push_back({"held-out error", percent(worst), "of full force, worst side"});
  if (steps) {
    const identify::StepParameter& first = steps->best().parameters.front();
    strip.figures.push_back({"law in time", name_of(steps->best().law),
                             fmt::format("{} {:.3g} {}, {:.3g} to {:.3g}", first.name, first.value, first.unit,
                                         first.low, first.high)});
  }
  return strip;
}

}  // namespace

Page thruster_page(const ThrusterPage& of) {
  const IdentifiedThruster& found = *of.found;
  Page page{
      .title = "Thruster " + of.name,
      .subtitle = fmt::format("{} test, {}", found.forward_towed || found.reverse_towed ? "towing" : "bollard",
                              join(of.columns, "; ")),
      .footer = of.footer};
  page.items.emplace_back(figures_of(found, of.steps));
  for (const auto& test : found.tests) {
    page.items.emplace_back(force_plot(test));
    page.items.emplace_back(residual_plot(test));
  }
  page.items.emplace_back(laws_table(found));
  if (found.table && !found.table->left_out.empty()) page.items.emplace_back(left_out_table(*found.table));
  if (Table table = shafts_table(found); !table.rows.empty()) page.items.emplace_back(std::move(table));
  for (const auto* towed : {&found.forward_towed, &found.reverse_towed}) {
    if (!*towed) continue;
    const std::string side = towed == &found.forward_towed ? "forward" : "in reverse";
    page.items.emplace_back(loss_plot(**towed, side));
    page.items.emplace_back(thrust_over_ratio_plot(**towed, side));
  }
  if (Table table = towed_table(found); !table.rows.empty()) page.items.emplace_back(std::move(table));
  if (of.steps) add_runs(page, of);
  if (!found.left_out.empty())
    page.items.emplace_back(Text{.title = "Not fitted", .paragraphs = found.left_out});
  return page;
}

}  // namespace fathom::report
