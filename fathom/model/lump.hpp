#pragma once
#include <vector>

#include "fathom/geometry/pose.hpp"

namespace fathom::model {

/// A dry body in some frame.
struct Lump {
  double mass = 0;
  Vec3 centre = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();  ///< about the centre, axes of the frame
};

/// The same body seen in frame p, if `pose` is that of its frame in p.
Lump seen_in(const Pose& pose, const Lump& lump);

/// All of them as one: centres by mass, inertias by the parallel axes. One alone is itself, bit for bit.
Lump joined(const std::vector<Lump>& lumps);

}  // namespace fathom::model
