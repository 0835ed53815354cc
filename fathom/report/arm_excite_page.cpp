#include "fathom/report/arm_excite_page.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/excite/reading.hpp"
#include "fathom/model/shaft_motion.hpp"
#include "fathom/report/internal/number_text.hpp"

namespace fathom::report {
namespace {

using excite::ArmLimit;
using internal::significant;
using internal::unit_text;

constexpr int instants = 800;         // of a period, in the plots
constexpr double telling_share = 10;  // beyond it a parameter is not seen, however much beyond

/// Angles are shown in degrees, those of shafts, which turn many times, in radians.
struct Shown {
  double factor = 1;
  std::string unit;
};
Shown shown_as(const model::Joint& joint, ArmLimit limit) {
  const std::string unit = unit_of(joint, limit);
  const bool is_of_joint =
      limit == ArmLimit::position || limit == ArmLimit::joint_speed || limit == ArmLimit::joint_acceleration;
  if (is_of_joint && unit.starts_with("rad")) return {degrees, "deg" + unit.substr(3)};
  return {1, unit};
}

Figures arm_figures(const ArmExcitePage& page) {
  const excite::ArmProblem& problem = *page.problem;
  const excite::ArmDesign& design = *page.design;
  Figures strip;
  strip.figures.push_back({"condition number", significant(design.condition, 4),
                           "columns at the lengths that random motions give them; in units: " +
                               significant(design.raw_condition, 3)});
  strip.figures.push_back(
      {"best random motion", significant(page.random_condition, 4), "within the same limits, for comparison"});
  strip.figures.push_back({"base parameters", fmt::format("{}", page.shown->parameters.size()),
                           "combinations that motion can show"});
  strip.figures.push_back({"period", fmt::format("{:g} s", problem.period),
                           fmt::format("{} harmonics of each {}", problem.harmonics,
                                       problem.space == excite::ArmSpace::motor ? "shaft" : "joint")});
  const auto broken = std::count_if(design.margins.begin(), design.margins.end(),
                                    [](const excite::ArmMargin& margin) { return !(margin.share() >= 0); });
  strip.figures.push_back({"limits", broken == 0 ? "all held" : fmt::format("{} broken", broken),
                           fmt::format("{} limits, checked at {} instants", design.margins.size(),
                                       excite::ArmDesigner::fine * problem.samples)});
  const auto polished = std::count_if(design.starts.begin(), design.starts.end(),
                                      [](const excite::Start& start) { return std::isfinite(start.polished); });
  strip.figures.push_back({"starts", fmt::format("{}", design.starts.size()),
                           fmt::format("{} polished; the motion is that of start {}", polished, design.start)});
  return strip;
}

/// One coordinate or effort of all joints over a period, each with its limits in its own colour.
Plot joints_plot(const ArmExcitePage& page, const excite::ArmTrace& trace, ArmLimit limit,
                 const std::string& title, const std::string& label) {
  Plot plot{.title = title, .y_label = label};
  const auto& joints = page.problem->arm.joints();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Shown as = shown_as(joints[j], limit);
    if (!joints[j].actuator && limit >= ArmLimit::motor_speed) continue;
    if (plot.y_unit.empty()) plot.y_unit = unit_text(as.unit);
    Series series{.name = joints[j].name};
    series.t.assign(trace.t.begin(), trace.t.end());
    for (const double y : trace.of(limit).col(static_cast<Eigen::Index>(j))) series.y.push_back(as.factor * y);
    plot.series.push_back(std::move(series));
  }
  for (const model::Joint& joint : joints) {
    const double allowed = allowed_of(joint, limit), factor = shown_as(joint, limit).factor;
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

std::vector<Plot> motion_plots_of(const ArmExcitePage& page) {
  const excite::ArmProblem& problem = *page.problem;
  const excite::ArmPath path(problem.arm, problem.space, page.design->series);
  const excite::ArmTrace trace = arm_trace(problem, path, instants_of_period(problem, instants));
  std::vector<Plot> plots = {
      joints_plot(page, trace, ArmLimit::position, "Joints over a period", "Position"),
      joints_plot(page, trace, ArmLimit::joint_speed, "Speeds of the joints", "Speed"),
      joints_plot(page, trace, ArmLimit::joint_acceleration, "Accelerations of the joints", "Acceleration")};
  if (problem.arm.has_motor())
    plots.push_back(joints_plot(page, trace, ArmLimit::motor_speed, "Speeds of the shafts", "Speed"));
  if (problem.in_current)
    plots.push_back(
        joints_plot(page, trace, ArmLimit::current, "Currents that the arm file predicts", "Current"));
  else
    plots.push_back(joints_plot(page, trace, ArmLimit::effort, "Efforts that the arm file predicts", "Effort"));
  return plots;
}

Bars relative_bars(const ArmExcitePage& page) {
  Bars bars{.title = "How well each base parameter will be known",
            .label = "Predicted standard deviation over the parameter's value in the arm file",
            .unit = "%",
            .names = {"this design"},
            .values = {{}}};
  for (std::size_t k = 0; k < page.shown->parameters.size(); ++k) {
    if (!(page.shown->relative(k) <= telling_share)) continue;
    bars.groups.push_back(page.shown->parameters[k].name);
    bars.values[0].push_back(100 * page.shown->relative(k));
  }
  bars.note =
      "Parameters that are zero in the arm file, or known to no better than ten times their value, have no "
      "bar: see the table.";
  return bars;
}

std::string relative_share(const excite::Prediction& shown, std::size_t k) {
  if (shown.parameters[k].value == 0) return "\u2013";
  return shown.relative(k) <= telling_share ? significant(100 * shown.relative(k), 3) : "> 1000";
}

Table shown_parameters(const ArmExcitePage& page) {
  Table table{.title = "Base parameters: what motion shows",
              .columns = {"parameter", "value", "predicted sigma", "relative [%]", "unit", "made of"}};
  for (std::size_t k = 0; k < page.shown->parameters.size(); ++k) {
    const model::Parameter& parameter = page.shown->parameters[k];
    table.rows.push_back({parameter.name, significant(parameter.value, 4),
                          significant(page.shown->parameters.sigma(k), 3), relative_share(*page.shown, k),
                          unit_text(parameter.unit), page.shown->made_of[k]});
  }
  table.note = fmt::format(
      "Least squares on {} samples of one period would give these standard deviations, if each had noise of "
      "{:g} "
      "{} and the arm were as these columns have it. Four times as many samples halve them.",
      page.problem->samples, page.problem->noise,
      page.problem->in_current ? "A" : "N m (N where joints slide)");
  return table;
}

Table limits_table(const ArmExcitePage& page) {
  Table table{.title = "Limits, and how near the motion comes to each",
              .columns = {"joint", "limit on", "reached", "allowed", "left [%]", "unit", "verdict"}};
  for (const excite::ArmMargin& margin : page.design->margins) {
    const model::Joint& joint = page.problem->arm.joints()[margin.joint];
    const Shown as = shown_as(joint, margin.limit);
    table.rows.push_back(
        {joint.name, margin.limit == ArmLimit::position ? "position from the middle" : to_string(margin.limit),
         significant(as.factor * margin.reached, 4), significant(as.factor * margin.allowed, 4),
         internal::fixed(100 * margin.share(), 1), unit_text(as.unit), margin.share() >= 0 ? "pass" : "fail"});
  }
  table.note = fmt::format(
      "Checked at {} instants of a period. Position, speed and acceleration of the series hold at every "
      "instant "
      "(Ehlich and Zeller 1964); efforts and currents are those of the arm file.",
      excite::ArmDesigner::fine * page.problem->samples);
  return table;
}

Table arm_starts_table(const ArmExcitePage& page) {
  const auto parameters = static_cast<Eigen::Index>(page.shown->parameters.size());
  const auto value = [&](double f) {
    if (!std::isfinite(f)) return std::string("\u2013");
    return page.problem->criterion == excite::Criterion::condition
               ? significant(reading_of(page.problem->criterion, f, parameters).value, 4)
               : significant(f, 4);
  };
  const std::string what =
      page.problem->criterion == excite::Criterion::condition ? "condition number" : "criterion";
  Table table{.title = "Where the starts ended",
              .columns = {"start", what, "polished", "iterations", "how it ended"}};
  for (const excite::Start& start : page.design->starts)
    table.rows.push_back(
        {fmt::format("start {}{}", start.number, start.number == page.design->start ? ", the best" : ""),
         value(start.last), value(start.polished), fmt::format("{}", start.iterations),
         start.has_failed() ? "failed: beyond a limit"
         : start.was_shrunk ? solve::to_string(start.status) + ", drawn together"
                            : solve::to_string(start.status)});
  table.note =
      "Each is a random motion within the limits. The best three are polished with the criterion hardly "
      "smoothed. "
      "The search is local: ends that agree make it likely that there is nothing much better. Drawn together: "
      "by "
      "a few per cent, to keep a limit between the samples.";
  return table;
}

std::vector<std::string> arm_warnings(const ArmExcitePage& page) {
  std::vector<std::string> paragraphs;
  if (page.design->interrupted)
    paragraphs.push_back(fmt::format(
        "The search was cut short: {} of {} starts had ended. A longer one may find a better motion.",
        page.design->starts.size(), page.problem->starts));
  if (!(least_share(page.design->margins) >= 0))
    paragraphs.emplace_back("The motion breaks a limit: see the table of limits.");
  paragraphs.insert(paragraphs.end(), page.design->notes.begin(), page.design->notes.end());
  return paragraphs;
}

Text search_text(const ArmExcitePage& page) {
  const auto& c = page.design->certificate;
  return {.title = "Certificate of the search",
          .paragraphs = {fmt::format("The last search ended as: {}, after {} iterations. Stationarity {:.1e} "
                                     "(no direction within the limits is "
                                     "better: 0 at an optimum), complementarity {:.1e} (only limits that are "
                                     "touched push: 0 at an optimum), "
                                     "least margin {:.1e} of the limits that are linear in the coefficients.",
                                     solve::to_string(c.status), c.iterations, c.stationarity,
                                     c.complementarity, c.margin)}};
}

Text files_text() {
  return {
      .title = "To move by",
      .paragraphs = {"The motion is periodic and moves at its beginning: take the arm to the first row slowly, "
                     "start the controller there, and let it run in for a period before anything is kept."},
      .links = {{"trajectory.csv", "positions, speeds and accelerations, row by row"},
                {"trajectory.yaml", "the coefficients of the series"},
                {"summary.json", "all numbers of this page"}}};
}

}  // namespace

Page arm_excite_page(const ArmExcitePage& of) {
  const excite::ArmProblem& problem = *of.problem;
  std::string subtitle = fmt::format("excitation of the arm {} in {}, designed by Fathom", problem.arm.name(),
                                     problem.medium == dynamics::Medium::water ? "water" : "air");
  if (!problem.held.empty()) subtitle += fmt::format("; held: {}", join(problem.held, ", "));
  Page page{.title = problem.title.empty() ? problem.name : problem.title,
            .subtitle = std::move(subtitle),
            .footer = of.footer};
  if (auto paragraphs = arm_warnings(of); !paragraphs.empty())
    page.items.emplace_back(Text{.title = "Take care", .paragraphs = std::move(paragraphs)});
  page.items.emplace_back(arm_figures(of));
  for (Plot& plot : motion_plots_of(of)) page.items.emplace_back(std::move(plot));
  page.items.emplace_back(limits_table(of));
  page.items.emplace_back(relative_bars(of));
  page.items.emplace_back(shown_parameters(of));
  page.items.emplace_back(arm_starts_table(of));
  page.items.emplace_back(search_text(of));
  page.items.emplace_back(files_text());
  return page;
}

}  // namespace fathom::report
