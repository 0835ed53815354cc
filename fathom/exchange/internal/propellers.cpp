#include "fathom/exchange/internal/propellers.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "fathom/exchange/internal/flu.hpp"
#include "fathom/exchange/internal/names.hpp"

namespace fathom::exchange::internal {
namespace {

constexpr double nominal_diameter = 0.1;  ///< m, where the robot says none
constexpr double nominal_speed = 300;     ///< rad/s at full thrust, where the robot says none

/// Where a thruster's law has a shaft, the propeller turns as fast as it says. It is for the eye: the force is
/// what is commanded.
void set_spin(const model::Thruster& thruster, const model::Environment& environment, Propeller& propeller) {
  propeller.diameter = nominal_diameter;
  double T_ww =
      std::max(std::max(propeller.force.max, -propeller.force.min), 1e-3) / (nominal_speed * nominal_speed);
  if (const auto* law = thruster.map ? std::get_if<model::Propeller>(&thruster.map->law) : nullptr) {
    if (const auto* open = std::get_if<model::OpenWater>(&law->thrust)) propeller.diameter = open->diameter;
    T_ww = model::thrust_coefficients(*law, environment.density()).ww;
  }
  const double D2 = propeller.diameter * propeller.diameter;
  propeller.thrust_coefficient = T_ww / (environment.density() * D2 * D2);
}

Propeller propeller_of(const model::Thruster& thruster, const model::Environment& environment) {
  Propeller propeller;
  propeller.position_flu = swap_frd_flu(thruster.position_b.value);
  propeller.axis_flu = swap_frd_flu(thruster.axis_b());
  propeller.has_range = thruster.force || thruster.map;
  if (thruster.force)
    propeller.force = thruster.force->value;
  else if (thruster.map)
    propeller.force = model::attained_force(*thruster.map, thruster.transient, environment.density());
  set_spin(thruster, environment, propeller);
  return propeller;
}

void name_all(const std::vector<model::Thruster>& thrusters, std::vector<Propeller>& propellers) {
  std::set<std::string> taken;
  for (std::size_t k = 0; k < propellers.size(); ++k) {
    std::string name = plain_name(thrusters[k].name);
    while (!taken.insert(name).second) name += fmt::format("_{}", k + 1);
    propellers[k].link = name + "_propeller";
    propellers[k].joint = name;
  }
}

std::vector<DryBody> bodies_of(const std::vector<Propeller>& propellers) {
  std::vector<DryBody> bodies;
  for (const Propeller& propeller : propellers) bodies.push_back(propeller.body);
  return bodies;
}

}  // namespace

HullAndPropellers hull_and_propellers(const model::Robot& robot, const model::Environment& environment) {
  const model::Hull& hull = robot.hull();
  const DryBody whole = {hull.mass.value, swap_frd_flu(hull.centre_of_mass.value),
                         swap_frd_flu(hull.inertia.value)};
  HullAndPropellers parts;
  for (const model::Thruster& thruster : robot.thrusters())
    parts.propellers.push_back(propeller_of(thruster, environment));
  name_all(robot.thrusters(), parts.propellers);
  const double count = static_cast<double>(std::max<std::size_t>(parts.propellers.size(), 1));
  // A thousandth of the mass at first; less where the levers are so long that no hull would be left.
  for (double share = 1e-3; share > 1e-12; share /= 10) {
    for (Propeller& propeller : parts.propellers) {
      const double mass = share * whole.mass / count, radius = propeller.diameter / 2;
      // As a ball: it may turn without a change of the whole.
      propeller.body = {mass, propeller.position_flu, 0.4 * mass * radius * radius * Mat3::Identity()};
    }
    parts.hull = without(whole, bodies_of(parts.propellers));
    if (is_physical(parts.hull)) break;
  }
  return parts;
}

}  // namespace fathom::exchange::internal
