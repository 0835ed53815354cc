#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/report/tank_page.hpp"

#include "cli/terminal/table.hpp"
#include "cli/verbs/identify/identify_tank_result.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

using identify::DragFit;
using identify::IdentifiedTowing;
using identify::TowedRecord;
using Json = nlohmann::ordered_json;

Json estimate_json(double estimate, double half_width) {
  return {{"estimate", estimate}, {"interval_95", {estimate - half_width, estimate + half_width}}};
}

Json law_json(const DragFit& fit) {
  Json points = Json::array();
  for (const identify::FusedPoint& point : fit.points)
    points.push_back({{"speed", point.speed},
                      {"force", point.force},
                      {"sigma", point.sigma},
                      {"runs", point.runs.size()},
                      {"law", fit.law.force(point.speed)},
                      {"half_band", fit.half_width(point.speed)}});
  const auto& C = fit.law.covariance;
  return {{"c1", estimate_json(fit.law.c[0], fit.half_width_of(0))},
          {"c2", estimate_json(fit.law.c[1], fit.half_width_of(1))},
          {"covariance", {{C(0, 0), C(0, 1)}, {C(1, 0), C(1, 1)}}},
          {"degrees_of_freedom", fit.degrees},
          {"misfit", fit.misfit},
          {"held_at_zero", fit.at_bound},
          {"points", points}};
}

Json towed_runs_json(const IdentifiedTowing& found) {
  Json runs = Json::array();
  std::size_t k = 0;
  for (const TowedRecord& record : found.records) {
    Json run = {{"name", record.name}, {"rows_dropped", record.dropped}};
    if (!record.steady.part) {
      run["left_out"] = record.steady.why_not;
      runs.push_back(run);
      continue;
    }
    const identify::SteadyPart& part = *record.steady.part;
    run.update({{"speed", found.fit.runs[k].speed},
                {"force", found.fit.runs[k].force},
                {"sigma", std::sqrt(found.fit.runs[k].variance)},
                {"steady", {record.record.t[part.from], record.record.t[part.from + part.count - 1]}},
                {"effective_samples", part.force.effective_samples}});
    for (const identify::TowingOutlier& outlier : found.fit.outliers)
      if (outlier.run == k) run["outlier_sigmas"] = outlier.sigmas;
    runs.push_back(run);
    ++k;
  }
  return runs;
}

std::string footer_of(const std::string& command) {
  return fmt::format("fathom {}: {}", FATHOM_VERSION, command);
}

/// To paste, or to read by another program.
std::string drag_yaml(const std::string& axis, const identify::AxisDrag& drag, const std::string& source) {
  return fmt::format(
      "{}:\n  linear: {{value: {:.6g}, sigma: {:.3g}}}\n  quadratic: {{value: {:.6g}, sigma: {:.3g}}}\n  "
      "source: \"{}\"\n",
      axis, drag.linear, drag.linear_sigma, drag.quadratic, drag.quadratic_sigma, source);
}

void row_of(Table& table, const std::string& name, const DragFit& fit) {
  const auto with_interval = [&](int k) {
    return fmt::format("{:.4g} +- {:.2g}", fit.law.c[k], fit.half_width_of(k));
  };
  table.row({name, with_interval(0), with_interval(1), fmt::format("{}", fit.points.size()),
             fmt::format("{:.2g}", fit.misfit), join(fit.at_bound, ", ")});
}

std::string left_out_text(const IdentifiedTowing& found) {
  std::string text;
  for (const identify::TowingOutlier& outlier : found.fit.outliers)
    text += fmt::format("left out: {}, {:+.1f} sigmas from the law\n", found.fit.runs[outlier.run].name,
                        outlier.sigmas);
  for (const TowedRecord& record : found.records)
    if (!record.steady.part) text += fmt::format("left out: {}, {}\n", record.name, record.steady.why_not);
  return text;
}

std::vector<std::string> write_common(const std::string& yaml, const report::Page& page,
                                      const std::optional<model::Robot>& robot, OutputFolder& out) {
  std::vector<std::string> names = {"result.yaml", "report.html", "summary.json"};
  out.write("result.yaml", yaml);
  out.write("report.html", report::to_html(page));
  if (!robot) return names;
  out.write("robot.yaml", model::robot_to_yaml(*robot));
  names.insert(names.begin(), "robot.yaml");
  return names;
}

constexpr const char* decay_units[] = {"1/s^2", "rad", "1/s", "1/rad"};

}  // namespace

identify::AxisDrag drag_of(const DragFit& fit) {
  return {fit.law.c[0], fit.law.c[1], fit.half_width_of(0) / sigmas_of_95, fit.half_width_of(1) / sigmas_of_95};
}

Json summary_of(const TowingResult& result) {
  const identify::TowingFit& fit = result.found.fit;
  Json supposed = Json::array();
  for (const SupposedAxis& one : result.supposed)
    supposed.push_back({{"axis", model::dof_name(one.axis)},
                        {"ratio", one.supposed.ratio},
                        {"linear", one.supposed.drag.linear},
                        {"quadratic", one.supposed.drag.quadratic}});
  const auto& bracket = result.found.bracket;
  return {{"version", FATHOM_VERSION},
          {"command", result.command},
          {"what", "towing"},
          {"name", result.campaign.name},
          {"axis", model::dof_name(result.campaign.axis)},
          {"bracket", bracket ? Json({{"c1", bracket->c[0]}, {"c2", bracket->c[1]}}) : Json()},
          {"all", law_json(fit.all)},
          {"forward", fit.forward ? law_json(*fit.forward) : Json()},
          {"backward", fit.backward ? law_json(*fit.backward) : Json()},
          {"same_both_ways", fit.same_both_ways ? Json(*fit.same_both_ways) : Json()},
          {"run_sigma", fit.run_sigma},
          {"runs", towed_runs_json(result.found)},
          {"supposed", supposed},
          {"files", Json::array()}};
}

std::string text_of(const TowingResult& result) {
  const identify::TowingFit& fit = result.found.fit;
  const bool turns = result.campaign.axis >= 3;
  Table table({"runs", turns ? "c1 [N m s]" : "c1 [N s/m]", turns ? "c2 [N m s^2]" : "c2 [N s^2/m^2]", "speeds",
               turns ? "law off by [N m]" : "law off by [N]", "held at 0"});
  row_of(table, "all", fit.all);
  if (fit.forward) row_of(table, "forward", *fit.forward);
  if (fit.backward) row_of(table, "backward", *fit.backward);
  std::string text = fmt::format("{}: drag in {}, +- 95 %\n\n{}\n", result.campaign.name,
                                 model::dof_name(result.campaign.axis), table.text());
  if (fit.same_both_ways)
    text += fmt::format("both directions the same: p = {:.2g}{}\n", *fit.same_both_ways,
                        *fit.same_both_ways < 0.05 ? "; they differ, and one law is of neither" : "");
  text += left_out_text(result.found);
  for (const SupposedAxis& one : result.supposed) text += "supposed: " + one.supposed.about + "\n";
  return text + "\n";
}

std::vector<std::string> write_files(const TowingResult& result, OutputFolder& out) {
  std::string yaml = drag_yaml(std::string(model::dof_name(result.campaign.axis)),
                               drag_of(result.found.fit.all), result.source);
  for (const SupposedAxis& one : result.supposed)
    yaml += drag_yaml(std::string(model::dof_name(one.axis)), one.supposed.drag, one.supposed.about);
  return write_common(yaml, report::towing_page({&result.campaign, &result.found, footer_of(result.command)}),
                      result.after, out);
}

Json summary_of(const DecayResult& result) {
  const identify::DecayFit& fit = result.found.fit;
  Json rates = Json::object(), runs = Json::array();
  for (int k = 0; k < 4; ++k) {
    Json& rate = rates[identify::decay_names[static_cast<std::size_t>(k)]];
    rate = estimate_json(fit.rates.vector()[k], fit.half_width(k));
    rate["unit"] = decay_units[k];
  }
  for (std::size_t k = 0; k < fit.runs.size(); ++k)
    runs.push_back({{"name", result.found.runs[k].name},
                    {"first_angle", fit.runs[k].first_angle},
                    {"first_rate", fit.runs[k].first_rate},
                    {"mse", fit.runs[k].mse}});
  Json coefficients;
  const auto with_sigma = [](double estimate, double sigma) -> Json {
    return {{"estimate", estimate}, {"sigma", sigma}};
  };
  if (const auto& c = result.found.coefficients)
    coefficients = {{"inertia", with_sigma(c->inertia, c->sigma[0])},
                    {"restoring", with_sigma(c->restoring, c->sigma[1])},
                    {"linear", with_sigma(c->linear, c->sigma[2])},
                    {"quadratic", with_sigma(c->quadratic, c->sigma[3])}};
  return {{"version", FATHOM_VERSION},
          {"command", result.command},
          {"what", "decay"},
          {"name", result.campaign.name},
          {"axis", model::dof_name(result.campaign.axis)},
          {"over_inertia", rates},
          {"coefficients", coefficients},
          {"held_at_zero", fit.at_bound},
          {"r2", fit.r2},
          {"converged", fit.converged},
          {"runs", runs},
          {"files", Json::array()}};
}

std::string text_of(const DecayResult& result) {
  const identify::DecayFit& fit = result.found.fit;
  Table table({"over the inertia", "value", "+- 95 %", "unit"});
  for (int k = 0; k < 4; ++k)
    table.row({identify::decay_names[static_cast<std::size_t>(k)], fmt::format("{:.5g}", fit.rates.vector()[k]),
               fmt::format("{:.2g}", fit.half_width(k)), decay_units[k]});
  std::string text = fmt::format("{}: free decay in {}, {} runs, R2 {:.4f}\n\n{}\n", result.campaign.name,
                                 model::dof_name(result.campaign.axis), fit.runs.size(), fit.r2, table.text());
  text += fmt::format("it comes to rest at {:.2f} +- {:.2f} degrees\n", degrees * fit.rates.equilibrium,
                      degrees * fit.half_width(1));
  if (const auto& c = result.found.coefficients)
    text +=
        fmt::format("inertia {:.4g} kg m^2, restoring {:.4g} N m, damping {:.3g} N m s and {:.3g} N m s^2\n",
                    c->inertia, c->restoring, c->linear, c->quadratic);
  else
    text += "ratios alone: known: {inertia: ..} or {restoring: ..} in the campaign makes numbers of them\n";
  if (!fit.at_bound.empty()) text += fmt::format("held at 0: {}\n", join(fit.at_bound, ", "));
  return text + "\n";
}

std::vector<std::string> write_files(const DecayResult& result, OutputFolder& out) {
  const identify::DecayFit& fit = result.found.fit;
  std::string yaml = fmt::format("{}:\n  source: \"{}\"\n  over_inertia:\n",
                                 model::dof_name(result.campaign.axis), result.source);
  for (int k = 0; k < 4; ++k)
    yaml += fmt::format("    {}: {{value: {:.6g}, sigma: {:.3g}, unit: {}}}\n",
                        identify::decay_names[static_cast<std::size_t>(k)], fit.rates.vector()[k],
                        fit.half_width(k) / sigmas_of_95, decay_units[k]);
  if (const auto& c = result.found.coefficients)
    yaml += fmt::format(
        "  inertia: {{value: {:.6g}, sigma: {:.3g}, unit: kg m^2}}\n"
        "  restoring: {{value: {:.6g}, sigma: {:.3g}, unit: N m}}\n"
        "  linear: {{value: {:.6g}, sigma: {:.3g}, unit: N m s}}\n"
        "  quadratic: {{value: {:.6g}, sigma: {:.3g}, unit: N m s^2}}\n",
        c->inertia, c->sigma[0], c->restoring, c->sigma[1], c->linear, c->sigma[2], c->quadratic, c->sigma[3]);
  return write_common(yaml, report::decay_page({&result.campaign, &result.found, footer_of(result.command)}),
                      result.after, out);
}

}  // namespace fathom::cli
