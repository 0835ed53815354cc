#pragma once
#include "fathom/fields/yaml.hpp"
#include "fathom/model/hull_shape.hpp"

namespace fathom::model::internal {

/// `{box: [l, w, h]}`, `{ellipsoid: [l, w, h]}` or `{cylinder: {length, diameter}}`; what is wrong with it is
/// told at `field`.
Shape read_shape(const yaml::Field& field);

/// One of these keys among others; the caller finishes the map.
Shape take_shape(const yaml::Field& field, yaml::Map& map);

}  // namespace fathom::model::internal
