#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/log/csv_writer.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/task/validate/validate.hpp"

namespace fathom::task {
namespace {

using namespace report;
using identify::RecordingResult;
using Evidence = ValidateResult::Evidence;

constexpr std::size_t most_plotted = 6;  // logs; more would make a page that no browser likes

const char* unit_of(int velocity) { return velocity < 3 ? "m/s" : "rad/s"; }
const char* unit_of(const std::string& dof) {
  return dof == "surge" || dof == "sway" || dof == "heave" ? "m/s" : "rad/s";
}

Text page_warnings(const ValidateSummary& s) {
  Text text{.title = "Take care", .where = Where::page};
  for (const auto& log : s.logs)
    if (log.ran_away > 0)
      text.paragraphs.push_back(fmt::format(
          "The model runs away on {}: {} of {} samples are not compared, and the figures are of the rest.",
          log.name, log.ran_away, log.samples));
  return text;
}

Figures figures_of(const ValidateSummary& s) {
  Figures strip;
  for (const auto& [name, v] : s.velocities) {
    std::string note = fmt::format("rmse {:.3g} {}", v.rmse.median, unit_of(name));
    if (s.limit && v.r2.median < *s.limit) note += fmt::format("; below the limit of {:g}", *s.limit);
    strip.figures.push_back(
        {"R\u00b2 of " + name, shown(v.r2.median, TableColumn("", "{:.3f}"), Where::page), std::move(note)});
  }
  return strip;
}

/// Velocities on the track's clock, NaN where they are not compared.
std::vector<double> row_of(const Mat6X& rows, int i, const std::vector<char>& marks) {
  std::vector<double> result(marks.size(), nan);
  for (std::size_t k = 0; k < marks.size(); ++k)
    if (marks[k]) result[k] = rows(i, static_cast<Eigen::Index>(k));
  return result;
}

Plot time_plot(const identify::Recording& recording, const RecordingResult& result, int i) {
  std::vector<double> t(static_cast<std::size_t>(recording.size()));
  for (std::size_t k = 0; k < t.size(); ++k) t[k] = recording.track.t(static_cast<Eigen::Index>(k));
  const std::string name(model::dof_name(i));
  Plot plot{.title = fmt::format("{}: {}", recording.name, name),
            .y_label = fmt::format("{} velocity {}", name, model::velocity_name(i)),
            .y_unit = unit_of(i)};
  plot.series.push_back({"measured", t, row_of(recording.track.nu_b, i, recording.usable)});
  plot.series.push_back(
      {"predicted", t, row_of(result.prediction.nu_b, i, result.prediction.compared), Series::Style::dashed});
  if (result.band)
    plot.bands.push_back({"predicted", t, row_of(result.band->low, i, result.band->compared),
                          row_of(result.band->high, i, result.band->compared)});
  return plot;
}

void add_plots(Document& document, const Evidence& evidence) {
  const std::size_t logs = evidence.recordings.size(), plotted = std::min(logs, most_plotted);
  for (std::size_t k = 0; k < plotted; ++k)
    for (const int i : model::free_indices(evidence.chosen.dof))
      document.add(time_plot(evidence.recordings[k], evidence.chosen.recordings[k], i));
  if (plotted < logs)
    document.add(Text{.paragraphs = {fmt::format("Plotted: the first {} of {} logs.", plotted, logs)},
                      .where = Where::page});
  if (logs < 2) return;
  const auto name = [](const identify::Validation& v) {
    return fmt::format("{}-DoF", static_cast<int>(v.dof));
  };
  std::vector<NamedValidation> validations = {{name(evidence.chosen), &evidence.chosen}};
  if (evidence.other) validations.push_back({name(*evidence.other), &*evidence.other});
  document.add(r2_boxes("R\u00b2 over logs", validations, model::free_indices(evidence.chosen.dof)));
}

Table scores_table(const ValidateSummary& s) {
  Table table{.title = "Every log",
              .columns = {TableColumn("log").shown_once(),
                          "velocity",
                          TableColumn("R2", "{:.3f}").on_page("R\u00b2"),
                          TableColumn("RMSE", "{:.4f}").on_page("rmse"),
                          {"unit", "", Where::page},
                          percent_column("NRMSE").on_page("rmse over range"),
                          TableColumn("MAE", "{:.4f}").on_page("mean error"),
                          {"slope", "{:.3f}"},
                          {"Pearson", "{:.3f}"},
                          TableColumn("DTW mean", "{:.4f}").on_page("warped mean"),
                          percent_column("in band").on_page("in the band"),
                          {"samples", "", Where::page}},
              .note =
                  "Forward simulation from the inputs alone. Mean error: of the absolute value. Slope: of "
                  "predicted over measured. Warped mean: after dynamic time warping has taken out what is "
                  "merely late or early.",
              .note_where = Where::page};
  for (const auto& log : s.logs)
    for (const auto& [name, v] : log.velocities)
      table.rows.push_back({log.name, name, v.r2, v.rmse, unit_of(name), v.nrmse, v.mae, v.slope, v.pearson,
                            v.warp_mean, v.coverage, log.compared});
  return table;
}

Table comparison_table(const ValidateSummary::FourOrSix& c) {
  Table table{.title = "Are four degrees of freedom enough?",
              .columns = {TableColumn("median over logs").on_page("velocity"),
                          TableColumn("R2 4-DoF", "{:.3f}").on_page("R\u00b2 in 4-DoF"),
                          TableColumn("R2 6-DoF", "{:.3f}").on_page("R\u00b2 in 6-DoF"),
                          TableColumn("RMSE 4-DoF", "{:.4f}").on_page("rmse in 4-DoF"),
                          TableColumn("RMSE 6-DoF", "{:.4f}").on_page("rmse in 6-DoF"),
                          {"unit", "", Where::page}},
              .note = c.verdict};
  for (std::size_t k = 0; k < c._4dof.size(); ++k) {
    const auto& [name, four] = c._4dof[k];
    const auto& six = std::find_if(c._6dof.begin(), c._6dof.end(), [&, dof = name](const auto& v) {
                        return v.first == dof;
                      })->second;
    table.rows.push_back(
        {name, four.r2.median, six.r2.median, four.rmse.median, six.rmse.median, unit_of(name)});
  }
  return table;
}

Table baselines_table(const ByName<ValidateSummary::Baselines>& baselines) {
  const auto column = [](const char* name) { return TableColumn(name, "{:.3f}"); };
  Table table{
      .columns = {"all logs",
                  column("acceleration R2"),
                  column("linear"),
                  column("constant"),
                  {"gain", "{:.3f} +- {:.3f}"},
                  column("5 s error"),
                  column("linear"),
                  column("constant"),
                  {"ratio", "{:.3f} +- {:.3f}"},
                  ""},
      .note =
          "linear: each axis for itself, fitted to the logs of the identification; 5 s error: RMSE of free "
          "runs over the spread of the measurement; gain: in R2 over the better of linear and constant; ratio: "
          "of the 5 s error to the better one; standard errors by paired blocks of 5 s",
      .where = Where::terminal};
  for (const auto& [name, b] : baselines) {
    const bool by_r2 = b.gain > 0, by_error = b.ratio < 1;
    table.rows.push_back({name,
                          b.acceleration_r2.robot,
                          b.acceleration_r2.linear,
                          b.acceleration_r2.constant_velocity,
                          {b.gain, b.gain_sigma},
                          b.free_run_error.robot,
                          b.free_run_error.linear,
                          b.free_run_error.constant_velocity,
                          {b.ratio, b.ratio_sigma},
                          by_r2 && by_error ? "better than both"
                          : by_r2           ? "worse over 5 s"
                          : by_error        ? "worse in acceleration"
                                            : "worse"});
  }
  for (const int i : identify::scored_velocities)
    if (std::none_of(baselines.begin(), baselines.end(),
                     [&](const auto& b) { return b.first == model::dof_name(i); }))
      table.rows.push_back(
          {model::dof_name(i), nan, nan, nan, {nan, nan}, nan, nan, nan, {nan, nan}, "hardly moves"});
  return table;
}

Text verdicts(const ValidateSummary& s) {
  Text text{.where = Where::terminal};
  if (!s.identified_from.empty())
    text.paragraphs.push_back(fmt::format("identified from {}: no unseen log", join(s.identified_from, ", ")));
  if (!s.not_compared.empty())
    text.paragraphs.push_back(fmt::format("NOTHING COMPARED on {}", join(s.not_compared, ", ")));
  if (s.limit)
    text.paragraphs.push_back(fmt::format("least median R2 {}, limit {:g}: {}",
                                          shown(s.least_r2, TableColumn("", "{:.3f}"), Where::terminal),
                                          *s.limit, s.least_r2 >= *s.limit ? "held" : "FAILED"));
  return text;
}

/// Which current each log has, and where it is from: the part that showed it is not scored.
Text currents_text(const ValidateSummary& s) {
  Text text{.title = "Water current"};
  for (const auto& log : s.logs) {
    const auto& current = log.current;
    if (current.source == "given") continue;
    text.paragraphs.push_back(
        current.until_s
            ? fmt::format(
                  "{}: current {:.3f} m/s north, {:.3f} m/s east (sigma {:.3f}, {:.3f}), estimated from "
                  "the log up to {:.1f} s; scored from there on",
                  log.name, current.north_east[0], current.north_east[1], current.sigma[0], current.sigma[1],
                  *current.until_s)
            : fmt::format(
                  "{}: still water is assumed (sigma {:.2g} m/s), because the first 20 % of the log are "
                  "too short to estimate a current; --current states one",
                  log.name, current.sigma[0]));
  }
  return text;
}

/// Each quantity of each log that leaves the range of the identification.
Table beyond_table(const ValidateSummary& s) {
  Table table{.title = "Beyond the range of the identification",
              .columns = {TableColumn("log").shown_once(),
                          "quantity",
                          "farthest",
                          {"range", "{:.4g} to {:.4g}"},
                          "unit",
                          percent_column("samples beyond")},
              .note = "The model extrapolates there, and its bands are wider.",
              .where = Where::page};
  for (const auto& log : s.logs)
    for (const auto& b : log.beyond_range)
      table.rows.push_back({log.name, b.name, b.value, {b.range[0], b.range[1]}, b.unit, b.share});
  return table;
}

Text about_bands(const ValidateSummary& s) {
  Text text{.title = "What the bands hold", .where = Where::page};
  if (s.logs.empty() || !s.logs.front().band) return text;
  text.paragraphs.push_back(fmt::format(
      "Each band is from an ensemble of simulations. {} {} The measurement's own noise is added. 95 % of the "
      "measurements should be inside.",
      s.has_covariance ? "Its members draw their parameters from the covariance that the robot file carries."
                       : "The robot file has no covariance, so its members all have the same parameters.",
      s.residual == "none" ? "No statistics of the wrench that the model leaves unexplained are known, so that "
                             "none acts on them."
                           : "A random wrench acts on each, with sigma and correlation time of the residuals " +
                                 s.residual + "."));
  return text;
}

/// Measured, predicted and band of every free velocity.
std::string velocities_csv(const identify::Recording& recording, const RecordingResult& result, model::Dof dof,
                           const std::string& robot) {
  log::Channel channel;
  channel.info.name = "predicted";
  channel.info.about = fmt::format("velocities of {} on log {}: measured, and predicted from the inputs alone",
                                   robot, recording.name);
  const auto free = model::free_indices(dof);
  for (const int i : free)
    for (const char* what : {"", "_predicted", "_low", "_high"})
      if (result.band || std::string_view(what).empty() || std::string_view(what) == "_predicted")
        channel.info.columns.push_back({fmt::format("{}{}", model::velocity_name(i), what), unit_of(i)});
  std::vector<double> row;
  for (Eigen::Index k = 0; k < recording.size(); ++k) {
    row.clear();
    for (const int i : free) {
      const bool usable = recording.usable[static_cast<std::size_t>(k)];
      row.push_back(usable ? recording.track.nu_b(i, k) : nan);
      row.push_back(result.prediction.nu_b(i, k));
      if (result.band) row.insert(row.end(), {result.band->low(i, k), result.band->high(i, k)});
    }
    channel.append(recording.track.t(k), row);
  }
  return log::channel_to_csv(channel);
}

}  // namespace

Boxes r2_boxes(std::string title, const std::vector<NamedValidation>& validations,
               std::span<const int> velocities) {
  Boxes boxes{.title = std::move(title),
              .label = "R\u00b2 of the forward simulation",
              .note = "Whiskers: all logs. Box: quartiles. Number: median."};
  for (const int i : velocities) boxes.groups.emplace_back(model::dof_name(i));
  for (const auto& [name, validation] : validations) {
    boxes.names.push_back(name);
    auto& list = boxes.values.emplace_back();
    for (const int i : velocities) {
      const identify::Spread r2 = validation->r2(i);
      list.push_back({r2.least, r2.low_quartile, r2.median, r2.high_quartile, r2.most});
    }
  }
  return boxes;
}

Document ValidateResult::report() const {
  const ValidateSummary& s = summary;
  Document document{
      .title = "Validation of " + s.robot,
      .subtitle = fmt::format(
          "forward simulation in {}-DoF{} against {}", s.dof,
          s.measured_tilt ? " with measured roll and pitch" : "",
          s.logs.size() == 1 ? "one log" : fmt::format("{} logs; figures are medians", s.logs.size())),
      .footer = fmt::format("fathom {}: {}", s.version, s.command)};
  document.add(
      Text{.paragraphs = {fmt::format("{} in {}-DoF, forward from the inputs {}", s.robot, s.dof,
                                      s.measured_tilt ? "and from roll and pitch as measured: they are "
                                                        "no prediction"
                                                      : "alone")},
           .where = Where::terminal});
  document.add_text(page_warnings(s));
  document.add(figures_of(s));
  if (evidence) add_plots(document, *evidence);
  document.add(scores_table(s));
  if (s.four_or_six) document.add(comparison_table(*s.four_or_six));
  document.add_text(currents_text(s));
  if (const Table beyond = beyond_table(s); !beyond.rows.empty()) document.add(beyond);
  document.add_text(about_bands(s));
  if (s.baselines)
    document.add(baselines_table(*s.baselines));
  else
    document.add(Text{.paragraphs = {"No comparison with simple models: " + s.why_no_baselines + "."}});
  document.add_text(verdicts(s));
  return document;
}

std::vector<ResultFile> ValidateResult::files() const {
  std::vector<ResultFile> list;
  if (!evidence) return list;
  for (std::size_t k = 0; k < evidence->recordings.size(); ++k)
    list.push_back({fmt::format("predicted-{}.csv", evidence->recordings[k].name),
                    velocities_csv(evidence->recordings[k], evidence->chosen.recordings[k],
                                   evidence->chosen.dof, summary.robot)});
  if (robot) list.push_back({"robot.yaml", model::robot_to_yaml(*robot)});
  return list;
}

}  // namespace fathom::task
