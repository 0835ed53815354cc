#include "fathom/identify/thruster/thruster.hpp"

#include <fmt/format.h>

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

}  // namespace fathom::identify
