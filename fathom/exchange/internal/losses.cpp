#include "fathom/exchange/internal/losses.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace fathom::exchange::internal {

namespace {

/// Counts the values that have a sigma.
class Sigmas {
 public:
  template <class T>
  void see(const model::Value<T>& value) {
    count_ += value.sigma.has_value();
  }
  template <class T>
  void see(const std::optional<model::Value<T>>& value) {
    if (value) see(*value);
  }
  int count() const { return count_; }

 private:
  int count_ = 0;
};

int values_with_sigma(const model::Robot& robot) {
  Sigmas sigmas;
  const model::Hull& hull = robot.hull();
  sigmas.see(hull.mass);
  sigmas.see(hull.inertia);
  sigmas.see(hull.centre_of_mass);
  sigmas.see(hull.volume);
  sigmas.see(hull.centre_of_buoyancy);
  sigmas.see(hull.added_mass);
  sigmas.see(hull.size);
  for (const model::DragElement& element : robot.damping()) {
    sigmas.see(element.position_b);
    sigmas.see(element.attitude_rpy);
    sigmas.see(element.linear);
    sigmas.see(element.quadratic);
  }
  for (const model::Thruster& thruster : robot.thrusters()) {
    sigmas.see(thruster.position_b);
    sigmas.see(thruster.direction_b);
    sigmas.see(thruster.force);
  }
  return sigmas.count();
}

std::string inflow_of(const model::ThrusterMap& map) {
  const auto* propeller = std::get_if<model::Propeller>(&map.law);
  if (!propeller) return "";
  if (const auto* T = std::get_if<model::ThrustCoefficients>(&propeller->thrust)) {
    const double reverse = propeller->reverse ? propeller->reverse->wu : T->wu;
    if (T->wu == 0 && reverse == 0) return "";
    return fmt::format(", and thrust no longer falls with inflow (T_wu {:.4g}, in reverse {:.4g})", T->wu,
                       reverse);
  }
  return fmt::format(", and thrust no longer falls with inflow (alpha1 {:.4g})",
                     std::get<model::OpenWater>(propeller->thrust).alpha1);
}

}  // namespace

void add_common_losses(const model::Robot& robot, std::vector<Loss>& losses) {
  if (const int count = values_with_sigma(robot); count > 0)
    losses.push_back({"sigma", fmt::format("standard deviations of {} values", count), "keep the robot file"});
  if (robot.identified())
    losses.push_back(
        {"identified",
         fmt::format("the covariance of {} identified parameters", robot.identified()->parameters.size()),
         "keep the robot file"});
  if (robot.command_path())
    losses.push_back(
        {"command_path",
         fmt::format(
             "how a {} reaches the thrusters: a dead band of {:g} N, {}forces times {:g}",
             robot.command_path()->by == model::CommandPath::By::wrench ? "wrench" : "pilot's stick",
             robot.dead_band(),
             std::isfinite(robot.saturation()) ? fmt::format("at most {:g} N, ", robot.saturation()) : "",
             robot.thrust_gain()),
         "apply it before the command is sent"});
  for (std::size_t k = 0; k < robot.sensors().size(); ++k)
    losses.push_back({fmt::format("sensors[{}]", k),
                      fmt::format("sensor '{}' ({}) with its errors", robot.sensors()[k].name,
                                  model::name_of(robot.sensors()[k].kind)),
                      "add a sensor of the simulator's own"});
  if (const std::size_t count = robot.connectors().size(); count > 0)
    losses.push_back({"connectors", fmt::format("where other robots can be coupled: {} connectors", count),
                      "add joints of the simulator's own"});
}

void add_thruster_losses(const model::Robot& robot, std::vector<Loss>& losses) {
  for (std::size_t k = 0; k < robot.thrusters().size(); ++k) {
    const model::Thruster& thruster = robot.thrusters()[k];
    if (thruster.map)
      losses.push_back(
          {fmt::format("thrusters[{}].map", k),
           fmt::format("from {} to newton: '{}' is commanded in newton{}",
                       model::name_of(thruster.map->command.unit), thruster.name, inflow_of(*thruster.map)),
           "apply the map before the command is sent"});
    if (thruster.transient)
      losses.push_back({fmt::format("thrusters[{}].transient", k),
                        fmt::format("the force of '{}' follows at once", thruster.name),
                        "delay the command before it is sent"});
  }
}

std::string_view law_name(const model::ThrusterMap& map) {
  constexpr std::array<std::string_view, std::variant_size_v<decltype(model::ThrusterMap::law)>> names = {
      "polynomial_pair", "linear_quadratic", "propeller", "table"};
  return names[map.law.index()];
}

std::string_view law_name(const model::Transient& transient) {
  constexpr std::array<std::string_view, std::variant_size_v<decltype(model::Transient::law)>> names = {
      "first_order", "dc_motor", "motor_rates"};
  return names[transient.law.index()];
}

void lose_how_thrusters_act(const model::Robot& robot, std::string_view format, std::vector<Loss>& losses) {
  for (std::size_t k = 0; k < robot.thrusters().size(); ++k) {
    const model::Thruster& thruster = robot.thrusters()[k];
    const auto lose = [&](const char* key, const std::string& what) {
      losses.push_back({fmt::format("thrusters[{}].{}", k, key),
                        what + fmt::format("; {} has no place for it", format), "apply it before the call"});
    };
    if (thruster.force)
      lose("force", fmt::format("limits [{}, {}] N of '{}'", thruster.force->value.min,
                                thruster.force->value.max, thruster.name));
    if (thruster.map)
      lose("map", fmt::format("'{}': command ({}) to force by {}", thruster.name,
                              model::name_of(thruster.map->command.unit), law_name(*thruster.map)));
    if (thruster.transient)
      lose("transient", fmt::format("'{}': {}{}", thruster.name, law_name(*thruster.transient),
                                    thruster.transient->flow ? " and axial_flow" : ""));
  }
}

}  // namespace fathom::exchange::internal
