#pragma once
#include "fathom/fields/yaml.hpp"
#include "fathom/model/hull_shape.hpp"

namespace fathom::model::internal {

/// One of the keys box, ellipsoid, cylinder among others; the caller finishes the map.
Shape take_shape(const yaml::Field& field, yaml::Map& map);

}  // namespace fathom::model::internal
