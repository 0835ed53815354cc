#pragma once
#include "fathom/geometry/types.hpp"

namespace fathom::model::internal {

/// Added mass of an ellipsoid of these semi-axes [m] about its middle: kg and kg m^2. Lamb 1932, arts. 114 and
/// 115; docs/prior.md eqs. 4 and 5.
Vec6 ellipsoid_added_mass(const Vec3& semi_axes, double density);

}  // namespace fathom::model::internal
