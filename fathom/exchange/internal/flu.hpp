#pragma once
#include <cstddef>

#include "fathom/geometry/frames.hpp"
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

}  // namespace fathom::exchange::internal
