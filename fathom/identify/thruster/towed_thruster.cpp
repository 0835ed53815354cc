#include "fathom/identify/thruster/towed_thruster.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

namespace fathom::identify {
namespace {

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
