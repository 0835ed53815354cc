#pragma once
#include <filesystem>
#include <string>

#include "fathom/model/vehicle_with_arms.hpp"
#include "fathom/model_file/catalogue.hpp"

namespace fathom::model {

/// The robot file names arms, which read_robot does not take. False where it cannot be read.
bool names_arms(const std::filesystem::path& path);

/// Reads a robot file with `vehicle` and `arms` (docs/robot-file.md). Throws InputError that lists everything
/// wrong, with lines.
VehicleWithArms read_vehicle_with_arms(const std::filesystem::path& path, const Folders& folders);
VehicleWithArms parse_vehicle_with_arms(const std::string& text, const std::string& file,
                                        const Folders& folders);

}  // namespace fathom::model
