#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/excite/reading.hpp"
#include "fathom/model/shaft_motion.hpp"
#include "fathom/task/excite/internal/excite.hpp"

namespace fathom::task {
namespace {

using namespace report;
using excite::ArmLimit;
using Summary = ExciteSummary;

constexpr int instants = 800;         // of a period, in the plots
constexpr double telling_share = 10;  // beyond it a parameter is not seen, however much beyond

std::string on_page(double value, const char* format) {
  return shown(value, TableColumn("", format), Where::page);
}

/// The page shows angles of joints in degrees, and those of shafts, which turn many times, in radians.
struct ShownUnit {
  double factor = 1;
  std::string unit;
};
ShownUnit unit_on_page(const std::string& limit, const std::string& unit) {
  const bool is_of_joint = limit == to_string(ArmLimit::position) ||
                           limit == to_string(ArmLimit::joint_speed) ||
                           limit == to_string(ArmLimit::joint_acceleration);
  if (is_of_joint && unit.starts_with("rad")) return {degrees, "deg" + unit.substr(3)};
  return {1, unit};
}

std::string shaft_or_joint(const Summary& s) { return *s.problem.space == "motor" ? "shaft" : "joint"; }

Figures arm_figures(const Summary& s) {
  const auto broken = std::count_if(s.margins.begin(), s.margins.end(),
                                    [](const Summary::Margin& m) { return !(*m.share_left >= 0); });
  const auto polished = std::count_if(s.starts.begin(), s.starts.end(), [](const Summary::Start& start) {
    return start.polished && std::isfinite(*start.polished);
  });
  return {{{"condition number", on_page(s.condition_number, "{:.4g}"),
            "columns at the lengths that random motions give them; in units: " +
                on_page(*s.condition_number_in_units, "{:.3g}")},
           {"best random motion", on_page(*s.condition_number_of_random_motions, "{:.4g}"),
            "within the same limits, for comparison"},
           {"base parameters", fmt::format("{}", s.parameters.size()), "combinations that motion can show"},
           {"period", fmt::format("{:g} s", *s.problem.period_s),
            fmt::format("{} harmonics of each {}", *s.problem.harmonics, shaft_or_joint(s))},
           {"limits", broken == 0 ? "all held" : fmt::format("{} broken", broken),
            fmt::format("{} limits, checked at {} instants", s.margins.size(),
                        excite::ArmDesigner::fine * s.problem.samples)},
           {"starts", fmt::format("{}", s.starts.size()),
            fmt::format("{} polished; the motion is that of start {}", polished, s.best_start)}}};
}

/// One coordinate or effort of all joints over a period, each with its limits in its own colour.
Plot joints_plot(const excite::ArmProblem& problem, const excite::ArmTrace& trace, ArmLimit limit,
                 const std::string& title, const std::string& label) {
  Plot plot{.title = title, .y_label = label};
  const auto& joints = problem.arm.joints();
  const auto unit = [&](const model::Joint& joint) {
    return unit_on_page(to_string(limit), unit_of(joint, limit));
  };
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const ShownUnit as = unit(joints[j]);
    if (!joints[j].actuator && limit >= ArmLimit::motor_speed) continue;
    if (plot.y_unit.empty()) plot.y_unit = shown(as.unit, "unit", Where::page);
    Series series{.name = joints[j].name};
    series.t.assign(trace.t.begin(), trace.t.end());
    for (const double y : trace.of(limit).col(static_cast<Eigen::Index>(j))) series.y.push_back(as.factor * y);
    plot.series.push_back(std::move(series));
  }
  for (const model::Joint& joint : joints) {
    const double allowed = allowed_of(joint, limit), factor = unit(joint).factor;
    if (!std::isfinite(allowed)) continue;
    const double middle = limit == ArmLimit::position ? model::middle_of_range(joint.limits) : 0;
    for (const double side : {-1.0, 1.0}) {
      const double bound = factor * (middle + side * allowed);
      plot.series.push_back(
          {joint.name, {0, trace.t[trace.t.size() - 1]}, {bound, bound}, Series::Style::limit});
    }
  }
  return plot;
}

std::vector<Plot> arm_plots(const ExciteResult::Arm& of) {
  const excite::ArmProblem& problem = of.problem;
  const excite::ArmTrace trace =
      arm_trace(problem, excite::ArmPath(problem.arm, problem.space, of.design.series),
                instants_of_period(problem, instants));
  std::vector<Plot> plots;
  const auto add = [&](ArmLimit limit, const char* title, const char* label) {
    plots.push_back(joints_plot(problem, trace, limit, title, label));
  };
  add(ArmLimit::position, "Joints over a period", "Position");
  add(ArmLimit::joint_speed, "Speeds of the joints", "Speed");
  add(ArmLimit::joint_acceleration, "Accelerations of the joints", "Acceleration");
  if (problem.arm.has_motor()) add(ArmLimit::motor_speed, "Speeds of the shafts", "Speed");
  if (problem.in_current)
    add(ArmLimit::current, "Currents that the arm file predicts", "Current");
  else
    add(ArmLimit::effort, "Efforts that the arm file predicts", "Effort");
  return plots;
}

Bars relative_bars(const Summary& s) {
  Bars bars{.title = "How well each base parameter will be known",
            .label = "Predicted standard deviation over the parameter's value in the arm file",
            .unit = "%",
            .names = {"this design"},
            .values = {{}},
            .note =
                "Parameters that are zero in the arm file, or known to no better than ten times their "
                "value, have no bar: see the table."};
  for (const Summary::Parameter& p : s.parameters) {
    if (!(p.relative <= telling_share)) continue;
    bars.groups.push_back(p.name);
    bars.values[0].push_back(100 * p.relative);
  }
  return bars;
}

Table base_parameters_table(const Summary& s) {
  Table table{
      .title = "Base parameters: what motion shows",
      .columns = {TableColumn("base parameter").on_page("parameter"), "value",
                  TableColumn("predicted sigma", "{:.2g}").on_page("predicted sigma", "{:.3g}"), "unit",
                  TableColumn("relative", "{:.3g} %").times(100).on_page("relative [%]", "{:.3g}"), "made of"},
      .note = fmt::format("predicted sigma: least squares on {} samples of a period with noise of {:g} {} "
                          "would give it, if the "
                          "arm were as these columns have it. Four times as many samples halve it.",
                          s.problem.samples, *s.problem.noise,
                          *s.problem.measured == "current" ? "A" : "N m (N where joints slide)")};
  for (const Summary::Parameter& p : s.parameters) {
    Cell relative = p.relative;
    if (p.value == 0) relative = nan;  // of zero nothing is relative
    if (p.value != 0 && !(p.relative <= telling_share)) relative = "> 1000 %";
    table.rows.push_back({p.name, p.value, p.sigma, p.unit, std::move(relative), *p.grouping});
  }
  return table;
}

std::string position_in_words(const std::string& limit) {
  return limit == to_string(ArmLimit::position) ? "position from the middle" : limit;
}

Table limits_table(const Summary& s) {
  Table table{.title = "Limits, and how near the motion comes to each",
              .columns = {"joint", "limit on", "reached", "allowed",
                          TableColumn("left [%]", "{:.1f}").times(100), "unit", "verdict"},
              .note = fmt::format(
                  "Checked at {} instants of a period. Position, speed and acceleration of the series hold at "
                  "every instant (Ehlich and Zeller 1964); efforts and currents are those of the arm file.",
                  excite::ArmDesigner::fine * s.problem.samples),
              .where = Where::page};
  for (const Summary::Margin& m : s.margins) {
    const ShownUnit as = unit_on_page(m.limit, m.unit);
    table.rows.push_back({*m.joint, position_in_words(m.limit), as.factor * *m.reached, as.factor * *m.allowed,
                          *m.share_left, as.unit, *m.share_left >= 0 ? "pass" : "fail"});
  }
  return table;
}

/// Of each kind of limit the joint that comes nearest to it, for the terminal.
Table nearest_limits_table(const Summary& s) {
  Table table{.columns = {"limit on", "reached", "allowed", percent_column("left"), "unit", "joint"},
              .where = Where::terminal};
  auto nearest = internal::nearest_margins(
      s, [](const auto& m) { return m.limit; }, &Summary::Margin::share_left);
  std::map<std::string, int> order;
  for (int k = 0; k <= static_cast<int>(ArmLimit::current); ++k) order[to_string(static_cast<ArmLimit>(k))] = k;
  std::sort(nearest.begin(), nearest.end(),
            [&](const auto& a, const auto& b) { return order[a.limit] < order[b.limit]; });
  for (const Summary::Margin& m : nearest)
    table.rows.push_back({position_in_words(m.limit), *m.reached, *m.allowed, *m.share_left, m.unit, *m.joint});
  return table;
}

Table arm_starts_table(const Summary& s) {
  const bool by_condition = s.problem.criterion == internal::to_string(excite::Criterion::condition);
  const auto value = [&](double f) {
    return by_condition ? excite::reading_of(excite::Criterion::condition, f, 0).value : f;
  };
  Table table{.title = "Where the starts ended",
              .columns = {"start", by_condition ? "condition number" : "criterion", "polished", "iterations",
                          "how it ended"},
              .note =
                  "Each is a random motion within the limits. The best three are polished with the "
                  "criterion hardly smoothed. The search is local: ends that agree make it likely that "
                  "there is nothing much better. Drawn together: by a few per cent, to keep a limit "
                  "between the samples.",
              .where = Where::page};
  for (const Summary::Start& start : s.starts)
    table.rows.push_back(
        {fmt::format("start {}{}", start.number, start.number == s.best_start ? ", the best" : ""),
         value(start.last), value(start.polished.value_or(nan)), start.iterations,
         !std::isfinite(start.last)             ? "failed: beyond a limit"
         : start.drawn_together.value_or(false) ? start.status + ", drawn together"
                                                : start.status});
  return table;
}

/// How much of the arm one period shows, for the terminal.
Text worth_text(const Summary& s) {
  const auto known = std::count_if(s.parameters.begin(), s.parameters.end(),
                                   [](const Summary::Parameter& p) { return p.relative <= 0.1; });
  const auto lost = std::count_if(s.parameters.begin(), s.parameters.end(), [](const Summary::Parameter& p) {
    return p.value != 0 && !(p.relative <= 1);
  });
  std::string shows = fmt::format("one period shows {} of {} within 10 %", known, s.parameters.size());
  if (lost > 0)
    shows += fmt::format(
        "; {} have a sigma above their value: accelerations are small (try a shorter --duration), or add "
        "periods",
        lost);
  return {.paragraphs = {std::move(shows),
                         fmt::format("condition number {:.4g}, columns at the lengths that random motions give "
                                     "them; the best of 20 random motions: {:.4g}",
                                     s.condition_number, *s.condition_number_of_random_motions)},
          .where = Where::terminal};
}

Text files_text() {
  return {
      .title = "To move by",
      .paragraphs = {"The motion is periodic and moves at its beginning: take the arm to the first row slowly, "
                     "start the controller there, and let it run in for a period before anything is kept."},
      .links = {{"trajectory.csv", "positions, speeds and accelerations, row by row"},
                {"trajectory.yaml", "the coefficients of the series"},
                {"summary.json", "all numbers of this page"}},
      .where = Where::page};
}

Text next_text(const Summary& s, const ExciteResult::Arm& of) {
  const excite::ArmClock& clock = of.run_in.clock;
  return {.paragraphs = {fmt::format(
              "next: take the arm to the first row of trajectory.csv and move it by that table ({:g} rows each "
              "second,\n{:g} s from rest to rest: {:g} s to start, {:g} s of motion, {:g} s to stop), record "
              "positions{} and {}, then\n  {}",
              of.rate, clock.end(), clock.lead, clock.motion, clock.lead,
              s.problem.held->empty() ? "" : ", of held joints too,",
              *s.problem.measured == "current" ? "currents" : "efforts", of.identify_command)},
          .where = Where::terminal,
          .verbatim = true};
}

}  // namespace

void internal::add_arm(Document& page, const ExciteSummary& s, const ExciteResult::Arm* of) {
  const std::string held = join(*s.problem.held, ", ");
  page.subtitle = fmt::format("excitation of the arm {} in {}, designed by Fathom{}", *s.problem.arm,
                              *s.problem.medium, held.empty() ? "" : "; held: " + held);
  Text head{.paragraphs = {fmt::format("{}: {} base parameters of {} from a period of {:g} s, {} harmonics of "
                                       "each {}, {}",
                                       s.problem.name, s.parameters.size(), *s.problem.arm, *s.problem.period_s,
                                       *s.problem.harmonics, shaft_or_joint(s), s.problem.criterion)},
            .where = Where::terminal};
  if (!held.empty()) head.paragraphs.push_back("held: " + held);
  page.add_text(std::move(head));
  Text care = take_care(s);
  care.paragraphs.insert(care.paragraphs.end(), s.notes.begin(), s.notes.end());
  page.add_text(std::move(care));
  page.add(arm_figures(s));
  if (of) page.add_all(arm_plots(*of));
  page.add(limits_table(s));
  page.add(relative_bars(s));
  page.add(base_parameters_table(s));
  page.add_text(worth_text(s));
  page.add(arm_starts_table(s));
  page.add(nearest_limits_table(s));
  page.add_text(files_text());
  add_certificate(page, s);
  if (of) page.add_text(next_text(s, *of));
}

}  // namespace fathom::task
