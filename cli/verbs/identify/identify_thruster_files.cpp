#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/report/thruster_page.hpp"

#include "cli/terminal/table.hpp"
#include "cli/verbs/identify/identify_thruster_result.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

using identify::IdentifiedThruster;
using identify::SideChoice;
using Json = nlohmann::ordered_json;

Json side_json(const SideChoice& side) {
  Json tried = Json::array();
  for (const SideChoice::Tried& one : side.tried)
    tried.push_back({{"degree", one.degree}, {"held_out_error_N", one.error}});
  return {{"degree", side.law.degree},
          {"dead_band", side.law.edge},
          {"coefficients", side.law.c},
          {"full_force_N", side.full_force},
          {"rmse_N", side.rmse},
          {"held_out_error_N", side.chosen().error},
          {"half_band_N", 0.5 * (side.high - side.low).mean()},
          {"tried", tried}};
}

Json shaft_json(const std::optional<IdentifiedThruster::Shaft>& shaft) {
  if (!shaft) return {};
  const identify::ShaftSpeedFit& fit = shaft->speed;
  return {{"a", fit.shaft.a},
          {"exponent", fit.shaft.exponent},
          {"exponent_sigma", fit.exponent_sigma},
          {"c", fit.shaft.c},
          {"c_sigma", fit.c_sigma},
          {"r2", fit.r2},
          {"T_ww", shaft->thrust.T_ww},
          {"T_ww_sigma", shaft->thrust.sigma},
          {"T_ww_r2", shaft->thrust.r2}};
}

Json motor_json(const std::optional<identify::MotorConstants>& motor) {
  if (!motor) return {};
  return {{"k_t", motor->k_t},
          {"k_t_sigma", motor->k_t_sigma},
          {"resistance", motor->resistance},
          {"resistance_sigma", motor->resistance_sigma}};
}

Json towed_json(const std::optional<identify::TowedThruster>& towed) {
  if (!towed) return {};
  const identify::AdvanceLoss& loss = towed->loss;
  Json losses = Json::array();
  for (const double speed : towed->speeds())
    for (const double inflow : towed->inflows()) {
      const identify::AdvanceLoss::Loss at = loss.loss(speed, inflow);
      losses.push_back(
          {{"shaft_speed_rad_s", speed}, {"inflow_m_s", inflow}, {"share", at.share}, {"sigma", at.sigma}});
    }
  return {{"points", towed->points.size()},
          {"T_ww", loss.thrust.ww},
          {"T_ww_sigma", loss.ww_sigma()},
          {"T_wu", loss.thrust.wu},
          {"T_wu_sigma", loss.wu_sigma()},
          {"r2", loss.r2},
          {"r2_without_inflow", loss.r2_without_inflow},
          {"loss", losses}};
}

std::string towed_text(const std::string& side, const identify::TowedThruster& towed) {
  std::vector<std::string> header = {"thrust lost, " + side};
  for (const double inflow : towed.inflows()) header.push_back(fmt::format("{:.3g} m/s", inflow));
  Table table(header);
  for (const double speed : towed.speeds()) {
    std::vector<std::string> row = {fmt::format("{:.0f} rad/s", speed)};
    for (const double inflow : towed.inflows()) {
      const identify::AdvanceLoss::Loss loss = towed.loss.loss(speed, inflow);
      row.push_back(fmt::format("{:.1f} +- {:.1f} %", 100 * loss.share, 100 * sigmas_of_95 * loss.sigma));
    }
    table.row(row);
  }
  return fmt::format("{}T_ww w^2 + T_wu w u over {} points: R2 {:.4f}, without inflow {:.4f}; +- is 95 %\n\n",
                     table.text(), towed.points.size(), towed.loss.r2, towed.loss.r2_without_inflow);
}

/// What the map holds of inflow, for who pastes it.
std::string inflow_comment(const IdentifiedThruster& found) {
  if (found.propeller && found.reverse_towed)
    return "# T_ww and T_wu are of rows with inflow, on both sides. The speeds are those at which T_ww |w| w "
           "is the "
           "force in still water.\n";
  if (found.propeller)
    return "# T_wu is of rows with inflow, forward. The speeds are those at which T_ww |w| w is the force in "
           "still water:\n# in reverse, where the blades push less, they are below the true ones.\n";
  if (!found.forward_towed) return "";
  const model::ThrustCoefficients& thrust = found.forward_towed->loss.thrust;
  return fmt::format(
      "# Not held: thrust lost to inflow, T_ww = {:.4g} N s^2, T_wu = {:.4g} N s^2/m; a table over voltage has "
      "none.\n",
      thrust.ww, thrust.wu);
}

/// Map and, where runs told it, transient.
std::string yaml_of(const ThrusterResult& result) {
  const std::string comment = inflow_comment(result.found);
  return comment +
         (result.steps ? steps_yaml(result) : model::thruster_map_to_yaml(result.name, result.found.map()));
}

std::string_view law_name(const IdentifiedThruster& found) {
  if (found.table) return "table";
  if (found.propeller) return "propeller";
  return std::holds_alternative<model::LinearQuadratic>(found.map().law) ? "linear_quadratic"
                                                                         : "polynomial_pair";
}

Json left_out_json(const IdentifiedThruster& found) {
  Json list = Json::array();
  if (!found.table) return list;
  for (const identify::VoltageLeftOut& out : found.table->left_out)
    list.push_back({{"voltage", out.voltage},
                    {"from", {out.below, out.above}},
                    {"rms_N", out.rms},
                    {"peak_N", out.peak},
                    {"full_force_N", out.full_force}});
  return list;
}

std::string left_out_text(const identify::VoltageTable& table) {
  std::string text = fmt::format(
      "the map is a table over voltage; {} points were moved, by at most {:.3g} N, so that no row falls\n",
      table.pooled_points, table.largest_move);
  for (const identify::VoltageLeftOut& out : table.left_out)
    text += fmt::format(
        "without {0:g} V, from {1:g} and {2:g} V, it is off by {3:.3g} N rms, {4:.2f} % of full force\n",
        out.voltage, out.below, out.above, out.rms, 100 * out.rms / out.full_force);
  return text;
}

}  // namespace

Json summary_of(const ThrusterResult& result) {
  const IdentifiedThruster& found = result.found;
  Json tests = Json::array();
  for (const auto& test : found.tests)
    tests.push_back({{"voltage", test.voltage ? Json(*test.voltage) : Json()},
                     {"forward", side_json(test.laws.forward)},
                     {"reverse", side_json(test.laws.reverse)},
                     {"forward_shaft", shaft_json(test.forward_shaft)},
                     {"reverse_shaft", shaft_json(test.reverse_shaft)}});
  const model::ForceRange range = model::attained_force(found.map(), {}, 1000);
  return {{"version", FATHOM_VERSION},
          {"command", result.command},
          {"what", "thruster"},
          {"name", result.name},
          {"columns", result.columns},
          {"command_unit", name_of(found.unit)},
          {"law", law_name(found)},
          {"force_N", {range.min, range.max}},
          {"tests", tests},
          {"voltages_left_out", left_out_json(found)},
          {"points_moved", found.table ? found.table->pooled_points : 0},
          {"motor_forward", motor_json(found.forward_motor)},
          {"motor_reverse", motor_json(found.reverse_motor)},
          {"inflow_forward", towed_json(found.forward_towed)},
          {"inflow_reverse", towed_json(found.reverse_towed)},
          {"dynamics", steps_json(result.steps)},
          {"not_fitted", found.left_out},
          {"files", Json::array()}};
}

std::string text_of(const ThrusterResult& result) {
  const IdentifiedThruster& found = result.found;
  Table table(
      {"test", "side", "degree", "dead band", "full force", "left by the fit", "held out", "95 % band"});
  for (const auto& test : found.tests)
    for (const SideChoice* side : {&test.laws.forward, &test.laws.reverse}) {
      const auto share = [&](double force) { return fmt::format("{:.2f} %", 100 * force / side->full_force); };
      table.row({test.voltage ? fmt::format("{:g} V", *test.voltage) : "all",
                 side == &test.laws.forward ? "forward" : "reverse", fmt::format("{}", side->law.degree),
                 fmt::format("{:.4g} {}", side->law.edge, symbol_of(found.unit)),
                 fmt::format("{:.4g} N", side->full_force), share(side->rmse), share(side->chosen().error),
                 "+- " + share(0.5 * (side->high - side->low).mean())});
    }
  std::string text = fmt::format("{}: {}\n\n{}\n", result.name, join(result.columns, "; "), table.text());
  if (found.table) text += left_out_text(*found.table);
  if (found.forward_towed) text += towed_text("forward", *found.forward_towed);
  if (found.reverse_towed) text += towed_text("reverse", *found.reverse_towed);
  if (result.steps) text += steps_text(*result.steps, result.name);
  for (const std::string& left_out : found.left_out) text += "not fitted: " + left_out + "\n";
  return text +
         fmt::format("paste thruster.yaml into a robot file; its thrusters then say map: {}\n\n", result.name);
}

std::vector<std::string> write_files(const ThrusterResult& result, OutputFolder& out) {
  out.write("thruster.yaml", yaml_of(result));
  const report::ThrusterPage page{result.name,
                                  &result.found,
                                  result.columns,
                                  fmt::format("fathom {}: {}", FATHOM_VERSION, result.command),
                                  result.steps ? &*result.steps : nullptr,
                                  result.runs};
  out.write("report.html", report::to_html(report::thruster_page(page)));
  return {"thruster.yaml", "report.html", "summary.json"};
}

}  // namespace fathom::cli
