#pragma once
#include "fathom/fields/yaml.hpp"
#include "fathom/model/arm.hpp"

namespace fathom::model::internal {

/// Kind, pose, axis, limits, friction and actuator of a joint; name, parent and link are the arm's.
void take_joint(const yaml::Field& field, yaml::Map& map, Joint& joint);

}  // namespace fathom::model::internal
