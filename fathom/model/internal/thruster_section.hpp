#pragma once
#include <vector>

#include "fathom/fields/yaml.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::model::internal {

/// The keys thruster_maps, thruster_transients and thrusters, without judging them: Robot::make does that.
std::vector<Thruster> read_thrusters(yaml::Map& root);

}  // namespace fathom::model::internal
