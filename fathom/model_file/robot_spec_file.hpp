#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "fathom/base/error.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::model {

/// A robot file as it stands, for those who judge it: what keeps it from loading does not hide the rest.
/// Findings: what keeps it from loading, or, if it loads, sources, forces and estimates; its physics:
/// exchange/lint.hpp.
struct RobotSpecFile {
  std::optional<RobotSpec> spec;     ///< none where the file cannot be read
  std::map<std::string, int> lines;  ///< of every key
  bool loads = false;
  Findings findings;
};
/// Does not throw for what the file holds.
RobotSpecFile read_robot_spec(const std::filesystem::path& path, const Environment& environment);

}  // namespace fathom::model
