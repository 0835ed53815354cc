#pragma once
#include <cmath>

#include "fathom/geometry/types.hpp"

namespace fathom::exchange::internal {

/// Pitch and yaw that turn the x axis into `axis`, and no roll. The same in axes FRD and FLU, each for its own.
inline Vec3 rpy_along(const Vec3& axis) {
  return {0, -std::atan2(axis.z(), std::hypot(axis.x(), axis.y())), std::atan2(axis.y(), axis.x())};
}

}  // namespace fathom::exchange::internal
