#pragma once
#include <string>
#include <vector>

#include "fathom/model/vehicle_with_arms.hpp"

namespace fathom::assembly {

/// A vehicle with its arms held as one robot.
struct HeldArms {
  model::Robot robot;
  std::vector<std::string> losses;  ///< what of the vehicle and the arms a robot file cannot say
};

/// Every arm stands still in its posture: mass, inertia, added mass, buoyancy and drag of its links join the
/// hull's, as those of docked robots do (docs/assemblies.md eq. 10). Origin, axes, thrusters, sensors and
/// connectors are the vehicle's.
HeldArms hold_arms(const model::VehicleWithArms& robot);

}  // namespace fathom::assembly
