#pragma once
#include <cmath>
#include <cstddef>

#include "fathom/geometry/frames.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::exchange::internal {

// Vectors, twists and matrices: swap_frd_flu of geometry/frames.hpp. Here is what geometry does not know. Each
// map is its own inverse, and exact: signs alone change.

/// |nu_j| is the same in both frames, so each Q_j turns like any 6x6 matrix.
inline model::QuadraticDrag swap_frd_flu(const model::QuadraticDrag& drag) {
  model::QuadraticDrag swapped;
  for (std::size_t j = 0; j < 6; ++j) swapped.by_speed[j] = fathom::swap_frd_flu(drag.by_speed[j]);
  return swapped;
}

using fathom::swap_frd_flu;

/// Pitch and yaw that turn the x axis into `axis`, and no roll. The same in axes FRD and FLU, each for its own.
inline Vec3 rpy_along(const Vec3& axis) {
  return {0, -std::atan2(axis.z(), std::hypot(axis.x(), axis.y())), std::atan2(axis.y(), axis.x())};
}

}  // namespace fathom::exchange::internal
