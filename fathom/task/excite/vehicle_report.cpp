#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/excite/margins.hpp"
#include "fathom/excite/reading.hpp"
#include "fathom/task/excite/internal/excite.hpp"

namespace fathom::task {
namespace {

using namespace report;
using Summary = ExciteSummary;

constexpr double held = -1e-9;  // of a limit's unit: a margin that is no less holds

/// For the page, which rather has 6863 than 6.86e+03.
std::string number(double value, int digits) {
  const std::string sign = value < 0 ? "\u2212" : "";
  if (!std::isfinite(value)) return sign + "infinite";
  const double size = std::abs(value);
  const bool whole = size >= std::pow(10, digits) && size < 1e7;
  return sign + (whole ? fmt::format("{:.0f}", size) : fmt::format("{:.{}g}", size, digits));
}

std::string percent_or_infinite(double share) {
  return std::isfinite(share) ? number(100 * share, 3) + " %" : "infinite";
}

std::string condition(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : "infinite"; }

/// The limit without its segment; of thrusters, view and tether, which have none, the limit itself.
std::string kind_of(const Summary::Margin& m) { return m.limit.substr(0, m.limit.find(", segment ")); }
bool is_of_path(const Summary::Margin& m) { return kind_of(m) == m.limit; }
bool has_path_limits(const Summary& s) { return std::any_of(s.margins.begin(), s.margins.end(), is_of_path); }

excite::Reading reading(const Summary& s, double f) {
  return excite::reading_of(internal::criterion_of(s.problem.criterion).value_or(excite::Criterion::a_optimal),
                            f, static_cast<Eigen::Index>(*s.problem.parameters));
}

Figures figures_of(const Summary& s, const std::string& broken_by_sinusoids) {
  const auto& sinusoids = s.baselines->sinusoids;
  const Summary::Baseline& other = sinusoids ? *sinusoids : s.baselines->random;
  std::string times = std::isfinite(other.error_rms)
                          ? fmt::format("{:.3g} times as much", other.error_rms / *s.error_rms)
                          : "some parameter is not seen";
  if (!broken_by_sinusoids.empty()) times += ", though they break the limits of " + broken_by_sinusoids;
  if (sinusoids) times += "; a random path: " + percent_or_infinite(s.baselines->random.error_rms);
  const auto broken = std::count_if(s.margins.begin(), s.margins.end(),
                                    [](const Summary::Margin& m) { return !(*m.margin >= held); });
  return {
      {{"predicted error", percent_or_infinite(*s.error_rms),
        fmt::format("root mean square over {} parameters, each relative to its scale", *s.problem.parameters)},
       {sinusoids ? "error of sinusoids" : "error of a random path", percent_or_infinite(other.error_rms),
        std::move(times)},
       {"condition number", condition(s.condition_number),
        "floor of such a motion: " + condition(s.condition_floor->value)},
       {"error of the best multi-sine",
        s.baselines->multisine ? percent_or_infinite(s.baselines->multisine->error_rms)
                               : "none fits the limits",
        s.baselines->multisine
            ? fmt::format("{:.3g} times as much; the criterion ranks it best of {} within the same limits",
                          s.baselines->multisine->error_rms / *s.error_rms, excite::Designer::multisines)
            : ""},
       {"duration", fmt::format("{:g} s", *s.problem.duration_s),
        fmt::format("{} samples, one every {:g} s", s.problem.samples, *s.problem.sampling_s)},
       {"search", s.certificate.status,
        fmt::format("{} iterations; best of {} start{}", s.certificate.iterations, s.starts.size(),
                    s.starts.size() == 1 ? "" : "s")},
       {"limits", broken == 0 ? "all held" : fmt::format("{} broken", broken),
        fmt::format("{} limits, checked every {:g} s", s.margins.size(),
                    *s.problem.sampling_s / excite::dense)}}};
}

Bars sigma_bars(const Summary& s) {
  Bars bars{.title = "How well each parameter will be known",
            .label = "Predicted standard deviation, relative to the parameter's scale",
            .unit = "%",
            .names = {"this design"},
            .values = {{}}};
  for (const Summary::Parameter& parameter : s.parameters) {
    bars.groups.push_back(parameter.name);
    bars.values[0].push_back(100 * (parameter.sigma / *parameter.scale));
  }
  const auto add = [&](const char* name, const Summary::Baseline& baseline) {
    bars.names.emplace_back(name);
    auto& values = bars.values.emplace_back();
    for (std::size_t k = 0; k < baseline.sigma.size(); ++k)
      values.push_back(100 * (baseline.sigma[k] / *s.parameters[k].scale));
  };
  if (s.baselines->sinusoids) add("sinusoids", *s.baselines->sinusoids);
  if (s.baselines->multisine) add("best multi-sine", *s.baselines->multisine);
  add("random start", s.baselines->random);
  bars.note =
      "Scales: inertia, its own value; damping, the whole drag at the speed limit; off the diagonal, a fifth "
      "of the diagonal's geometric mean. W-B and first moments: their own values, but at least half a percent "
      "of the weight, for moments times 0.1 m; those of x and y a fifth of that of z.";
  return bars;
}

Table parameters_table(const Summary& s) {
  const auto on_page = [](const char* name) { return TableColumn(name, "", Where::page); };
  Table table{.title = "Parameters",
              .columns = {"parameter",
                          {"value", "{:.4g}", Where::terminal},
                          on_page("value now"),
                          {"predicted sigma", "{:.2g}", Where::terminal},
                          on_page("predicted sigma"),
                          "unit",
                          {"relative", "{:.3g} %", Where::terminal},
                          on_page("scale"),
                          on_page("sigma over scale [%]")},
              .note = fmt::format("Least squares on {} samples would give these standard deviations, if the "
                                  "noise were as stated and the vehicle as this structure has it. {}",
                                  s.problem.samples,
                                  s.problem.thruster_errors.value_or(false)
                                      ? "What lag, delay and maps of the thrusters leave uncertain is included."
                                      : "Lag, delay and maps of the thrusters count as exact."),
              .note_where = Where::page};
  for (const Summary::Parameter& p : s.parameters) {
    const double share = 100 * p.sigma / *p.scale;
    table.rows.push_back({p.name, *p.linearised_value, number(*p.linearised_value, 4), p.sigma,
                          number(p.sigma, 3), p.unit, share, number(*p.scale, 3), number(share, 3)});
  }
  return table;
}

/// What the terminal has of the figures of the page.
Text accuracy_text(const Summary& s) {
  const auto of = [](const Summary::Baseline& baseline) {
    return fmt::format("error {:.3g} %, condition number {:.4g}", 100 * baseline.error_rms,
                       baseline.condition_number);
  };
  const auto &sinusoids = s.baselines->sinusoids, &multisine = s.baselines->multisine;
  return {.paragraphs =
              {fmt::format("value: of the robot file, drag without a term of its own linearised at the speed "
                           "limit; relative: inertia to itself, damping to the whole drag at the speed limit, "
                           "off the diagonal to a fifth of the diagonal's; rms {:.3g} %",
                           100 * *s.error_rms),
               fmt::format("condition number {:.4g}; lower bound for these column norms: {:.4g}: that of {} is "
                           "the longest, that of {} the shortest",
                           s.condition_number, s.condition_floor->value, s.condition_floor->largest,
                           s.condition_floor->smallest),
               fmt::format("beside: {}sinusoids {}{}; a random motion {}",
                           multisine ? fmt::format("the best of {} multi-sines {}; ",
                                                   excite::Designer::multisines, of(*multisine))
                                     : "",
                           sinusoids ? of(*sinusoids) : "do not fit the limits",
                           sinusoids && has_path_limits(s) ? ", heeding the box limits alone" : "",
                           of(s.baselines->random))},
          .where = Where::terminal};
}

constexpr double good_ratio = 0.8;   // of the error to that of the best multi-sine
constexpr double is_touched = 0.02;  // of a limit's bound

/// What keeps the design from being much better than the best multi-sine; nothing where it is.
Text held_back(const Summary& s) {
  const auto& rival = s.baselines->multisine;
  if (!rival || !(*s.error_rms > good_ratio * rival->error_rms)) return {};
  std::vector<std::string> touched;
  for (const Summary::Margin& m : internal::nearest_margins(s, kind_of, &Summary::Margin::margin))
    if (*m.margin <= is_touched * std::abs(*m.bound)) touched.push_back(kind_of(m));
  return {.title = "Beside the best multi-sine",
          .paragraphs = {fmt::format(
              "The predicted error is {:.2g} of that of the best multi-sine within the same limits: there is "
              "little that another motion could show. {}",
              *s.error_rms / rival->error_rms,
              touched.empty() ? "No limit holds it back; a longer duration or a finer shape may help."
                              : fmt::format("The limits that the design touches are: {}. Wider ones, or more "
                                            "time, would show more.",
                                            join(touched, ", ")))}};
}

Text meaning(const Summary& s, bool in_four_dof) {
  const Summary::Floor& floor = *s.condition_floor;
  Text text{.title = "What the condition number says", .where = Where::page};
  text.paragraphs = {
      fmt::format("The floor is the largest column of the regressor over the smallest, here {} over {}: no "
                  "motion with columns of these sizes has a smaller condition number than {}.",
                  floor.largest, floor.smallest, condition(floor.value)),
      "The condition number compares the best seen mix of parameters with the worst, in their own units and "
      "without the noise. Motions with equal condition numbers can differ twofold in the error to expect: "
      "compare motions by the predicted error."};
  if (in_four_dof && floor.largest == "W-B" && floor.smallest == "m33")
    text.paragraphs.front() += fmt::format(
        " In four degrees of freedom that is 1 over the rms of the heave acceleration, {:.3g} "
        "m/s\u00b2, whatever else moves.",
        1 / floor.value);
  if (s.problem.criterion == internal::to_string(excite::Criterion::condition))
    text.paragraphs.emplace_back(
        "While searching, the condition number is smoothed, first more and then less: the curve shows what was "
        "minimized, the figure above the true number.");
  return text;
}

Plot history_plot(const Summary& s, const std::vector<double>& history) {
  const excite::Reading what = reading(s, 0);
  Series series{.name = fmt::format("start {}", s.best_start)};
  for (std::size_t k = 0; k < history.size(); ++k) {
    series.t.push_back(static_cast<double>(k));
    series.y.push_back(reading(s, history[k]).value);
  }
  return {.title = what.name + " while searching",
          .y_label = what.name,
          .y_unit = what.unit,
          .series = {std::move(series)},
          .x_label = "iteration"};
}

Table starts_table(const Summary& s) {
  const excite::Reading what = reading(s, 0);
  const auto value = [&](double f) {
    return number(reading(s, f).value, 4) + (what.unit.empty() ? "" : " " + what.unit);
  };
  Table table{
      .title = fmt::format("{} of all starts", what.name),
      .columns = {"start", "at its beginning", "at its end", "iterations", "how it ended"},
      .note = fmt::format(
          "Starts count from 0, as in summary.json. The first {} begin at the best multi-sines, as far as they "
          "fit the limits, the others at random paths. The search is local: ends that agree make it likely "
          "that there is nothing much better.",
          excite::Designer::multisine_starts(s.problem.starts)),
      .where = Where::page};
  for (const Summary::Start& start : s.starts)
    table.rows.push_back(
        {fmt::format("start {}{}", start.number, start.number == s.best_start ? ", the best" : ""),
         value(start.first.value_or(nan)), value(start.last), start.iterations, start.status});
  return table;
}

/// Of each limit the segment that comes nearest to it.
Table margins_table(const Summary& s) {
  Table table{.title = "Limits where the path comes nearest to them",
              .columns = {"limit", "value", "limit at", "margin", "unit", "time [s]", "verdict"},
              .note = fmt::format("Checked every {:g} s: {} times as often as the samples.",
                                  *s.problem.sampling_s / excite::dense, excite::dense),
              .where = Where::page};
  for (const Summary::Margin& m : internal::nearest_margins(s, kind_of, &Summary::Margin::margin)) {
    const bool angle = m.unit.starts_with("rad");
    const double factor = angle ? degrees : 1;
    table.rows.push_back({m.limit, number(factor * *m.nearest, 4), number(factor * *m.bound, 4),
                          number(factor * *m.margin, 2), angle ? "deg" + m.unit.substr(3) : m.unit,
                          fmt::format("{:.2f}", *m.t_s), *m.margin >= held ? "pass" : "fail"});
  }
  return table;
}

/// The terminal has box limits by their unit, whatever the coordinate.
Table worst_margins_table(const Summary& s) {
  static const std::map<std::string, std::string> names = {
      {"m", "place"},      {"m/s", "speed"},       {"m/s^2", "acceleration"},
      {"rad", "attitude"}, {"rad/s", "turn rate"}, {"rad/s^2", "turn acceleration"}};
  const auto name_of = [](const Summary::Margin& m) {
    return is_of_path(m) || !names.contains(m.unit) ? m.limit : names.at(m.unit);
  };
  Table table{.columns = {"limit on", "nearest", "bound", {"margin", "{:.2g}"}, "where", "unit"},
              .where = Where::terminal};
  for (const Summary::Margin& m : internal::nearest_margins(s, name_of, &Summary::Margin::margin)) {
    const std::string name = name_of(m);
    table.rows.push_back({name, *m.nearest, *m.bound, *m.margin,
                          fmt::format("{}{:.1f} s", name == m.limit ? "" : m.limit + ", ", *m.t_s), m.unit});
  }
  return table;
}

}  // namespace

void internal::add_vehicle(Document& page, const ExciteSummary& s, const ExciteResult::Vehicle* of) {
  const std::string &robot = *s.problem.robot, &structure = *s.problem.structure;
  page.subtitle = fmt::format("excitation of {} for {}, designed by Fathom", robot, structure);
  page.add_text({.paragraphs = {fmt::format("{}: {} parameters of {} from {:g} s, {} samples, {}",
                                            s.problem.name, *s.problem.parameters, robot, *s.problem.duration_s,
                                            s.problem.samples, s.problem.criterion)},
                 .where = Where::terminal});
  page.add_text(take_care(s));
  page.add(figures_of(s, of ? of->assessment.sinusoids_break_limits : ""));
  if (of) page.add(motion_scene(of->problem, of->assessment.grid));
  if (of) page.add_all(motion_plots(of->problem, of->assessment));
  page.add(sigma_bars(s));
  page.add(parameters_table(s));
  page.add_text(accuracy_text(s));
  if (Text text = held_back(s); !text.paragraphs.empty()) page.add_text(std::move(text));
  page.add_text(meaning(s, of && of->problem.structure.dof == model::Dof::four));
  if (of && !of->design.history.empty()) page.add(history_plot(s, of->design.history));
  if (!s.starts.empty()) page.add(starts_table(s));
  page.add(margins_table(s));
  page.add(worst_margins_table(s));
  add_certificate(page, s,
                  has_path_limits(s)
                      ? " Of the criterion and the barrier that keeps thrusters, view and tether within their "
                        "limits, at its weight of 1e-5: closer to them a motion may be a little better."
                      : "");
  page.add_text({.title = "Notes", .paragraphs = s.notes, .where = Where::page});
}

}  // namespace fathom::task
