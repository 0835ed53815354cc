#pragma once
#include <string>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::model::internal {

/// Sticks need thrusters that take commands from -1 to 1, a dead band such as take newton.
Findings check_command_path(const CommandPath& command_path, const std::vector<Thruster>& thrusters);

}  // namespace fathom::model::internal
