#include "fathom/report/excite_page.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/excite/margins.hpp"
#include "fathom/excite/reading.hpp"
#include "fathom/report/internal/excite_motion.hpp"
#include "fathom/report/internal/number_text.hpp"

namespace fathom::report {
namespace {

using excite::Criterion;
using excite::ExpectedAccuracy;
using excite::Margin;
using internal::unit_text;
using Status = solve::InteriorPointResult::Status;

std::string number(double value, int digits) {
  if (std::isinf(value)) return value < 0 ? "\u2212infinite" : "infinite";
  const double size = std::abs(value);
  const bool whole = size >= std::pow(10, digits) && size < 1e7;  // rather 6863 than 6.86e+03
  const std::string text = whole ? fmt::format("{:.0f}", size) : fmt::format("{:.{}g}", size, digits);
  return value < 0 ? "\u2212" + text : text;
}

std::string percent_or_infinite(double share) {
  return std::isfinite(share) ? number(100 * share, 3) + " %" : "infinite";
}

std::string condition(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : "infinite"; }

bool has_path_limits(const excite::Problem& problem) {
  return problem.thrusters || problem.view || problem.tether;
}

excite::Reading reading(const excite::Problem& problem, double f) {
  return excite::reading_of(problem.criterion, f, static_cast<Eigen::Index>(problem.structure.size()));
}

Figures figures_of(const ExcitePage& page) {
  const excite::Assessment& assessment = *page.assessment;
  const ExpectedAccuracy& accuracy = assessment.accuracy;
  Figures strip;
  strip.figures.push_back({"predicted error", percent_or_infinite(accuracy.error),
                           fmt::format("root mean square over {} parameters, each relative to its scale",
                                       page.problem->structure.size())});
  const ExpectedAccuracy& other = assessment.sinusoids ? *assessment.sinusoids : assessment.random;
  std::string times = std::isfinite(other.error)
                          ? fmt::format("{:.3g} times as much", other.error / accuracy.error)
                          : "some parameter is not seen";
  if (!assessment.sinusoids_break_limits.empty())
    times += ", though they break the limits of " + assessment.sinusoids_break_limits;
  if (assessment.sinusoids) times += "; a random path: " + percent_or_infinite(assessment.random.error);
  strip.figures.push_back({assessment.sinusoids ? "error of sinusoids" : "error of a random path",
                           percent_or_infinite(other.error), std::move(times)});
  strip.figures.push_back({"condition number", condition(accuracy.condition),
                           "floor of such a motion: " + condition(accuracy.floor)});
  strip.figures.push_back(
      {"duration", fmt::format("{:g} s", page.problem->duration()),
       fmt::format("{:.0f} samples, one every {:g} s", assessment.grid.mask.sum(), page.problem->sampling)});
  const auto& certificate = page.design->certificate;
  strip.figures.push_back(
      {"search", solve::to_string(certificate.status),
       fmt::format("{} iterations; best of {} start{}", certificate.iterations, page.design->starts.size(),
                   page.design->starts.size() == 1 ? "" : "s")});
  const auto broken = std::count_if(assessment.margins.begin(), assessment.margins.end(),
                                    [](const Margin& margin) { return !(margin.margin >= -1e-9); });
  strip.figures.push_back({"limits", broken == 0 ? "all held" : fmt::format("{} broken", broken),
                           fmt::format("{} limits, checked every {:g} s", assessment.margins.size(),
                                       page.problem->sampling / excite::dense)});
  return strip;
}

std::vector<double> relative(const ExpectedAccuracy& accuracy, const Eigen::VectorXd& scale) {
  const Eigen::VectorXd share = 100 * accuracy.sigma.cwiseQuotient(scale);
  return {share.begin(), share.end()};
}

Bars sigma_bars(const ExcitePage& page) {
  const excite::Assessment& assessment = *page.assessment;
  Bars bars{.title = "How well each parameter will be known",
            .label = "Predicted standard deviation, relative to the parameter's scale",
            .unit = "%"};
  for (const model::Parameter& parameter : assessment.prediction.parameters.entries())
    bars.groups.push_back(parameter.name);
  const auto add = [&](const char* name, const ExpectedAccuracy& accuracy) {
    bars.names.emplace_back(name);
    bars.values.push_back(relative(accuracy, assessment.prediction.scale));
  };
  add("this design", assessment.accuracy);
  if (assessment.sinusoids) add("sinusoids", *assessment.sinusoids);
  add("random start", assessment.random);
  bars.note =
      "Scales: inertia, its own value; damping, the whole drag at the speed limit; off the diagonal, a fifth "
      "of "
      "the diagonal's geometric mean. W-B and first moments: their own values, but at least half a percent of "
      "the weight, for moments times 0.1 m; those of x and y a fifth of that of z.";
  return bars;
}

Table parameters_table(const ExcitePage& page) {
  const excite::Prediction& prediction = page.assessment->prediction;
  const model::ParameterVector& now = prediction.parameters;
  Table table{
      .title = "Parameters",
      .columns = {"parameter", "unit", "value now", "predicted sigma", "scale", "sigma over scale [%]"}};
  for (std::size_t k = 0; k < now.size(); ++k) {
    const double sigma = now.sigma(k), scale = prediction.scale[static_cast<Eigen::Index>(k)];
    table.rows.push_back({now[k].name, unit_text(now[k].unit), number(now[k].value, 4), number(sigma, 3),
                          number(scale, 3), number(100 * sigma / scale, 3)});
  }
  table.note = fmt::format(
      "Least squares on {:.0f} samples would give these standard deviations, if the noise were as stated and "
      "the vehicle as this structure has it.",
      page.assessment->grid.mask.sum());
  return table;
}

Plot history_plot(const ExcitePage& page) {
  const excite::Reading what = reading(*page.problem, 0);
  Series series{.name = fmt::format("start {}", page.design->best)};
  for (std::size_t k = 0; k < page.design->history.size(); ++k) {
    series.t.push_back(static_cast<double>(k));
    series.y.push_back(reading(*page.problem, page.design->history[k]).value);
  }
  return {.title = what.name + " while searching",
          .y_label = what.name,
          .y_unit = what.unit,
          .series = {std::move(series)},
          .x_label = "iteration"};
}

Table starts_table(const ExcitePage& page) {
  const excite::Reading what = reading(*page.problem, 0);
  Table table{.title = fmt::format("{} of all starts", what.name),
              .columns = {"start", "at its beginning", "at its end", "iterations", "how it ended"}};
  const auto value = [&](double f) {
    const std::string text = number(reading(*page.problem, f).value, 4);
    return what.unit.empty() ? text : text + " " + what.unit;
  };
  for (const excite::Start& start : page.design->starts)
    table.rows.push_back(
        {fmt::format("start {}{}", start.number, start.number == page.design->best ? ", the best" : ""),
         value(start.first), value(start.last), fmt::format("{}", start.iterations),
         solve::to_string(start.status)});
  table.note =
      "Starts count from 0, as in summary.json. Each is a random path within the limits. The search is local: "
      "ends that agree make it likely that "
      "there is nothing much better.";
  return table;
}

/// Of each limit, the segment that comes nearest to it.
std::vector<Margin> nearest_margins(const std::vector<Margin>& margins) {
  constexpr std::string_view in_segment = ", segment ";
  const auto kind = [&](const Margin& m) { return m.limit.substr(0, m.limit.find(in_segment)); };
  std::vector<Margin> nearest;
  for (const Margin& margin : margins) {
    const auto same = std::find_if(nearest.begin(), nearest.end(),
                                   [&](const Margin& other) { return kind(other) == kind(margin); });
    if (same == nearest.end())
      nearest.push_back(margin);
    else if (!std::isnan(same->margin) && !(margin.margin >= same->margin))
      *same = margin;
  }
  return nearest;
}

Table margins_table(const ExcitePage& page) {
  Table table{.title = "Limits where the path comes nearest to them",
              .columns = {"limit", "value", "limit at", "margin", "unit", "time [s]", "verdict"}};
  for (const Margin& margin : nearest_margins(page.assessment->margins)) {
    const bool angle = margin.unit.starts_with("rad");
    const double factor = angle ? degrees : 1;
    table.rows.push_back({margin.limit, number(factor * margin.worst, 4), number(factor * margin.bound, 4),
                          number(factor * margin.margin, 2),
                          unit_text(angle ? "deg" + margin.unit.substr(3) : margin.unit),
                          fmt::format("{:.2f}", margin.t), margin.margin >= -1e-9 ? "pass" : "fail"});
  }
  table.note = fmt::format("Checked every {:g} s: {} times as often as the samples.",
                           page.problem->sampling / excite::dense, excite::dense);
  return table;
}

Table certificate_table(const ExcitePage& page) {
  const auto& c = page.design->certificate;
  const auto small = [](double x) { return fmt::format("{:.1e}", x); };
  const std::string f =
      has_path_limits(*page.problem)
          ? " Of the criterion and the barrier that keeps thrusters, view and tether within "
            "their limits, at its weight of 1e-5: closer to them a motion may be a little better."
          : "";
  return {.title = "Certificate of the search",
          .columns = {"what", "value", "meaning"},
          .rows = {{"stationarity", small(c.stationarity),
                    "no direction within the limits is better: 0 at an optimum"},
                   {"complementarity", small(c.complementarity),
                    "only limits that are touched push: 0 at an optimum"},
                   {"least margin", small(c.margin), "of the box limits, over the width of its range: above 0"},
                   {"iterations", fmt::format("{}", c.iterations), ""},
                   {"evaluations", fmt::format("{}", c.evaluations), "of the criterion and its gradient"}},
          .note = fmt::format("The search ended as: {}.{}{}", solve::to_string(c.status),
                              c.reason.empty() ? "" : " " + c.reason, f)};
}

Text meaning(const ExcitePage& page) {
  const ExpectedAccuracy& o = page.assessment->accuracy;
  Text text{.title = "What the condition number says"};
  std::string floor = fmt::format(
      "The floor is the largest column of the regressor over the smallest, here {} over {}: no motion with "
      "columns "
      "of these sizes has a smaller condition number than {}.",
      o.floor_high, o.floor_low, condition(o.floor));
  if (page.problem->structure.dof == model::Dof::four && o.floor_high == "W-B" && o.floor_low == "m33")
    floor += fmt::format(
        " In four degrees of freedom that is 1 over the rms of the heave acceleration, {:.3g} m/s\u00b2, "
        "whatever "
        "else moves.",
        1 / o.floor);
  text.paragraphs.push_back(std::move(floor));
  text.paragraphs.emplace_back(
      "The condition number compares the best seen mix of parameters with the worst, in their own units and "
      "without the noise. Motions with equal condition numbers can differ twofold in the error to expect: "
      "compare motions by the predicted error.");
  if (page.problem->criterion == Criterion::condition)
    text.paragraphs.emplace_back(
        "While searching, the condition number is smoothed, first more and then less: the curve shows what was "
        "minimized, the figure above the true number.");
  return text;
}

/// What the reader must know before anything else.
std::vector<std::string> warnings(const ExcitePage& page) {
  std::vector<std::string> paragraphs;
  if (page.design->starts.empty())
    paragraphs.emplace_back(
        "No start ended: the path below is the calmest one within the limits, not a design.");
  else if (page.design->interrupted)
    paragraphs.push_back(
        fmt::format("The search was cut short: {} of {} starts had ended. A longer one may "
                    "find a better motion.",
                    page.design->starts.size(), page.problem->starts));
  if (!page.assessment->is_inside())
    paragraphs.emplace_back("The path breaks a limit: see the table of limits.");
  return paragraphs;
}

std::vector<std::string> notes(const ExcitePage& page) {
  std::vector<std::string> paragraphs = page.design->notes;
  if (!page.assessment->sinusoids)
    paragraphs.push_back("There is no sinusoid baseline: " + page.assessment->no_sinusoids);
  return paragraphs;
}

}  // namespace

Page excite_page(const ExcitePage& of) {
  Page page{.title = of.problem->title.empty() ? of.problem->name : of.problem->title,
            .subtitle = fmt::format("excitation of {} for {}, designed by Fathom", of.problem->robot.name(),
                                    of.problem->structure.name),
            .footer = of.footer};
  if (auto paragraphs = warnings(of); !paragraphs.empty())
    page.items.emplace_back(Text{.title = "Take care", .paragraphs = std::move(paragraphs)});
  page.items.emplace_back(figures_of(of));
  page.items.emplace_back(internal::motion_scene(of));
  for (Plot& plot : internal::motion_plots(of)) page.items.emplace_back(std::move(plot));
  page.items.emplace_back(sigma_bars(of));
  page.items.emplace_back(parameters_table(of));
  page.items.emplace_back(meaning(of));
  if (!of.design->history.empty()) page.items.emplace_back(history_plot(of));
  if (!of.design->starts.empty()) page.items.emplace_back(starts_table(of));
  page.items.emplace_back(margins_table(of));
  page.items.emplace_back(certificate_table(of));
  if (auto paragraphs = notes(of); !paragraphs.empty())
    page.items.emplace_back(Text{.title = "Notes", .paragraphs = std::move(paragraphs)});
  return page;
}

}  // namespace fathom::report
