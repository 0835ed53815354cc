#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/log/csv_writer.hpp"
#include "fathom/report/validation_page.hpp"

#include "cli/terminal/number_text.hpp"
#include "cli/terminal/table.hpp"
#include "cli/verbs/validate/validate_result.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

using identify::RecordingResult;
using identify::Spread;
using identify::Validation;
using identify::VelocityResult;
using Json = nlohmann::ordered_json;  // it writes what is not finite as null

Json spread_json(const Spread& s) {
  return {{"median", s.median}, {"quartiles", {s.low_quartile, s.high_quartile}}, {"range", {s.least, s.most}}};
}

Json over_logs(const Validation& validation, bool with_coverage) {
  Json json = Json::object();
  for (const int i : model::free_indices(validation.dof)) {
    Json one = {{"r2", spread_json(validation.r2(i))}, {"rmse", spread_json(validation.rmse(i))}};
    if (with_coverage) one["coverage"] = spread_json(validation.coverage(i));
    json[std::string(model::dof_name(i))] = std::move(one);
  }
  return json;
}

Json velocities_of(const RecordingResult& recording, model::Dof dof) {
  Json json = Json::object();
  for (const int i : model::free_indices(dof)) {
    const VelocityResult& v = recording.velocities[static_cast<std::size_t>(i)];
    const identify::Metrics& m = v.metrics;
    json[std::string(model::dof_name(i))] = {
        {"r2", m.r2},       {"rmse", m.rmse},       {"nrmse", m.nrmse},         {"mae", m.mae},
        {"slope", m.slope}, {"pearson", m.pearson}, {"warp_mean", v.warp_mean}, {"coverage", v.coverage},
        {"noise", v.noise}};
  }
  return json;
}

Json log_of(const RecordingResult& result, const identify::Recording& recording, model::Dof dof) {
  Json json = {{"name", result.name},
               {"samples", result.samples},
               {"compared", result.compared},
               {"starts", result.prediction.starts},
               {"ran_away", result.prediction.diverged},
               {"dropped", Json::array()}};
  for (const auto& drop : recording.dropped)
    json["dropped"].push_back({{"why", drop.why}, {"samples", drop.samples}});
  if (result.band)
    json["band"] = {{"block_s", result.band->block},
                    {"redrawn", result.band->redrawn},
                    {"shrunk", result.band->shrunk},
                    {"ran_away", result.band->ran_away}};
  json["velocities"] = velocities_of(result, dof);
  return json;
}

/// Measured, predicted and band of every free velocity; empty where there is none.
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
        channel.info.columns.push_back(
            {fmt::format("{}{}", model::velocity_name(i), what), i < 3 ? "m/s" : "rad/s"});
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

std::string logs_table(const ValidateResult& result) {
  Table table({"log", "velocity", "R2", "RMSE", "NRMSE", "MAE", "slope", "Pearson", "DTW mean", "in band"});
  for (const RecordingResult& recording : result.chosen.recordings) {
    std::string log = recording.name;
    for (const int i : model::free_indices(result.chosen.dof)) {
      const VelocityResult& v = recording.velocities[static_cast<std::size_t>(i)];
      const identify::Metrics& m = v.metrics;
      table.row({log, std::string(model::dof_name(i)), fixed(m.r2, 3), fixed(m.rmse, 4), percent(m.nrmse),
                 fixed(m.mae, 4), fixed(m.slope, 3), fixed(m.pearson, 3), fixed(v.warp_mean, 4),
                 percent(v.coverage)});
      log.clear();
    }
  }
  return table.text();
}

std::string comparison_table(const ValidateResult& result) {
  const bool chose_four = result.chosen.dof == model::Dof::four;
  const Validation &four = chose_four ? result.chosen : result.other,
                   &six = chose_four ? result.other : result.chosen;
  Table table({"median over logs", "R2 4-DoF", "R2 6-DoF", "RMSE 4-DoF", "RMSE 6-DoF"});
  for (const int i : identify::scored_velocities)
    table.row({std::string(model::dof_name(i)), fixed(four.r2(i).median, 3), fixed(six.r2(i).median, 3),
               fixed(four.rmse(i).median, 4), fixed(six.rmse(i).median, 4)});
  return table.text();
}

Json baselines_json(const identify::ComparedScores& scores) {
  Json json = Json::object();
  for (const int i : identify::scored_velocities) {
    const identify::VehicleScore &ours = scores.ours, &linear = scores.linear;
    json[std::string(model::dof_name(i))] = {
        {"acceleration_r2",
         {{"robot", ours.r2[i]}, {"linear", linear.r2[i]}, {"constant_velocity", linear.constant_r2[i]}}},
        {"free_run_error",
         {{"robot", ours.error_over_spread[i]},
          {"linear", linear.error_over_spread[i]},
          {"constant_velocity", linear.constant_error_over_spread[i]}}},
        {"gain", scores.gain(i)},
        {"ratio", scores.ratio(i)}};
  }
  return json;
}

std::string baselines_table(const identify::ComparedScores& scores) {
  Table table({"all logs", "acceleration R2", "linear", "constant", "5 s error", "linear", "constant", ""});
  for (const int i : identify::scored_velocities) {
    const identify::VehicleScore &ours = scores.ours, &linear = scores.linear;
    const bool by_r2 = scores.gain(i) > 0, by_error = scores.ratio(i) < 1;
    table.row({std::string(model::dof_name(i)), fixed(ours.r2[i], 3), fixed(linear.r2[i], 3),
               fixed(linear.constant_r2[i], 3), fixed(ours.error_over_spread[i], 3),
               fixed(linear.error_over_spread[i], 3), fixed(linear.constant_error_over_spread[i], 3),
               by_r2 && by_error ? "better than both"
               : by_r2           ? "worse over 5 s"
               : by_error        ? "worse in acceleration"
                                 : "worse"});
  }
  return table.text() +
         "linear: each axis for itself, fitted to the seen logs; 5 s error: RMSE of free runs over the spread "
         "of what was measured\n";
}

}  // namespace

double ValidateResult::least_r2() const {
  double least = nan;
  for (const int i : identify::scored_velocities) {
    const double median = chosen.r2(i).median;
    if (std::isfinite(median) && !(least <= median)) least = median;
  }
  return least;
}

std::vector<std::string> ValidateResult::not_compared() const {
  std::vector<std::string> names;
  for (const RecordingResult& recording : chosen.recordings)
    if (recording.compared == 0) names.push_back(recording.name);
  return names;
}

std::vector<std::string> ValidateResult::seen_before() const {
  std::vector<std::string> names;
  if (!robot.identified()) return names;
  const std::string& source = robot.identified()->source;  // "... from day1, day2", by `fathom identify`
  const std::size_t from = source.rfind(" from ");
  if (from == std::string::npos) return names;
  const std::string logs = ", " + source.substr(from + 6) + ",";
  for (const identify::Recording& recording : recordings)
    if (logs.find(", " + recording.name + ",") != std::string::npos) names.push_back(recording.name);
  return names;
}

Json summary_of(const ValidateResult& result) {
  const bool chose_four = result.chosen.dof == model::Dof::four;
  Json summary = {{"version", FATHOM_VERSION},
                  {"command", result.command},
                  {"robot", result.robot.name()},
                  {"seed", result.seed},
                  {"dof", static_cast<int>(result.chosen.dof)},
                  {"delay_s", result.options.prediction.delay},
                  {"horizon_s", result.options.prediction.horizon},
                  {"has_covariance", result.chosen.has_covariance},
                  {"limit", result.limit ? Json(*result.limit) : Json()},
                  {"least_r2", result.least_r2()},
                  {"not_compared", result.not_compared()},
                  {"identified_from", result.seen_before()},
                  {"good", result.good()}};
  summary["velocities"] = over_logs(result.chosen, result.options.band.has_value());
  const Validation &four = chose_four ? result.chosen : result.other,
                   &six = chose_four ? result.other : result.chosen;
  summary["four_or_six"] = {
      {"error_4dof", result.comparison.four}, {"error_6dof", result.comparison.six},
      {"noise", result.comparison.noise},     {"six_is_better", result.comparison.six_is_better},
      {"verdict", result.comparison.verdict}, {"4dof", over_logs(four, false)},
      {"6dof", over_logs(six, false)}};
  if (result.baselines) summary["baselines"] = baselines_json(*result.baselines);
  summary["logs"] = Json::array();
  for (std::size_t k = 0; k < result.recordings.size(); ++k)
    summary["logs"].push_back(log_of(result.chosen.recordings[k], result.recordings[k], result.chosen.dof));
  return summary;
}

std::string text_of(const ValidateResult& result) {
  std::string text = fmt::format("{} in {}-DoF, forward from the inputs alone\n\n", result.robot.name(),
                                 static_cast<int>(result.chosen.dof));
  text += logs_table(result) + "\n" + comparison_table(result) + "\n" + wrapped(result.comparison.verdict);
  if (result.baselines) text += "\n" + baselines_table(*result.baselines);
  if (const auto seen = result.seen_before(); !seen.empty())
    text += fmt::format("identified from {}: no unseen log\n", join(seen, ", "));
  if (const auto none = result.not_compared(); !none.empty())
    text += fmt::format("NOTHING COMPARED on {}\n", join(none, ", "));
  if (result.limit)
    text += fmt::format("least median R2 {}, limit {:g}: {}\n", fixed(result.least_r2(), 3), *result.limit,
                        result.below_limit() ? "FAILED" : "held");
  return text + "\n";
}

std::vector<std::string> write_files(const ValidateResult& result, OutputFolder& out) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < result.recordings.size(); ++k) {
    names.push_back(fmt::format("predicted-{}.csv", result.recordings[k].name));
    out.write(names.back(), velocities_csv(result.recordings[k], result.chosen.recordings[k], result.chosen.dof,
                                           result.robot.name()));
  }
  const report::ValidationPage page{result.robot.name(),
                                    &result.chosen,
                                    &result.other,
                                    &result.comparison,
                                    result.recordings,
                                    result.limit.value_or(nan),
                                    fmt::format("fathom {}: {}", FATHOM_VERSION, result.command)};
  out.write("report.html", report::to_html(report::validation_page(page)));
  names.insert(names.end(), {"report.html", "summary.json"});
  return names;
}

}  // namespace fathom::cli
