#pragma once
#include "fathom/model/geometric_prior.hpp"

namespace fathom::model {

/// Coefficients of nu|nu| about the shape's middle, in its own axes, with their sigmas.
struct ShapeDrag {
  Vec6 value = Vec6::Zero(), sigma = Vec6::Zero();
};

/// Drag across each axis by Nielsen 2019, eq. 4.2, and about it by strips; docs/prior.md eqs. 11 and 12.
ShapeDrag quadratic_drag_of(const Shape& shape, HullKind kind, double density);

}  // namespace fathom::model
