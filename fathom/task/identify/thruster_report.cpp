#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/task/identify/thruster.hpp"

namespace fathom::task {
namespace {

using namespace report;
using identify::IdentifiedThruster;
using Summary = IdentifyThrusterSummary;
using Evidence = IdentifyThrusterResult::Evidence;
using Column = TableColumn;

constexpr int points_of_curve = 200;

std::string voltage_text(const std::optional<double>& voltage) {
  return voltage ? fmt::format("{:g} V", *voltage) : "all";
}

/// Measured forces with the law and its band; or what the law leaves of them, because beside the force itself
/// both are too thin to see.
Plot force_plot(const IdentifiedThruster::AtVoltage& test, bool is_residual) {
  const model::ThrusterMap& map = test.laws.map;
  const auto law_at = [&](double u) { return model::force_of_command(map, u, test.voltage.value_or(0)); };
  Series points{.name = is_residual ? "measured less law" : "measured", .style = Series::Style::points};
  Series law{.name = "law"};
  Band band{.name = "95 % band of the law"};
  const auto add = [&](const identify::SideChoice& side, Eigen::Index k, double direction) {
    const double at = map.command.neutral + direction * side.u[k], off = is_residual ? law_at(at) : 0;
    const auto [low, high] = std::minmax({direction * side.low[k], direction * side.high[k]});
    points.t.push_back(at);
    points.y.push_back(direction * side.forces[k] - off);
    band.t.push_back(at);
    band.low.push_back(low - off);
    band.high.push_back(high - off);
  };
  for (Eigen::Index k = test.laws.reverse.u.size(); k-- > 0;) add(test.laws.reverse, k, -1);
  for (Eigen::Index k = 0; k < test.laws.forward.u.size(); ++k) add(test.laws.forward, k, 1);
  for (int k = 0; k <= points_of_curve; ++k) {
    law.t.push_back(map.command.min + (map.command.max - map.command.min) * k / points_of_curve);
    law.y.push_back(law_at(law.t.back()));
  }
  const std::string unit(symbol_of(map.command.unit)), title = is_residual ? "Measured less law" : "Force";
  Plot plot{.title = test.voltage ? title + " at " + voltage_text(test.voltage) : title,
            .y_label = "Force",
            .y_unit = "N",
            .bands = {std::move(band)},
            .x_label = unit.empty() ? "command" : fmt::format("command ({})", unit)};
  if (!is_residual) plot.series.push_back(std::move(law));
  plot.series.push_back(std::move(points));
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

/// All points on one line: by the law, the share of T_ww w^2 that is left depends on u / w alone.
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

/// Measured and simulated speed and force of a run; R2 are of a fit that did not see the run or step.
void add_run(Document& document, const Evidence& of, const identify::StepModel& model, std::size_t index) {
  const identify::StepRun& run = of.runs[index];
  const identify::StepLawFit& fit = of.steps->best();
  const identify::StepScore score = index < fit.held_out.size() ? fit.held_out[index] : identify::StepScore();
  const identify::StepResponse response = model.simulate(index, fit.numbers);
  const auto list = [](const Eigen::VectorXd& values) {
    return std::vector<double>(values.begin(), values.end());
  };
  const auto add = [&](const char* what, const char* unit, double r2, const auto& measured,
                       const Eigen::VectorXd& modelled) {
    if (modelled.size() == 0) return;
    const std::string unseen = std::isfinite(r2) ? fmt::format(", R2 not seen {:.4f}", r2) : "";
    document.add(Plot{.title = fmt::format("{} in {}{}", what, run.name, unseen),
                      .y_label = what,
                      .y_unit = unit,
                      .series = {{"measured", list(run.times), list(*measured), Series::Style::points},
                                 {"law", list(run.times), list(modelled)}},
                      .x_label = "time (s)"});
  };
  add("Shaft speed", "rad/s", score.speed_r2, run.speeds, response.speeds);
  add("Force", "N", score.force_r2, run.forces, response.forces);
}

TableColumn share_column(std::string label) {
  return Column(std::move(label), "{:.2f} %").times(100).on_page("", "{:.1f} %");
}

TableColumn with_sigma(std::string label) { return {std::move(label), "{:.4g} \u00b1 {:.2g}"}; }
Cell pair(double a, double b) { return {a, b}; }

Table laws_table(const Summary& s, double neutral) {
  Table table{.title = "Why these laws",
              .columns = {"test", "side", "degree",
                          Column(fmt::format("dead band [{}]", s.command_unit), "{:.4g}", Where::terminal),
                          Column("dead band to", "{:.5g}", Where::page),
                          Column("full force", "{:.4g} N", Where::terminal), share_column("left by the fit"),
                          Column("held out", "{:.2f} %", Where::terminal).times(100),
                          Column("95 % band", "+- {:.2f} %").times(100).on_page("band, mean half", "{:.1f} %")},
              .note =
                  "Shares of the side's full force. Held out: every tenth point in turn, which the fit did "
                  "not see. Chosen is the lowest degree within one standard error of the least. No law falls "
                  "as the command rises.",
              .note_where = Where::page};
  for (const char* degree : {"held out, degree 1", "2", "3", "4", "5"})
    table.columns.push_back(percent_column(degree, Where::page));
  for (const Summary::Test& test : s.tests)
    for (const Summary::Side* side : {&test.forward, &test.reverse}) {
      const bool is_forward = side == &test.forward;
      const double full = side->full_force_N;
      Row row = {voltage_text(test.voltage),
                 is_forward ? "forward" : "reverse",
                 side->degree,
                 side->dead_band,
                 neutral + (is_forward ? 1 : -1) * side->dead_band,
                 full,
                 side->rmse_N / full,
                 side->held_out_error_N / full,
                 side->half_band_N / full};
      for (std::size_t k = 0; k < 5; ++k)
        row.push_back(k < side->tried.size() ? side->tried[k].held_out_error_N / full : nan);
      table.rows.push_back(std::move(row));
    }
  return table;
}

void add_left_out(Document& document, const Summary& s, double largest_move) {
  if (s.law != "table") return;
  Table table{.title = "What the table says of a voltage that it lacks",
              .columns = {"voltage [V]", Column("from [V]", "{:g} and {:g}"), Column("rms [N]", "{:.3g}"),
                          share_column("rms"), percent_column("at most", Where::page)}};
  for (const Summary::LeftOut& out : s.voltages_left_out)
    table.rows.push_back({out.voltage, pair(out.from[0], out.from[1]), out.rms_N, out.rms_N / out.full_force_N,
                          out.peak_N / out.full_force_N});
  table.note = fmt::format(
      "The map is a table over voltage. {} points were moved{}, so that no row falls and neutral gives no "
      "force. "
      "Errors are those of straight lines between the neighbours, as shares of the full force.",
      s.points_moved,
      std::isfinite(largest_move) ? fmt::format(", by at most {:.3g} N", largest_move) : std::string());
  Table between{
      .title = "95 % bands between voltages",
      .columns = {"voltage [V]", Column("from [V]", "{:g} and {:g}"), Column("+- mean [N]", "{:.3g}"),
                  Column("+- at most [N]", "{:.3g}")},
      .note =
          "Half way between two voltages: what straight lines miss there, by the bend of the force at "
          "the neighbours, and the bands of their own laws."};
  for (const Summary::Between& gap : s.between_voltages)
    between.rows.push_back(
        {gap.voltage, pair(gap.from[0], gap.from[1]), gap.mean_half_band_N, gap.largest_half_band_N});
  if (!between.rows.empty()) document.add(std::move(between));
  if (table.rows.empty())
    document.add(Text{.paragraphs = {table.note}, .where = Where::terminal});
  else
    document.add(std::move(table));
}

Table shafts_table(const IdentifiedThruster& found) {
  Table table{
      .title = "Shaft",
      .columns = {"test", "side", with_sigma("a [rad/s]"), with_sigma("exponent"), with_sigma("c [rad/s]"),
                  Column("R2", "{:.5f}"), with_sigma("T_ww [N s^2]"), Column("R2 of thrust", "{:.4f}")},
      .where = Where::page};
  for (const auto& test : found.tests)
    for (const auto* shaft : {&test.forward_shaft, &test.reverse_shaft}) {
      if (!*shaft) continue;
      const auto& [fit, thrust] = **shaft;
      table.rows.push_back({voltage_text(test.voltage), shaft == &test.forward_shaft ? "forward" : "reverse",
                            pair(fit.a, fit.a_sigma), pair(fit.shaft.exponent, fit.exponent_sigma),
                            pair(fit.shaft.c, fit.c_sigma), fit.r2, pair(thrust.T_ww, thrust.sigma),
                            thrust.r2});
      table.note = fmt::format(
          "|w| = a (x / {:g})^exponent + c, x = |command - neutral|; T = T_ww w^2. \u00b1 one sigma.",
          fit.reference);
    }
  return table;
}

/// The loss at three shaft speeds and three inflows.
Table loss_table(const Summary::Inflow& of, const std::string& side) {
  Table table{.columns = {"thrust lost, " + side}, .where = Where::terminal};
  for (const Summary::Loss& at : of.loss) {
    if (at.shaft_speed_rad_s == of.loss.front().shaft_speed_rad_s)
      table.columns.push_back(
          Column(fmt::format("{:.3g} m/s", at.inflow_m_s), "{:.1f} +- {:.1f} %").times(100));
    if (at.inflow_m_s == of.loss.front().inflow_m_s)
      table.rows.push_back({fmt::format("{:.0f} rad/s", at.shaft_speed_rad_s)});
    table.rows.back().push_back({at.share, sigmas_of_95 * at.sigma});
  }
  table.note = fmt::format("T_ww w^2 + T_wu w u over {} points: R2 {:.4f}, without inflow {:.4f}; +- is 95 %",
                           of.points, of.r2, of.r2_without_inflow);
  return table;
}

void add_inflow(Document& document, const Summary& s, const std::optional<Evidence>& evidence) {
  Table table{.title = "Inflow",
              .columns = {"side", "points", with_sigma("T_ww [N s^2]"), with_sigma("T_wu [N s^2/m]"),
                          Column("R2", "{:.4f}"), Column("R2 without inflow", "{:.4f}")},
              .note =
                  "T = T_ww w^2 + T_wu w u, u the inflow along the thrust. \u00b1 one sigma, which holds "
                  "what the law itself may be wrong by.",
              .where = Where::page};
  for (const auto* of : {&s.inflow_forward, &s.inflow_reverse}) {
    if (!*of) continue;
    const bool is_forward = of == &s.inflow_forward;
    const std::string side = is_forward ? "forward" : "reverse";
    if (evidence) {
      const auto& towed = is_forward ? evidence->found.forward_towed : evidence->found.reverse_towed;
      document.add(loss_plot(*towed, side));
      document.add(thrust_over_ratio_plot(*towed, side));
    }
    document.add(loss_table(**of, side));
    table.rows.push_back({side, (*of)->points, pair((*of)->T_ww, (*of)->T_ww_sigma),
                          pair((*of)->T_wu, (*of)->T_wu_sigma), (*of)->r2, (*of)->r2_without_inflow});
  }
  if (!table.rows.empty()) document.add(std::move(table));
}

const Summary::Law& chosen(const Summary::Dynamics& dynamics) {
  return *std::find_if(dynamics.laws.begin(), dynamics.laws.end(),
                       [&](const Summary::Law& law) { return law.law == dynamics.law; });
}

Table step_laws_table(const Summary::Dynamics& dynamics) {
  const auto r2 = [](const char* label) { return Column(label, "{:.4f}").on_page("", "{:.4g}"); };
  Table table{
      .title = "How it follows a command",
      .columns = {Column("law").shown_once(), "unknowns", "run, not seen", r2("R2 of speed"), r2("R2 of force"),
                  Column("rmse [rad/s]", "{:.3g}").on_page("rmse of speed [rad/s]"),
                  Column("rmse [N]", "{:.3g}").on_page("rmse of force [N]"),
                  Column("worse than the best", "{:.2g} +- {:.1g}", dynamics.forced ? Where::page : Where::both)
                      .on_page("", "{:.2g} \u00b1 {:.1g}")},
      .note = fmt::format(
          "Held out: {}. Worse: mean square error of a step over the spread of its run, less that of "
          "the best law, \u00b1 one standard error. Chosen is the law with fewest unknowns that is not "
          "worse by more than that, nor by more than a tenth.",
          dynamics.held_out == "runs" ? "one run after the other" : "every other step"),
      .note_where = Where::page};
  for (const Summary::Law& law : dynamics.laws)
    for (const Summary::Score& score : law.held_out)
      table.rows.push_back({law.law + (law.law == dynamics.law ? ", chosen" : ""),
                            std::count_if(law.parameters.begin(), law.parameters.end(),
                                          [](const auto& of) { return !of.second.of_bench; }),
                            score.run, score.speed_r2, score.force_r2, score.speed_rmse_rad_s,
                            score.force_rmse_N, pair(law.worse, law.worse_sigma)});
  return table;
}

void add_steps(Document& document, const Summary& s, const std::optional<Evidence>& evidence) {
  const Summary::Dynamics& dynamics = *s.dynamics;
  document.add(Text{
      .paragraphs = {fmt::format(
          "{} follows its command by the law {}, {}; its thrusters say transient: {}_lag", s.name, dynamics.law,
          dynamics.forced ? "as told"
                          : "the simplest that is within one standard error of the best on steps not seen",
          s.name)},
      .where = Where::terminal});
  if (Table table = step_laws_table(dynamics); !table.rows.empty()) document.add(std::move(table));
  Table unseen{.title = "Unseen runs",
               .columns = {"run of --test", Column("R2 of speed", "{:.4f}"), Column("R2 of force", "{:.4f}"),
                           Column("rmse [rad/s]", "{:.3g}"), Column("rmse [N]", "{:.3g}"),
                           Column("R2 of force, no lag", "{:.4f}"), Column("rmse [N], no lag", "{:.3g}")}};
  for (std::size_t k = 0; k < dynamics.tests.size(); ++k) {
    const Summary::Score &with = dynamics.tests[k], &without = dynamics.without_law[k];
    unseen.rows.push_back({with.run, with.speed_r2, with.force_r2, with.speed_rmse_rad_s, with.force_rmse_N,
                           without.force_r2, without.force_rmse_N});
  }
  if (!unseen.rows.empty()) document.add(std::move(unseen));
  Table parameters{.title = "Numbers of the law " + dynamics.law,
                   .columns = {"parameter", "unit", "value", Column("95 %", "{:.3g} to {:.3g}"), "of"}};
  for (const auto& [name, of] : chosen(dynamics).parameters)
    parameters.rows.push_back(
        {name, of.unit, of.estimate,
         std::isfinite(of.interval_95[0]) ? pair(of.interval_95[0], of.interval_95[1]) : Cell("not shown"),
         of.of_bench ? "the bench, not in the map" : "the thruster"});
  document.add(std::move(parameters));
  if (!evidence) return;
  const identify::StepModel model(evidence->found, evidence->steps->best().law, evidence->runs);
  for (std::size_t k = 0; k < evidence->runs.size(); ++k) add_run(document, *evidence, model, k);
}

Text missing(const Summary& s) {
  Text text{.title = "What the data do not tell"};
  if (s.dynamics) {
    for (const Summary::Law& law : s.dynamics->laws)
      if (law.why_not && !s.dynamics->forced)
        text.paragraphs.push_back(fmt::format("not tried: {}, which {}", law.law, *law.why_not));
    for (const std::string& words : s.dynamics->not_told) text.paragraphs.push_back("not told: " + words);
  }
  for (const std::string& words : s.not_fitted) text.paragraphs.push_back("not fitted: " + words);
  return text;
}

Figures figures_of(const Summary& s) {
  double worst = nan;
  for (const Summary::Test& test : s.tests)
    for (const Summary::Side* side : {&test.forward, &test.reverse})
      worst = std::fmax(worst, side->held_out_error_N / side->full_force_N);
  const bool is_table = s.law == "table";
  Figures strip{
      {{"map", is_table || s.law == "propeller" ? s.law : "polynomial",
        is_table ? fmt::format("{} voltages", s.tests.size()) : "one law per side"},
       {"full force", fmt::format("{:.1f} N", s.force_N[1]), fmt::format("reverse {:.1f} N", s.force_N[0])},
       {"held-out error", shown(worst, percent_column(""), Where::page), "of full force, worst side"}}};
  if (!s.dynamics) return strip;
  const auto& [name, first] = chosen(*s.dynamics).parameters.front();
  strip.figures.push_back({"law in time", s.dynamics->law,
                           fmt::format("{} {:.3g} {}, {:.3g} to {:.3g}", name, first.estimate, first.unit,
                                       first.interval_95[0], first.interval_95[1])});
  return strip;
}

}  // namespace

Document IdentifyThrusterResult::report() const {
  const Summary& s = summary;
  const std::string columns = join(s.columns, "; ");
  Document document{.title = "Thruster " + s.name,
                    .subtitle = fmt::format(
                        "{} test, {}", s.inflow_forward || s.inflow_reverse ? "towing" : "bollard", columns),
                    .footer = fmt::format("fathom {}: {}", s.version, s.command)};
  document.add(Text{.paragraphs = {s.name + ": " + columns}, .where = Where::terminal});
  document.add(figures_of(s));
  if (evidence)
    for (const auto& test : evidence->found.tests) {
      document.add(force_plot(test, false));
      document.add(force_plot(test, true));
    }
  const bool has_table = evidence && evidence->found.table;
  document.add(laws_table(s, evidence ? evidence->found.tests.front().laws.map.command.neutral : nan));
  add_left_out(document, s, has_table ? evidence->found.table->largest_move : nan);
  if (evidence)
    if (Table table = shafts_table(evidence->found); !table.rows.empty()) document.add(std::move(table));
  add_inflow(document, s, evidence);
  if (s.dynamics) add_steps(document, s, evidence);
  document.add_text(missing(s));
  if (s.failed.empty())
    document.add(Text{.paragraphs = {fmt::format(
                          "paste thruster.yaml into a robot file; its thrusters then say map: {}", s.name)},
                      .where = Where::terminal});
  return document;
}

}  // namespace fathom::task
