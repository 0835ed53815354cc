#pragma once
#include <filesystem>
#include <string>

#include "fathom/model/robot.hpp"

namespace fathom::model {

/// Reads and checks a robot file (docs/robot-file.md). Throws InputError that lists everything wrong, with
/// lines.
Robot read_robot(const std::filesystem::path& path);

/// The same from text; `file` is the name that messages carry.
Robot parse_robot(const std::string& text, const std::string& file);

/// The robot as a robot file: sources and sigmas are kept, and reading it gives the same numbers, bit for bit.
std::string robot_to_yaml(const Robot& robot);

/// `thruster_maps` of a robot file with this one map, to paste: thrusters then say `map: <name>`.
std::string thruster_map_to_yaml(const std::string& name, const ThrusterMap& map);
/// The same of `thruster_transients`.
std::string thruster_transient_to_yaml(const std::string& name, const Transient& transient);

/// Writes atomically.
void write_robot(const Robot& robot, const std::filesystem::path& path);

}  // namespace fathom::model
