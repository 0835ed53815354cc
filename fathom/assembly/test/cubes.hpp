#pragma once
#include <numbers>
#include <string>
#include <vector>

#include "fathom/assembly/assembly.hpp"

namespace fathom::assembly::test {

/// A cube of 0.4 m that is the same in all directions, 10 kg with 2 kg of added mass unless told otherwise; its
/// centres of mass and buoyancy are its origin. So what two of them do can be told by hand.
struct Cube {
  double mass = 10, volume = 0.01;  // kg, m^3
  Vec3 centre_of_buoyancy = Vec3::Zero();
  bool has_thrusters = false;
};
inline constexpr double cube_side = 0.4, cube_added_mass = 2;

/// Six thrusters of -40 to 50 N that push every axis: two ahead at y = -0.1 and 0.1 m, one sideways, three
/// down.
inline std::vector<model::Thruster> cube_thrusters() {
  std::vector<model::Thruster> thrusters;
  const auto add = [&](const char* name, const Vec3& position, const Vec3& direction) {
    model::Thruster thruster{.name = name, .position_b = {}, .direction_b = {}, .force = {}};
    thruster.position_b.value = position;
    thruster.direction_b.value = direction;
    thruster.force.emplace().value = {-40, 50};
    thrusters.push_back(thruster);
  };
  add("port", {0, -0.1, 0}, Vec3::UnitX());
  add("starboard", {0, 0.1, 0}, Vec3::UnitX());
  add("side", Vec3::Zero(), Vec3::UnitY());
  add("bow", {0.1, 0, 0}, Vec3::UnitZ());
  add("left", {-0.1, -0.1, 0}, Vec3::UnitZ());
  add("right", {-0.1, 0.1, 0}, Vec3::UnitZ());
  return thrusters;
}

/// On the six faces, x out of each; z is down on the four upright ones.
inline std::vector<model::Connector> cube_connectors() {
  constexpr double half = cube_side / 2, right_angle = std::numbers::pi / 2;
  std::vector<model::Connector> connectors;
  const auto add = [&](const char* name, const Vec3& position, const Vec3& rpy) {
    model::Connector connector{.name = name, .position_b = {}, .attitude_rpy = {}};
    connector.position_b.value = position;
    connector.attitude_rpy.value = rpy;
    connectors.push_back(connector);
  };
  add("bow", {half, 0, 0}, {0, 0, 0});
  add("stern", {-half, 0, 0}, {0, 0, 2 * right_angle});
  add("starboard", {0, half, 0}, {0, 0, right_angle});
  add("port", {0, -half, 0}, {0, 0, -right_angle});
  add("top", {0, 0, -half}, {0, right_angle, 0});
  add("bottom", {0, 0, half}, {0, -right_angle, 0});
  return connectors;
}

inline model::Robot cube_robot(const Cube& cube = {}) {
  model::RobotSpec spec;
  spec.name = "cube";
  model::Hull& hull = spec.hull;
  hull.mass.value = cube.mass;
  hull.inertia.value = 0.3 * Mat3::Identity();
  hull.volume.value = cube.volume;
  hull.centre_of_buoyancy.value = cube.centre_of_buoyancy;
  hull.added_mass.value.diagonal() << Vec3::Constant(cube_added_mass), Vec3::Constant(0.1);
  hull.size.emplace().value = Vec3::Constant(cube_side);
  model::DragElement drag{.name = "hull", .position_b = {}, .attitude_rpy = {}, .linear = {}, .quadratic = {}};
  drag.linear.value.diagonal() << 5, 5, 5, 1, 1, 1;
  spec.damping.push_back(drag);
  if (cube.has_thrusters) spec.thrusters = cube_thrusters();
  spec.connectors = cube_connectors();
  return model::Robot::make(std::move(spec));
}

inline Module cube_module(std::string name, const Cube& cube = {}) {
  return {
      .name = std::move(name), .robot = cube_robot(cube), .robot_file = "", .connectors = cube_connectors()};
}

/// "bow" of module 0 and so on; throws where there is no such connector.
inline End end_of(const AssemblySpec& spec, std::size_t module, const std::string& connector) {
  const auto& all = spec.modules.at(module).connectors;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].name == connector) return {module, k};
  throw std::logic_error("no connector " + connector);
}

inline void couple(AssemblySpec& spec, std::string name, std::size_t a, const std::string& connector_a,
                   std::size_t b, const std::string& connector_b) {
  spec.couplings.push_back({std::move(name), {end_of(spec, a, connector_a), end_of(spec, b, connector_b)}, 0});
}

/// Two cubes; `face` of the first meets `other` of the second.
inline AssemblySpec cube_pair(const Cube& a, const Cube& b, const std::string& face, const std::string& other) {
  AssemblySpec spec;
  spec.name = "pair";
  spec.modules = {cube_module("A", a), cube_module("B", b)};
  couple(spec, "dock", 0, face, 1, other);
  return spec;
}

/// Four cubes in a square, each coupled to the next, so in a closed loop.
inline AssemblySpec cube_ring(const Cube& cube = {}) {
  AssemblySpec spec;
  spec.name = "ring";
  for (const char* name : {"A", "B", "C", "D"}) spec.modules.push_back(cube_module(name, cube));
  couple(spec, "AB", 0, "bow", 1, "stern");
  couple(spec, "BC", 1, "starboard", 2, "port");
  couple(spec, "CD", 2, "stern", 3, "bow");
  couple(spec, "DA", 3, "port", 0, "starboard");
  return spec;
}

}  // namespace fathom::assembly::test
