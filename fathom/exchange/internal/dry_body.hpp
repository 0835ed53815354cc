#pragma once
#include <vector>

#include "fathom/geometry/types.hpp"

namespace fathom::exchange::internal {

/// A rigid body without water, in any axes.
struct DryBody {
  double mass = 0;
  Vec3 centre_of_mass = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();  ///< about the centre of mass
};

/// The one body that all parts make.
DryBody together(const std::vector<DryBody>& parts);
/// What is left of a body when parts are taken out: together() with them gives it back.
DryBody without(const DryBody& body, const std::vector<DryBody>& parts);
/// Can masses be spread so that they have this inertia: positive, and no principal moment above the sum of the
/// other two?
bool is_physical(const DryBody& body);

}  // namespace fathom::exchange::internal
