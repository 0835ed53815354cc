#pragma once
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::model::internal {

/// What only a robot file can have and is odd enough to ask about: a force range that the thruster's map does
/// not attain, or none at all, values that were changed after they were identified, values without a source.
/// What is odd about the physics of any model, fathom/exchange/lint.hpp says. Keys are those of the robot file.
Findings lint_robot(const Robot& robot, const Environment& environment);

}  // namespace fathom::model::internal
