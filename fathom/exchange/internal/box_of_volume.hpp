#pragma once
#include <cmath>

#include "fathom/model/robot.hpp"

namespace fathom::exchange::internal {

/// A box of exactly the volume that the hull displaces, with its sides in proportion where they are known.
inline Vec3 box_of_volume(const model::Hull& hull) {
  if (!hull.size) return Vec3::Constant(std::cbrt(hull.volume.value));
  const Vec3 size = hull.size->value;
  Vec3 box = size * std::cbrt(hull.volume.value / size.prod());
  box.z() = hull.volume.value / (box.x() * box.y());  // what rounding left
  return box;
}

}  // namespace fathom::exchange::internal
