#pragma once
#include <optional>
#include <span>

#include "fathom/geometry/pose.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::assembly::internal {

struct PlacedHull {
  const model::Hull* hull = nullptr;
  Pose pose = {};  ///< in the merged robot's frame
};

/// A box along the merged robot's axes.
struct Extent {
  Vec3 min, max;
};

/// The numbers of several hulls as those of one, docs/assemblies.md eq. 10.
struct HullNumbers {
  double mass = 0;
  Mat3 inertia = Mat3::Zero();  ///< about the common centre of mass
  Vec3 centre_of_mass = Vec3::Zero();
  double volume = 0;
  Vec3 centre_of_buoyancy = Vec3::Zero();
  Mat6 added_mass = Mat6::Zero();
  std::optional<Extent> box;  ///< round the boxes of all hulls; none if one has none
};
HullNumbers numbers_of(std::span<const PlacedHull> hulls);

}  // namespace fathom::assembly::internal
