#include "fathom/identify/thruster/thruster.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

namespace fathom::identify {

namespace {

using Eigen::Index;

constexpr std::size_t most_voltages = 20;
constexpr double usual_neutral_us = 1500;

std::string voltage_in_words(const std::optional<double>& voltage) {
  return voltage ? fmt::format(" at {:g} V", *voltage) : "";
}

/// What `fit` gives; where it rejects, the reason is kept.
template <class Fit>
auto unless_rejected(IdentifiedThruster& found, const std::string& what, const Fit& fit)
    -> std::optional<decltype(fit())> {
  try {
    return fit();
  } catch (const InputError& error) {
    found.left_out.push_back(fmt::format("{}: {}", what, error.findings().front().message));
    return std::nullopt;
  }
}

/// Rows of one side in which the shaft turns.
std::vector<Index> turning(const BollardTable& table, const std::optional<double>& voltage, double neutral,
                           double direction) {
  std::vector<Index> rows;
  for (Index k = 0; k < table.commands.size(); ++k)
    if ((!voltage || (*table.voltages)[k] == *voltage) && (*table.speeds)[k] > 0 &&
        direction * (table.commands[k] - neutral) > 0)
      rows.push_back(k);
  return rows;
}

IdentifiedThruster::Shaft fit_shaft(const BollardTable& table, const std::vector<Index>& rows, double neutral) {
  const Eigen::VectorXd x = (table.commands(rows).array() - neutral).abs(), speeds = (*table.speeds)(rows),
                        forces = table.forces(rows).cwiseAbs();
  const double reference = table.unit == model::CommandUnit::pwm_us ? 100 : 1;
  return {fit_shaft_speed(x, speeds, reference), fit_thrust_over_speed(speeds, forces)};
}

/// At the end of the range the controller passes the supply's voltage on.
MotorConstants fit_motor_at(const BollardTable& table, double end) {
  std::vector<Index> rows;
  for (Index k = 0; k < table.commands.size(); ++k)
    if (table.commands[k] == end) rows.push_back(k);
  return fit_motor_constants((*table.voltages)(rows), (*table.speeds)(rows), (*table.currents)(rows));
}

/// The loss on both sides and, of one voltage, the map that holds it.
void fit_towed(IdentifiedThruster& found, const BollardTable& table, double neutral) {
  for (const double direction : {1.0, -1.0})
    (direction > 0 ? found.forward_towed : found.reverse_towed) =
        unless_rejected(found, fmt::format("thrust loss {}", direction > 0 ? "forward" : "in reverse"),
                        [&] { return identify_towed(table, neutral, direction); });
  if (found.forward_towed && !found.table)
    found.propeller = unless_rejected(found, "inflow in the map", [&] {
      return propeller_map(
          found.tests.front().laws, found.forward_towed->loss.thrust,
          found.reverse_towed ? std::optional(found.reverse_towed->loss.thrust) : std::nullopt);
    });
}

void fit_shafts(IdentifiedThruster& found, const BollardTable& table, double neutral) {
  for (IdentifiedThruster::AtVoltage& test : found.tests)
    for (const double direction : {1.0, -1.0})
      (direction > 0 ? test.forward_shaft : test.reverse_shaft) = unless_rejected(
          found,
          fmt::format("shaft speed {}{}", direction > 0 ? "forward" : "in reverse",
                      voltage_in_words(test.voltage)),
          [&] { return fit_shaft(table, turning(table, test.voltage, neutral, direction), neutral); });
}

double largest_half_band(const StaticThrust& laws) {
  double half = 0;
  for (const SideChoice* side : {&laws.forward, &laws.reverse})
    half = std::max(half, 0.5 * (side->high - side->low).maxCoeff());
  return half;
}

constexpr int shaft_points_per_side = 20;

std::vector<TowedPoint> towed_points(const BollardTable& table, double neutral, double direction) {
  std::vector<TowedPoint> points;
  for (Eigen::Index k = 0; k < table.commands.size(); ++k)
    if (direction * (table.commands[k] - neutral) > 0 && (*table.speeds)[k] > 0)
      points.push_back({(*table.speeds)[k], direction * (*table.inflows)[k], direction * table.forces[k]});
  return points;
}

/// Closer near the edge, where the speed rises as the root of a force that begins with a slope.
void add_shaft_side(std::map<double, double>& speed_of_command, const SideLaw& law, double neutral, double end,
                    double T_ww) {
  const double direction = end > neutral ? 1 : -1, edge = neutral + direction * law.edge;
  for (int k = 0; k < shaft_points_per_side; ++k) {
    const double share = static_cast<double>(k) / shaft_points_per_side,
                 u = share * share * std::abs(end - edge);
    speed_of_command[edge + direction * u] = direction * std::sqrt(law.force(law.edge + u) / T_ww);
  }
  speed_of_command[end] = direction * std::sqrt(law.force(std::abs(end - neutral)) / T_ww);
}

}  // namespace

model::Command command_of(const BollardTable& table, std::optional<double> neutral) {
  if (table.commands.size() == 0) reject("table", "has no rows");
  const Eigen::VectorXd commands = table.in_still_water().commands;
  if (commands.size() == 0)
    reject("table", "has no rows in still water",
           "the map is fitted where the inflow is 0: add a bollard test");
  const double usual = table.unit == model::CommandUnit::pwm_us ? usual_neutral_us : 0;
  return {table.unit, commands.minCoeff(), commands.maxCoeff(), neutral.value_or(usual)};
}

IdentifiedThruster identify_thruster(const BollardTable& all, const model::Command& command,
                                     const std::string& source, const StaticThrustOptions& options) {
  const BollardTable table = all.in_still_water();  // where it runs ahead, water unloads shaft and motor too
  const auto tests = table.tests();
  if (tests.size() > most_voltages)
    reject("table", fmt::format("has {} voltages, at most {} are taken", tests.size(), most_voltages),
           "voltages that were measured? Round them to those that were set");
  IdentifiedThruster found;
  found.unit = table.unit;
  for (const auto& [voltage, test] : tests) {
    try {
      found.tests.push_back({table.voltages ? std::optional(voltage) : std::nullopt,
                             identify_static_thrust(test, command, options)});
    } catch (const InputError& error) {
      Finding finding = error.findings().front();
      if (table.voltages) finding.message = fmt::format("at {:g} V {}", voltage, finding.message);
      throw InputError(finding);
    }
    found.tests.back().laws.map.source = source;
  }
  if (tests.size() > 1) {
    found.table = identify_voltage_table(tests, command);
    found.table->map.source = source;
    std::vector<double> half_bands;
    for (const auto& test : found.tests) half_bands.push_back(largest_half_band(test.laws));
    found.table->between = bands_between(std::get<model::ForceTable>(found.table->map.law), half_bands);
  }
  if (table.speeds) fit_shafts(found, table, command.neutral);
  if (table.speeds && table.currents && tests.size() > 2) {
    found.forward_motor =
        unless_rejected(found, "motor forward", [&] { return fit_motor_at(table, command.max); });
    found.reverse_motor =
        unless_rejected(found, "motor in reverse", [&] { return fit_motor_at(table, command.min); });
  }
  if (all.inflows) fit_towed(found, all, command.neutral);
  return found;
}

double TowedThruster::far_inflow() const {
  return std::max_element(
             points.begin(), points.end(),
             [](const TowedPoint& a, const TowedPoint& b) { return std::abs(a.inflow) < std::abs(b.inflow); })
      ->inflow;
}

std::array<double, 3> TowedThruster::inflows() const {
  const double far = far_inflow();
  return {far / 3, 2 * far / 3, far};
}

std::array<double, 3> TowedThruster::speeds() const {
  double largest = 0;
  for (const TowedPoint& point : points) largest = std::max(largest, point.shaft_speed);
  return {0.5 * largest, 0.75 * largest, largest};
}

TowedThruster identify_towed(const BollardTable& table, double neutral, double direction) {
  if (!table.inflows || !table.speeds)
    reject("table", fmt::format("there is no column of the {}", table.inflows ? "shaft speed" : "inflow"));
  TowedThruster found{{}, towed_points(table, neutral, direction)};
  if (found.points.empty() || std::abs(found.far_inflow()) < still_water)
    reject("table", "there is no row with inflow and a shaft that turns");
  found.loss = identify_advance_loss(found.points);
  const model::ThrustCoefficients& thrust = found.loss.thrust;
  if (!found.loss.covariance.allFinite() || !std::isfinite(thrust.wu) || !std::isfinite(found.loss.r2))
    reject("table", "there are numbers too large or too small to be fitted");
  if (!(thrust.ww > 0)) reject("table", "the thrust does not grow with the shaft speed");
  if (thrust.wu > 0)
    reject(
        "table",
        fmt::format("the thrust grows with the inflow, T_wu = {:.3g} +- {:.2g}: an inflow that comes towards "
                    "a thruster pushing forward is positive",
                    thrust.wu, sigmas_of_95 * found.loss.wu_sigma()));
  return found;
}

model::ThrusterMap propeller_map(const StaticThrust& laws, const model::ThrustCoefficients& forward,
                                 const std::optional<model::ThrustCoefficients>& reverse) {
  model::ThrusterMap map = laws.map;
  std::map<double, double> speed_of_command;
  add_shaft_side(speed_of_command, laws.reverse.law, map.command.neutral, map.command.min,
                 reverse.value_or(forward).ww);
  add_shaft_side(speed_of_command, laws.forward.law, map.command.neutral, map.command.max, forward.ww);
  model::TableShaft shaft;
  for (const auto& [command, speed] : speed_of_command) {
    shaft.commands.push_back(command);
    shaft.speeds.push_back(shaft.speeds.empty() ? speed : std::max(speed, shaft.speeds.back()));  // rounding
  }
  map.law = model::Propeller{forward, std::move(shaft), reverse};
  if (Findings findings = model::check_thruster_map(map, {}, "map"); has_errors(findings))
    throw InputError(std::move(findings));
  return map;
}

}  // namespace fathom::identify
