#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/report/robot_body.hpp"
#include "fathom/task/identify/vehicle.hpp"

namespace fathom::task {
namespace {

using namespace report;
using Eigen::Index;
using Summary = IdentifyVehicleSummary;
using Evidence = IdentifyVehicleResult::Evidence;

constexpr std::size_t most_combinations = 6;  // that anybody would read on a terminal
constexpr std::size_t most_plotted = 3;       // logs; more would make a page that no browser likes
constexpr double longest_lag = 6;             // s

const char* unit_of(const std::string& dof) {
  return dof == "surge" || dof == "sway" || dof == "heave" ? "N" : "N m";
}

std::string from_logs(const Summary& s) {
  return fmt::format("{} log{}", s.logs.size(), s.logs.size() == 1 ? "" : "s");
}

/// What the reader of the page must know before anything else.
Text page_warnings(const Summary& s, const std::optional<Evidence>& evidence) {
  Text text{.title = "Take care", .where = Where::page};
  if (!s.about_estimator.empty()) text.paragraphs.push_back(s.about_estimator);
  for (const std::string& name : s.active_constraints)
    text.paragraphs.push_back(fmt::format(
        "A bound is hit: {}. The data want something else than nature, or the bound, allows.", name));
  if (evidence && evidence->found.neglects_tilt())
    text.paragraphs.push_back(
        fmt::format("The vehicle heels by {:.3g} deg (rms). This structure neglects {:.2g} % of the wrench: "
                    "inertia and drag may be off by more than their intervals say.",
                    s.tilt_deg, 100 * s.neglected_share));
  if (!s.at_prior.empty())
    text.paragraphs.push_back(fmt::format(
        "At the prior: {}. The logs say less of them than the robot file, whose values and sigmas they mostly "
        "have.",
        join(s.at_prior, ", ")));
  if (!s.unseen.parameters.empty())
    text.paragraphs.push_back(fmt::format("The logs do not show {}: the values are not worth much.",
                                          join(s.unseen.parameters, ", ")));
  return text;
}

Figures figures_of(const Summary& s) {
  // A row that no thruster drives has no wrench to compare with.
  double most_wrench = 0;
  for (const auto& [name, r] : s.residuals) most_wrench = std::max(most_wrench, r.wrench_rms);
  const auto share = [&](const auto& r) {
    return r.second.wrench_rms > 1e-9 * most_wrench ? r.second.rms / r.second.wrench_rms : 0;
  };
  const auto worst = std::max_element(s.residuals.begin(), s.residuals.end(),
                                      [&](const auto& a, const auto& b) { return share(a) < share(b); });
  const std::size_t hit = s.active_constraints.size(), unseen = s.unseen.parameters.size();
  return {{{"structure", s.structure, fmt::format("{} parameters, {}-DoF", s.parameters.size(), s.dof)},
           {"samples", fmt::format("{}", s.samples),
            fmt::format("one every {:.3g} s, of {}", s.sample_interval_s, from_logs(s))},
           {"not explained", shown(share(*worst), percent_column(""), Where::page),
            "of the wrench at most, in " + worst->first},
           {"delay", fmt::format("{:.0f} ms", 1e3 * s.delay_s),
            s.delay_sigma_s > 0 ? fmt::format("sigma {:.1f} ms", 1e3 * s.delay_sigma_s) : "as told"},
           {"condition number", fmt::format("{:.3g}", s.scaled_condition_number),
            fmt::format("columns of unit length; {:.3g} without", s.condition_number)},
           {"bounds hit", fmt::format("{}", hit), hit == 0 ? "none" : "named above"},
           {"not seen", fmt::format("{}", unseen), unseen == 0 ? "every parameter is seen" : "named above"}}};
}

/// "19.2 .. 20.1", "below 0.94" where the interval begins at a bound, a dash for what is not identifiable.
std::string interval_text(const Summary::Parameter& p) {
  if (!p.interval_95) return "-";
  const auto [low, high] = *p.interval_95;
  if (p.begins_at_bound) return fmt::format("below {:.4g}", high);
  if (p.ends_at_bound) return fmt::format("above {:.4g}", low);
  return fmt::format("{:.4g} .. {:.4g}", low, high);
}

std::string estimate_text(const Summary::Parameter& p) {
  if (p.state != "at bound") return fmt::format("{:.4g}", p.estimate);
  const double bound = p.interval_95 ? (*p.interval_95)[p.ends_at_bound ? 1 : 0] : p.estimate;
  return fmt::format("{:.4g}", bound);
}

std::string remark_of(const Summary::Parameter& p) {
  if (p.at_prior) return "at the prior";
  if (p.state == "at bound") return "at its bound";
  if (p.state == "weak") return "weakly determined";
  return p.state == "not identifiable" ? "not identifiable" : "";
}

Table parameters_table(const Summary& s) {
  Table table{.title = "Parameters",
              .columns = {"parameter",
                          "unit",
                          "estimate",
                          "95 % interval",
                          {"sigma", "{:.2g}", Where::page},
                          "before",
                          {"sigma before", "{:.2g}", Where::page},
                          "group",
                          TableColumn("").on_page("remark")},
              .note =
                  "The 95 % interval allows for autocorrelated residuals and for errors of delay, current and "
                  "attitude; it ends at the constraints. At its bound: a constraint of this parameter is "
                  "active, and the interval has one end. Weakly determined: the interval is wider than the "
                  "value. Inertia is that of body and water together. Before: the robot file.",
              .note_where = Where::page};
  // Where another estimate than the consistent one is written, it stands beside it.
  const bool has_both = s.estimator_choice && s.estimator != "consistent";
  if (has_both) {
    table.columns.insert(table.columns.begin() + 4, {TableColumn("consistent"), TableColumn("robot.yaml")});
    table.note += " robot.yaml: the " + s.estimator + " estimate, which predicts held-out data better.";
  }
  for (const Summary::Parameter& p : s.parameters) {
    Row row = {p.name, p.unit, estimate_text(p), interval_text(p)};
    if (has_both) row.insert(row.end(), {p.consistent, p.in_robot});
    row.insert(row.end(), {p.sigma, p.before, p.before_sigma, p.group, remark_of(p)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// 95 % half widths by what they are worth in wrench.
Bars interval_bars(const Summary& s, const Evidence& evidence) {
  Bars bars{.title = "What the uncertainty of each parameter is worth",
            .label = "Half of the 95 % interval, as a share of the wrench of its row",
            .unit = "%",
            .names = {"now", "before"},
            .values = {{}, {}},
            .note =
                "A share of 100 % would be a parameter whose uncertainty alone makes as much wrench, in "
                "this motion, as the thrusters do. Without a bar before: the robot file does not say how "
                "well it is known, or calls it exact."};
  for (std::size_t k = 0; k < s.parameters.size(); ++k) {
    const Summary::Parameter& p = s.parameters[k];
    const double worth = 100 * sigmas_of_95 / evidence.found.scale[static_cast<Index>(k)];
    bars.groups.push_back(p.name);
    bars.values[0].push_back(worth * p.sigma);
    bars.values[1].push_back(p.before_sigma > 0 ? worth * p.before_sigma : nan);
  }
  return bars;
}

Table structures_table(const std::vector<Summary::Structure>& structures) {
  Table table{.title = "Why this structure",
              .columns = {"structure",
                          "parameters",
                          "held-out error",
                          {"worse by", "{:.2g} +- {:.2g}", Where::terminal},
                          {"worse than the best", "{:.2g}", Where::page},
                          {"standard error", "{:.2g}", Where::page},
                          percent_column("surge"),
                          percent_column("sway"),
                          percent_column("heave"),
                          percent_column("yaw"),
                          TableColumn("").on_page("verdict")},
              .note =
                  "Each was fitted to all but one stretch of the logs and judged on that one, in turn. "
                  "Error: mean square in sigmas of the residual. By velocity: what is not explained of the "
                  "wrench. Chosen is the smallest that is no more than a standard error worse than the "
                  "best."};
  for (const Summary::Structure& c : structures) {
    Row row = {c.name, c.parameters, c.error, {c.worse, c.worse_sigma}, c.worse, c.worse_sigma};
    for (std::size_t k = 0; k < 4; ++k) row.push_back(c.tried ? c.share[k].second : nan);
    row.push_back(c.tried ? (c.chosen ? "chosen" : "") : c.why_not);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table choice_table(const Summary::EstimatorChoice& choice) {
  Table table{
      .title = "Which estimator",
      .columns = {"estimator",
                  "structure",
                  {"error", "{:.3f}"},
                  {"standard error", "{:.2g}"},
                  percent_column("chosen by draws"),
                  TableColumn("").on_page("verdict")},
      .note = fmt::format(
          "Error on held-out {}, of accelerations and of free runs over 5 s, over that of the consistent "
          "estimate; its standard error by {} paired blocks. The consistent one is kept unless another is "
          "better by more than that.",
          choice.held_out, choice.blocks)};
  for (const Summary::EstimatorCandidate& c : choice.candidates)
    table.rows.push_back({c.estimator, c.structure, c.score, c.tried ? c.score * c.difference_sigma : nan,
                          c.probability,
                          c.tried && c.why_not.empty() ? (c.chosen ? "chosen" : "") : c.why_not});
  return table;
}

Table estimators_table(const Summary& s) {
  Table table{.title = "Estimators side by side", .columns = {"parameter"}, .note_where = Where::page};
  for (const Summary::Estimator& e : s.estimators) table.columns.emplace_back(e.name);
  for (std::size_t k = 0; k < s.parameters.size(); ++k) {
    Row row = {s.parameters[k].name};
    for (const Summary::Estimator& e : s.estimators) row.push_back(e.found ? e.values[k] : nan);
    table.rows.push_back(std::move(row));
  }
  for (const Summary::Estimator& e : s.estimators)
    table.note += fmt::format("{}{}: {}{}", table.note.empty() ? "" : ". ", e.name, e.about,
                              e.found ? "" : "; no estimate, " + e.why_not);
  return table;
}

Text missing_estimates(const Summary& s) {
  Text text{.where = Where::terminal};
  for (const Summary::Estimator& e : s.estimators)
    if (!e.found) text.paragraphs.push_back(fmt::format("{}: no estimate, {}", e.name, e.why_not));
  return text;
}

Table residuals_table(const Summary& s) {
  Table table{.title = "Residuals",
              .columns = {"velocity",
                          TableColumn("residual rms", "{:.3g}").on_page("rms"),
                          "unit",
                          percent_column("of the wrench"),
                          TableColumn("remembers", "{:.2g} s").on_page("integral time [s]", "{:.2g}"),
                          TableColumn("white with p", "{:.2g}").on_page("Ljung-Box p"),
                          {"motion over noise", "{:.3g}"}},
              .note =
                  "Residuals that remember for longer than the interval between samples are not white: "
                  "sigmas of plain least squares would be too small, and these are not those. Motion over "
                  "noise: rms of the velocity over what the smoother is unsure of."};
  for (const auto& [name, r] : s.residuals) {
    const auto motion = std::find_if(s.excitation.begin(), s.excitation.end(),
                                     [&, dof = name](const auto& e) { return e.first == dof; });
    table.rows.push_back({name, r.rms, unit_of(name), r.rms / r.wrench_rms, r.integral_time_s,
                          r.ljung_box_probability, motion->second});
  }
  return table;
}

/// "lag 179 +- 6 ms (95 %), acts on force (p = 0.93)".
std::string lag_text(const Summary::Lag& lag) {
  const double ms = 1e3, half = sigmas_of_95;
  if (!lag.averaged) return fmt::format("lag {:.4g} ms, as told", ms * lag.time_constant_s);
  std::string text =
      fmt::format("lag {:.0f} +- {:.0f} ms (95 %), acts on {} (p = {:.2f})", ms * lag.time_constant_s,
                  ms * half * lag.sigma_s, lag.acts_on, lag.probability);
  if (lag.only_sum)
    text += fmt::format("; the logs show little more than lag and delay together, {:.0f} +- {:.0f} ms",
                        ms * lag.sum_s, ms * half * lag.sum_sigma_s);
  if (lag.before_s) text += fmt::format("; the robot file says {:.0f} ms", ms * *lag.before_s);
  return text;
}

/// Logs, nuisance parameters, numbers of the solver and what the logs show, as the terminal has them.
Text terminal_evidence(const Summary& s, const std::vector<std::string>& doubts) {
  Text text{.where = Where::terminal};
  auto& say = text.paragraphs;
  for (const LogSummary& log : s.logs) {
    std::string line = fmt::format("log {}: {} of {} samples usable, one every {:g} s", log.name, log.usable,
                                   log.samples, log.interval_s);
    for (const auto& drop : log.dropped) line += fmt::format("; dropped {}: {}", drop.samples, drop.why);
    line += fmt::format(". Smoothed with white jerk of {:.3g} m/s^3 and {:.3g} rad/s^3 per root hertz.",
                        log.jerk, log.angular_jerk);
    for (const auto& c : log.sensors)
      line += fmt::format(" {}: {} used, {} missing, {} outliers, innovations {:.2f} sigma.", c.name, c.used,
                          c.missing, c.outliers, c.innovation_rms);
    for (const auto& e : log.constant_errors)
      line += fmt::format(" Constant error of {}: {:.2g} {}, sigma {:.2g} (stated {:.2g}).", e.name, e.value,
                          e.unit, e.sigma, e.prior_sigma);
    say.push_back(line);
    say.emplace_back();
  }
  say.push_back(fmt::format("fitted to {} samples, one every {:.3g} s", s.samples, s.sample_interval_s));
  say.push_back(fmt::format("the estimate {} after {} rounds; residuals' correlations count over {:.3g} s",
                            s.settled ? "stood still" : "STILL MOVED", s.rounds, s.bandwidth_s));
  say.push_back(s.noise_share == 0
                    ? "the sensors' noise is not known: none is taken out of the rows"
                    : fmt::format("{:.0f} % of the sensors' noise is taken out of the rows{}",
                                  100 * s.noise_share, s.noise_share < 1 ? ": TOO NOISY for this motion" : ""));
  if (s.lag) say.push_back(lag_text(*s.lag));
  say.push_back(s.delay_estimated ? fmt::format("delay {:.4f} s, sigma {:.4f} s", s.delay_s, s.delay_sigma_s)
                                  : fmt::format("delay {:g} s, as told", s.delay_s));
  const auto command_path = [&](const char* name, const std::optional<Summary::CommandPathNumber>& n,
                                const char* unit) {
    if (n)
      say.push_back(
          fmt::format("{} {:.4g}{}, 95 % interval {:.4g} .. {:.4g}, by drawing {} pieces of the logs anew",
                      name, n->estimate, unit, n->interval_95[0], n->interval_95[1], s.command_path->blocks));
  };
  if (s.command_path) command_path("dead band of a thruster", s.command_path->dead_band_N, " N");
  if (s.command_path) command_path("thrust over what was told", s.command_path->gain, "");
  if (s.command_path) command_path("saturation of a thruster", s.command_path->saturation_N, " N");
  if (s.command_path && s.command_path->saturation_reached == false)
    say.push_back(
        fmt::format("saturation of a thruster: not reached; the logs ask a thruster for at most {:.4g} N",
                    s.command_path->largest_force_N.value_or(0)));
  say.insert(say.end(), doubts.begin(), doubts.end());
  say.push_back(s.current_estimated
                    ? fmt::format("current {:.4f} m/s north, {:.4f} m/s east, sigma {:.4f} and {:.4f} m/s",
                                  s.current[0], s.current[1], s.current_sigma[0], s.current_sigma[1])
                    : "current taken as none");
  for (const LogSummary& log : s.logs)
    if (log.current)
      say.push_back(
          fmt::format("{} has a current of its own: {:.3f} m/s north, {:.3f} m/s east; it was taken "
                      "out of the log's velocities",
                      log.name, (*log.current)[0], (*log.current)[1]));
  say.push_back(fmt::format("condition number {:.4g}, with columns of unit length {:.4g}", s.condition_number,
                            s.scaled_condition_number));
  if (s.certificate)
    say.push_back(fmt::format("certificate: within {:.2g} of the least {:.6g} that the conditions allow",
                              s.certificate->gap, s.certificate->objective));
  for (const std::string& name : s.active_constraints) say.push_back("BOUND HIT: " + name);
  for (const std::string& name : s.expected_active_constraints)
    say.push_back("at its edge, as hulls may be: " + name);
  if (s.active_constraints.empty() && s.expected_active_constraints.empty())
    say.push_back("no condition holds the estimate back");
  const std::size_t at_prior_shown = std::min(s.at_prior_directions.size(), most_combinations);
  if (!s.at_prior.empty()) {
    say.push_back("AT THE PRIOR: " + join(s.at_prior, ", ") +
                  "; the logs say less of them than the robot file, whose values and sigmas they mostly have");
    for (std::size_t k = 0; k < at_prior_shown; ++k)
      say.push_back("  at the prior is a change along " + s.at_prior_directions[k]);
  }
  if (s.unseen.parameters.empty() && s.at_prior.empty()) say.push_back("every parameter is seen");
  if (s.unseen.parameters.empty()) return text;
  say.push_back("NOT SEEN: " + join(s.unseen.parameters, ", "));
  const auto list = [&](const char* words, const std::vector<std::string>& combinations) {
    const std::size_t count = std::min(combinations.size(), most_combinations);
    for (std::size_t k = 0; k < count; ++k) say.push_back(fmt::format("  {} {}", words, combinations[k]));
    if (count < combinations.size())
      say.push_back(fmt::format("  and {} more, see summary.json", combinations.size() - count));
  };
  list("the logs do not notice a change along", s.unseen.unidentifiable_directions);
  list("the logs do show", s.unseen.identifiable_combinations);
  return text;
}

Text page_evidence(const Summary& s) {
  Text text{.title = "Evidence", .where = Where::page};
  auto& say = text.paragraphs;
  const auto mm = [](double v) { return shown(1e3 * v, TableColumn("", "{:.2g}"), Where::page); };
  if (s.current_sigma != std::array<double, 3>())
    say.push_back(fmt::format("Current: {} mm/s north and {} mm/s east, sigma {} and {} mm/s.",
                              mm(s.current[0]), mm(s.current[1]), mm(s.current_sigma[0]),
                              mm(s.current_sigma[1])));
  for (const std::string& name : s.expected_active_constraints)
    say.push_back(fmt::format(
        "At its edge: {}. That is to be expected: drag that acts beside the body origin makes such a "
        "matrix singular, and a hull need not have drag by another axis' speed.",
        name));
  if (s.active_constraints.empty() && s.expected_active_constraints.empty())
    say.emplace_back("No condition holds the estimate back.");
  for (const std::string& one : s.at_prior_directions)
    say.push_back("At the prior is a change along " + one + ".");
  for (const std::string& one : s.unseen.unidentifiable_directions)
    say.push_back("The logs do not notice a change along " + one + ".");
  for (const std::string& one : s.unseen.identifiable_combinations)
    say.push_back("The logs do show " + one + ".");
  if (s.certificate)
    say.push_back(fmt::format(
        "Certificate: the sum of squares is within {:.2g} of the least that the conditions allow, {:.6g}; {} "
        "iterations, stationarity {:.1e}, complementarity {:.1e}.",
        s.certificate->gap, s.certificate->objective, s.certificate->iterations, s.certificate->stationarity,
        s.certificate->complementarity));
  return text;
}

Table drops_table(const Summary& s, const std::optional<Evidence>& evidence) {
  Table table{.title = "Samples", .columns = {"log", "what", "samples"}, .where = Where::page};
  for (std::size_t k = 0; k < s.logs.size(); ++k) {
    const LogSummary& log = s.logs[k];
    table.rows.push_back({log.name, "usable", fmt::format("{} of {}", log.usable, log.samples)});
    for (const auto& drop : log.dropped) table.rows.push_back({log.name, "dropped: " + drop.why, drop.samples});
    for (const auto& c : log.sensors)
      table.rows.push_back({log.name,
                            fmt::format("sensor {}: {} missing, {} outliers, innovations {:.2f} sigma", c.name,
                                        c.missing, c.outliers, c.innovation_rms),
                            c.used});
    for (const auto& e : log.constant_errors)
      table.rows.push_back({log.name,
                            fmt::format("constant error of {}: {:.2g} {}, sigma {:.2g}, stated {:.2g}", e.name,
                                        e.value, e.unit, e.sigma, e.prior_sigma),
                            ""});
    if (evidence)
      for (const Finding& warning : evidence->recordings[k].warnings)
        if (warning.severity == Severity::warning) table.rows.push_back({log.name, warning.text(), ""});
  }
  return table;
}

/// In front of a title: which log a figure is of.
std::string prefix(const Evidence& evidence, std::size_t log) { return evidence.recordings[log].name + ": "; }

std::size_t plotted(const Evidence& evidence) { return std::min(evidence.recordings.size(), most_plotted); }

std::vector<double> times_of(const filter::Track& track) {
  std::vector<double> t(static_cast<std::size_t>(track.size()));
  for (std::size_t k = 0; k < t.size(); ++k) t[k] = track.t(static_cast<Index>(k));
  return t;
}

/// NaN where it is not used.
std::vector<double> velocity_of(const identify::Recording& recording, int i) {
  std::vector<double> y(recording.usable.size(), nan);
  for (std::size_t k = 0; k < y.size(); ++k)
    if (recording.usable[k]) y[k] = recording.track.nu_b(i, static_cast<Index>(k));
  return y;
}

/// Residuals of one log, with a gap wherever a run begins.
Series residual_series(const identify::Residuals& residuals, std::size_t log, Index row) {
  Series series{.name = "residual"};
  std::size_t next_break = 0;
  for (std::size_t k = 0; k < residuals.t.size(); ++k) {
    const auto sample = static_cast<Index>(k);
    const bool begins = next_break < residuals.breaks.size() && residuals.breaks[next_break] == sample;
    if (begins) ++next_break;
    if (residuals.recording[k] != log) continue;
    if (begins && !series.t.empty()) {
      series.t.push_back(series.t.back());
      series.y.push_back(nan);
    }
    series.t.push_back(residuals.t[k]);
    series.y.push_back(residuals.values(row, sample));
  }
  return series;
}

Series level(const char* name, double begin, double end, double y) {
  return {.name = name, .t = {begin, end}, .y = {y, y}, .style = Series::Style::limit};
}

/// The measured motion of the first log.
Scene motion_scene(const Evidence& evidence) {
  const identify::Recording& recording = evidence.recordings.front();
  Body body = robot_body(evidence.before.name(), evidence.before);
  body.t = times_of(recording.track);
  for (Index k = 0; k < recording.size(); ++k) {
    body.p_n.emplace_back(recording.track.p_nb_n.col(k));
    body.q_nb.push_back(recording.track.attitude(k));
  }
  return {.title = prefix(evidence, 0) + "Motion as it was measured", .bodies = {std::move(body)}};
}

/// Velocities as the smoother saw them, for the first logs.
std::vector<Plot> velocity_plots(const Evidence& evidence) {
  std::vector<Plot> plots;
  for (std::size_t log = 0; log < plotted(evidence); ++log) {
    const std::vector<double> t = times_of(evidence.recordings[log].track);
    for (const int first : {0, 3}) {
      Plot plot{
          .title = prefix(evidence, log) + (first == 0 ? "Velocity in body axes" : "Turn rate in body axes"),
          .y_label = first == 0 ? "Velocity" : "Turn rate",
          .y_unit = first == 0 ? "m/s" : "rad/s"};
      for (int i = first; i < first + 3; ++i)
        plot.series.push_back({fmt::format("{} {}", model::velocity_name(i), model::dof_name(i)), t,
                               velocity_of(evidence.recordings[log], i)});
      plots.push_back(std::move(plot));
    }
  }
  return plots;
}

/// What the fitted equation leaves of the wrench over time, for the first logs.
std::vector<Plot> residual_plots(const Evidence& evidence) {
  std::vector<Plot> plots;
  for (std::size_t log = 0; log < plotted(evidence); ++log) {
    Index row = 0;
    for (const int i : model::free_indices(evidence.found.structure.dof)) {
      Plot plot{.title = fmt::format("{}Residual of {}", prefix(evidence, log), model::dof_name(i)),
                .y_label = i < 3 ? "Force not explained" : "Torque not explained",
                .y_unit = i < 3 ? "N" : "N m"};
      plot.series.push_back(residual_series(evidence.found.fit.residuals, log, row));
      if (!plot.series.front().t.empty()) {
        const double begin = plot.series.front().t.front(), end = plot.series.front().t.back();
        for (const double side : {-2.0, 2.0})
          plot.series.push_back(level("two sigma", begin, end, side * evidence.found.residual_rms(row)));
      }
      ++row;
      plots.push_back(std::move(plot));
    }
  }
  return plots;
}

Plot autocorrelation_plot(const identify::Identified& found) {
  const double dt = found.sample_interval();
  const auto samples = static_cast<int>(found.fit.residuals.values.cols());
  const int lags = std::clamp(dt > 0 ? static_cast<int>(longest_lag / dt) : 0, 0, std::max(0, samples - 1));
  Plot plot{.title = "Autocorrelation of the residuals of all logs",
            .y_label = "Autocorrelation",
            .x_label = "lag (s)"};
  Index row = 0;
  for (const int i : model::free_indices(found.structure.dof)) {
    const Eigen::VectorXd rho = solve::autocorrelation(found.fit.residuals.values.row(row++).transpose(), lags);
    Series series{.name = std::string(model::dof_name(i))};
    for (Index k = 0; k < rho.size(); ++k) {
      series.t.push_back(dt * static_cast<double>(k));
      series.y.push_back(rho[k]);
    }
    plot.series.push_back(std::move(series));
  }
  const double white = 2 / std::sqrt(std::max(1.0, static_cast<double>(samples)));
  for (const double side : {-white, white}) plot.series.push_back(level("white noise", 0, dt * lags, side));
  return plot;
}

}  // namespace

Document IdentifyVehicleResult::report() const {
  const Summary& s = summary;
  Document document{.title = "Identification of " + s.robot,
                    .subtitle = fmt::format("structure {} from {}", s.structure, from_logs(s)),
                    .footer = fmt::format("fathom {}: {}", s.version, s.command)};
  document.add(Text{.paragraphs = {fmt::format("{}: {} parameters of structure {}, {}-DoF, from {}", s.robot,
                                               s.parameters.size(), s.structure, s.dof, from_logs(s))},
                    .where = Where::terminal});
  document.add_text(page_warnings(s, evidence));
  document.add(figures_of(s));
  document.add(parameters_table(s));
  if (!s.about_estimator.empty())
    document.add(Text{.paragraphs = {s.about_estimator}, .where = Where::terminal});
  if (evidence) document.add(interval_bars(s, *evidence));
  if (s.structures) document.add(structures_table(*s.structures));
  if (s.estimator_choice && s.estimator_choice->why_consistent.empty())
    document.add(choice_table(*s.estimator_choice));
  else if (s.estimator_choice)
    document.add(Text{.paragraphs = {"The consistent estimate is kept without a comparison: " +
                                     s.estimator_choice->why_consistent + "."}});
  if (!s.estimators.empty()) document.add(estimators_table(s));
  document.add_text(missing_estimates(s));
  if (evidence) {
    document.add_all(residual_plots(*evidence));
    document.add(autocorrelation_plot(evidence->found));
  }
  document.add(residuals_table(s));
  document.add(terminal_evidence(s, evidence ? evidence->doubts : std::vector<std::string>()));
  document.add(page_evidence(s));
  if (evidence) {
    document.add(motion_scene(*evidence));
    document.add_all(velocity_plots(*evidence));
  }
  document.add(drops_table(s, evidence));
  return document;
}

std::vector<ResultFile> IdentifyVehicleResult::files() const {
  std::vector<ResultFile> files = {{"robot.yaml", model::robot_to_yaml(robot)}};
  if (!evidence) return files;
  // Time falls from log to log, so this is no channel of a log, but plain columns.
  std::string text = "log,t [s]";
  for (const int i : model::free_indices(evidence->found.structure.dof))
    text += fmt::format(",{} [{}]", model::dof_name(i), i < 3 ? "N" : "N m");
  text += "\n";
  const identify::Residuals& residuals = evidence->found.fit.residuals;
  for (std::size_t k = 0; k < residuals.t.size(); ++k) {
    text += fmt::format("{},{:.6f}", residuals.recording[k], residuals.t[k]);
    for (const double value : residuals.values.col(static_cast<Index>(k)))
      text += fmt::format(",{:.9g}", value);
    text += "\n";
  }
  files.push_back({"residuals.csv", std::move(text)});
  return files;
}

}  // namespace fathom::task
