#pragma once
#include "fathom/fields/yaml.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::model::internal {

/// Of a robot file, without judging it: Robot::make does that.
Sensor read_sensor(const yaml::Field& field);

}  // namespace fathom::model::internal
