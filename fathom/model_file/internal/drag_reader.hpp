#pragma once
#include "fathom/fields/yaml.hpp"
#include "fathom/model/robot.hpp"

// What the water does to a body, as the files of robots and of arms have it.
namespace fathom::model::internal {

/// The key added_mass, or sname_added_mass with the signs of SNAME's derivatives; not both.
void take_added_mass(yaml::Map& map, const yaml::Field& field, bool required, Value<Mat6>& out);

/// One of the elements of a list of damping, without judging it.
DragElement read_drag(const yaml::Field& field);

}  // namespace fathom::model::internal
