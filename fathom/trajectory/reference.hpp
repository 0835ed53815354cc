#pragma once
#include "fathom/geometry/types.hpp"

namespace fathom::trajectory {

/// Where a vehicle should be at one instant, and how it should move there.
struct Reference {
  Quat q_nb = Quat::Identity();
  Vec3 p_nb_n = Vec3::Zero();
  Vec6 nu_b = Vec6::Zero();  ///< in the axes of the reference attitude
  Vec6 nu_dot_b = Vec6::Zero();
};

}  // namespace fathom::trajectory
