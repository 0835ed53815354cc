#pragma once
#include <string>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/base/yaml.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::model::internal {

/// The key `steering`, without judging it: check_steering does that.
Steering read_steering(const yaml::Field& field);

/// Sticks need thrusters that take commands from -1 to 1, a dead band such as take newton.
Findings check_steering(const Steering& steering, const std::vector<Thruster>& thrusters);

}  // namespace fathom::model::internal
