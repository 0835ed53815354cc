#include <array>

#include <fmt/format.h>

#include "fathom/exchange/internal/losses.hpp"

namespace fathom::exchange::internal {

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
