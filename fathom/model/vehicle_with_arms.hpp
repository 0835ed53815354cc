#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "fathom/model/arm.hpp"
#include "fathom/model/catalogue.hpp"
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

/// The robot file names arms, which read_robot does not take. False where it cannot be read.
bool names_arms(const std::filesystem::path& path);

/// Reads a robot file with `vehicle` and `arms` (docs/robot-file.md). Throws InputError that lists everything
/// wrong, with lines.
VehicleWithArms read_vehicle_with_arms(const std::filesystem::path& path, const Folders& folders);
VehicleWithArms parse_vehicle_with_arms(const std::string& text, const std::string& file,
                                        const Folders& folders);

}  // namespace fathom::model
