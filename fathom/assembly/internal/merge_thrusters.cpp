// Thrusters of all parts as those of one robot: maps and transients by name, command_path where it differs.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "fathom/assembly/internal/merge_parts.hpp"

namespace fathom::assembly::internal {
namespace {

using model::CommandPath;
using model::CommandUnit;
using model::Robot;
using model::ThrustCoefficients;
using model::Thruster;

/// Maps or transients that have a name. What is equal stays shared; another one of the same name gets the
/// robot's in front.
template <class T>
class Shared {
 public:
  std::string take(const std::string& name, const T& value, const std::string& robot) {
    if (name.empty() || has(name, value)) return name;
    std::string other = robot + '-' + name;
    for (int k = 2; !has(other, value); ++k) other = fmt::format("{}-{}-{}", robot, name, k);
    return other;
  }

 private:
  /// Or is free, and then is taken.
  bool has(const std::string& name, const T& value) {
    return by_name_.emplace(name, value).first->second == value;
  }
  std::map<std::string, T> by_name_;
};

ThrustCoefficients times(const ThrustCoefficients& T, double gain) { return {gain * T.ww, gain * T.wu}; }

void scale_law(model::PolynomialPair& law, double gain) {
  for (double& c : law.forward) c *= gain;
  for (double& c : law.reverse) c *= gain;
}
void scale_law(model::LinearQuadratic& law, double gain) {
  law.forward = {gain * law.forward.linear, gain * law.forward.quadratic};
  if (law.reverse) law.reverse = {{gain * law.reverse->linear, gain * law.reverse->quadratic}};
}
void scale_law(model::Propeller& law, double gain) {
  if (auto* T = std::get_if<ThrustCoefficients>(&law.thrust)) {
    *T = times(*T, gain);
  } else {
    auto& open = std::get<model::OpenWater>(law.thrust);
    open.alpha0 *= gain;
    open.alpha1 *= gain;
  }
  if (law.reverse) law.reverse = times(*law.reverse, gain);
}
void scale_law(model::ForceTable& law, double gain) {
  for (std::vector<double>& forces : law.forces)
    for (double& force : forces) force *= gain;
}

model::ForceRange times(const model::ForceRange& range, double gain) {
  return {gain * range.min, gain * range.max};
}

/// The gain of its robot's command_path as part of the thruster's map: every law is linear in its force, and so
/// are the transients. The current goes by the force that the map said.
void put_gain_into_map(Thruster& thruster, double gain) {
  std::visit([&](auto& law) { scale_law(law, gain); }, thruster.map->law);
  if (auto& current = thruster.map->current)
    *current = {(*current)[0], (*current)[1] / gain, (*current)[2] / (gain * gain)};
  thruster.map->source +=
      fmt::format("{}times command_path.gain, {}", thruster.map->source.empty() ? "" : "; ", gain);
  if (!thruster.force) return;
  thruster.force->value = times(thruster.force->value, gain);
  if (thruster.force->sigma) thruster.force->sigma = times(*thruster.force->sigma, gain);
}

/// Of a thruster that takes newton, as a map in newton. False where it has no limits, which a map needs, or
/// none beyond the dead band.
bool make_map(Thruster& thruster, double gain, double dead_band, double saturation) {
  const double most = dead_band + saturation;
  if (!thruster.force && !std::isfinite(most)) return false;
  if (!thruster.force) thruster.force.emplace().value = {-most, most};
  const model::ForceRange range = {std::max(thruster.force->value.min, -most),
                                   std::min(thruster.force->value.max, most)};
  model::LinearQuadratic law;
  law.forward.linear = gain;
  if (dead_band > 0) law.dead_band = model::DeadBand{-dead_band, dead_band};
  model::ThrusterMap map{
      {CommandUnit::newton, range.min, range.max, 0},
      law,
      std::nullopt,
      fmt::format("command_path of its robot: dead_band {} N, gain {}{}", dead_band, gain,
                  std::isfinite(saturation) ? fmt::format(", saturation {} N", saturation) : ""),
      false};
  if (!model::check_thruster_map(map, thruster.transient, "map").empty()) return false;
  thruster.map = std::move(map);
  thruster.map_name = "newton";
  thruster.force->value = {gain * model::beyond_dead_band(range.min, dead_band),
                           gain * model::beyond_dead_band(range.max, dead_band)};
  if (thruster.force->sigma) thruster.force->sigma = times(*thruster.force->sigma, gain);
  return true;
}

bool is_same(const std::optional<model::Value<double>>& a, const std::optional<model::Value<double>>& b) {
  return a.has_value() == b.has_value() && (!a || (a->value == b->value && a->sigma == b->sigma));
}
bool is_same(const std::optional<CommandPath>& a, const std::optional<CommandPath>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->by == b->by && is_same(a->dead_band, b->dead_band) && is_same(a->gain, b->gain) &&
         is_same(a->saturation, b->saturation);
}

/// How commands reach the thrusters of all parts, as far as one robot file can say it.
struct CommonCommandPath {
  bool is_common = true;  // else each thruster has its own in its map
  std::optional<CommandPath> command_path;
};

CommonCommandPath common_command_path(std::span<const MergePart> parts, std::vector<std::string>& losses) {
  CommonCommandPath result;
  const Robot* first = nullptr;
  bool same_by = true, loses_sigma = false;
  for (const MergePart& part : parts) {
    const Robot& robot = *part.robot;
    if (robot.thrusters().empty()) continue;
    if (!first) first = &robot;
    result.is_common = result.is_common && is_same(first->command_path(), robot.command_path());
    same_by = same_by && first->command_path() && robot.command_path() &&
              first->command_path()->by == robot.command_path()->by;
    if (robot.command_path())
      loses_sigma = loses_sigma || !CommandPath::is_held(robot.command_path()->dead_band) ||
                    !CommandPath::is_held(robot.command_path()->gain) ||
                    !CommandPath::is_held(robot.command_path()->saturation);
  }
  if (!first) return result;
  if (result.is_common) {
    result.command_path = first->command_path();
    return result;
  }
  if (same_by)
    result.command_path = CommandPath{first->command_path()->by};
  else
    losses.push_back("command_path.by: not the same in all modules");
  if (loses_sigma)
    losses.push_back("command_path: sigmas of dead bands and gains, which now are in the thrusters' maps");
  return result;
}

}  // namespace

void merge_thrusters(std::span<const MergePart> parts, model::RobotSpec& spec,
                     std::vector<std::string>& losses) {
  const CommonCommandPath common = common_command_path(parts, losses);
  spec.command_path = common.command_path;
  Names names;
  Shared<model::ThrusterMap> maps;
  Shared<model::Transient> transients;
  for (const MergePart& part : parts) {
    const Robot& robot = *part.robot;
    for (Thruster thruster : robot.thrusters()) {
      thruster.name = names.take(part.name, thruster.name);
      move_position(part.pose, thruster.position_b);
      turn_direction(part.pose, thruster.direction_b);
      const double gain = robot.thrust_gain(), dead_band = robot.dead_band(), saturation = robot.saturation();
      if (!common.is_common && thruster.map && gain != 1) put_gain_into_map(thruster, gain);
      if (!common.is_common && !thruster.map && (gain != 1 || dead_band > 0 || std::isfinite(saturation)) &&
          !make_map(thruster, gain, dead_band, saturation))
        losses.push_back(fmt::format(
            "command_path of {}: gain and dead band of thruster {}, whose map would need a force range "
            "wider than the dead band",
            part.name, thruster.name));
      if (thruster.map) thruster.map_name = maps.take(thruster.map_name, *thruster.map, robot.name());
      if (thruster.transient)
        thruster.transient_name = transients.take(thruster.transient_name, *thruster.transient, robot.name());
      spec.thrusters.push_back(std::move(thruster));
    }
  }
}

}  // namespace fathom::assembly::internal
