#include "fathom/exchange/internal/uuv_conversion.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::exchange::internal {
namespace {

/// At rest and at the highest voltage of a table.
double steady_force(const model::Thruster& thruster, double command, double density) {
  const model::ThrusterMap& map = *thruster.map;
  const auto* propeller = std::get_if<model::Propeller>(&map.law);
  if (!propeller) {
    const auto* table = std::get_if<model::ForceTable>(&map.law);
    return force_of_command(map, command, table ? table->voltages.back() : 0);
  }
  const auto motor = model::motor_rates(thruster.transient);
  const double w =
      motor ? steady_motor_speed(*motor, command) : shaft_speed_of_command(*propeller, map.command, command);
  return propeller_thrust(thrust_sides(*propeller, density), w, 0);
}

bool is_basic(const model::Thruster& thruster) {
  const auto* propeller = std::get_if<model::Propeller>(&thruster.map->law);
  return propeller && !propeller->reverse && std::holds_alternative<model::DirectShaft>(propeller->shaft) &&
         thruster.map->command.unit == model::CommandUnit::rad_s;
}

/// Edges of a dead band, where the law has a corner that points between must not cut.
std::vector<double> corners(const model::ThrusterMap& map) {
  std::vector<double> list = {map.command.min, map.command.neutral, map.command.max};
  const auto add = [&](const std::optional<model::DeadBand>& band) {
    if (band) list.insert(list.end(), {band->min, band->max});
  };
  if (const auto* law = std::get_if<model::PolynomialPair>(&map.law)) add(law->dead_band);
  if (const auto* law = std::get_if<model::LinearQuadratic>(&map.law)) add(law->dead_band);
  if (const auto* law = std::get_if<model::ForceTable>(&map.law))
    list.insert(list.end(), law->commands.begin(), law->commands.end());
  if (const auto* law = std::get_if<model::Propeller>(&map.law)) {
    if (const auto* shaft = std::get_if<model::LinearShaft>(&law->shaft)) add(shaft->dead_band);
    if (const auto* shaft = std::get_if<model::TableShaft>(&law->shaft))
      list.insert(list.end(), shaft->commands.begin(), shaft->commands.end());
  }
  return list;
}

std::vector<double> points_of(const model::ThrusterMap& map) {
  std::vector<double> points = corners(map);
  constexpr int steps = 80;
  if (!std::holds_alternative<model::ForceTable>(map.law))
    for (int k = 1; k < steps; ++k)
      points.push_back(map.command.min + (map.command.max - map.command.min) * k / steps);
  std::erase_if(points, [&](double x) { return x < map.command.min || x > map.command.max; });
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

}  // namespace

std::optional<model::ForceRange> force_range(const model::Thruster& thruster, double density) {
  if (thruster.force) return thruster.force->value;
  if (thruster.map) return attained_force(*thruster.map, thruster.transient, density);
  return std::nullopt;
}

UuvConversion uuv_conversion(const model::Thruster& thruster, double density) {
  UuvConversion conversion;
  if (!thruster.map) {
    const model::ForceRange range =
        force_range(thruster, density).value_or(model::ForceRange{-no_limit_n, no_limit_n});
    conversion.inputs = conversion.outputs = {range.min, range.max};
    return conversion;
  }
  if (is_basic(thruster)) {
    conversion.rotor_constant = thrust_coefficients(std::get<model::Propeller>(thruster.map->law), density).ww;
    return conversion;
  }
  conversion.inputs = points_of(*thruster.map);
  for (const double x : conversion.inputs) conversion.outputs.push_back(steady_force(thruster, x, density));
  for (std::size_t k = 1; k < conversion.inputs.size(); ++k) {
    const double middle = 0.5 * (conversion.inputs[k - 1] + conversion.inputs[k]);
    const double line = 0.5 * (conversion.outputs[k - 1] + conversion.outputs[k]);
    conversion.error = std::max(conversion.error, std::abs(steady_force(thruster, middle, density) - line));
  }
  return conversion;
}

UuvInverse inverse_of(const UuvConversion& conversion) {
  constexpr double nearly_nothing = 1e-9;  // N
  UuvInverse inverse;
  const auto& in = conversion.inputs;
  const auto& out = conversion.outputs;
  for (std::size_t k = 0; k < in.size(); ++k) {
    const bool begins = k + 1 < in.size() && out[k + 1] == out[k] && (k == 0 || out[k - 1] != out[k]);
    const bool ends = k > 0 && out[k - 1] == out[k] && (k + 1 == in.size() || out[k + 1] != out[k]);
    const double force = begins ? out[k] - nearly_nothing : ends ? out[k] + nearly_nothing : out[k];
    if (!inverse.outputs.empty() && force <= inverse.outputs.back()) continue;
    inverse.inputs.push_back(in[k]);
    inverse.outputs.push_back(force);
  }
  return inverse;
}

}  // namespace fathom::exchange::internal
