#pragma once
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::model::internal {

/// What is allowed by nature but odd enough to ask about, in a robot that passes its checks: net buoyancy, a
/// centre of buoyancy below the centre of mass, thrusters that leave a direction without force, a density or an
/// added mass that looks like a slip of units, values that were changed after they were identified, values
/// without a source. Keys are those of the robot file.
Findings lint_robot(const Robot& robot, const Environment& environment);

}  // namespace fathom::model::internal
