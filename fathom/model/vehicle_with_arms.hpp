#pragma once
#include <string>
#include <vector>

#include "fathom/model/arm.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::model {

/// An arm where it sits on a vehicle.
struct MountedArm {
  std::string name;
  Arm arm;
  Value<Vec3> position_b = {};       ///< m, of the frame of the arm's base
  Value<Vec3> attitude_rpy = {};     ///< rad
  std::vector<double> posture = {};  ///< rad, m: in which it is held where the whole is taken as one body
  std::string file = {};             ///< that it was read from; empty where it stands in the vehicle's

  Pose pose() const { return {quaternion_from_euler(attitude_rpy.value), position_b.value}; }
};

/// A vehicle and the arms on it, checked: names that differ, postures within the joints' limits.
struct VehicleWithArms {
  std::string name, title, notes;
  Robot vehicle;
  std::string vehicle_file = {};
  std::vector<MountedArm> arms;
};

}  // namespace fathom::model
