#pragma once
#include "fathom/fields/codec.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::model {

/// A robot file: the robot, and what its thrusters share by name.
struct RobotFile {
  RobotSpec spec;
  fields::Named<ThrusterMap> thruster_maps;
  fields::Named<Transient> thruster_transients;
};

/// Gives each thruster the map or transient that it names; reports names that are missing or not used.
void find_shared(yaml::Reading& reading, const fields::Named<ThrusterMap>& maps,
                 const fields::Named<Transient>& transients, std::vector<Thruster>& thrusters);

}  // namespace fathom::model

namespace fathom::fields {

template <>
const Keys& Table<model::RobotFile>::fields();
template <>
const Keys& Table<model::CommandPath>::fields();
/// Maps and transients that thrusters share by name.
template <auto maps, auto transients>
Keys shared_keys() {
  constexpr std::string_view hint = "a short word, such as t200_16v";
  return {
      field<maps>("thruster_maps").hint(hint).doc("Maps from command to force that thrusters share, by name."),
      field<transients>("thruster_transients").hint(hint).doc("Transients that thrusters share, by name.")};
}

}  // namespace fathom::fields
