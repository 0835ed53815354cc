#pragma once
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::model::internal {

/// Everything that keeps `spec` from being a robot that nature allows: values that are not finite, mass, volume
/// or inertia that no body has, added mass or damping that gives energy away, symmetry that the numbers break,
/// names that are empty or used twice, an estimate that cannot be one. Keys are the paths of the robot file.
Findings check_robot(const RobotSpec& spec);

}  // namespace fathom::model::internal
