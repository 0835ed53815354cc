#pragma once
#include "fathom/geometry/rotation.hpp"
#include "fathom/geometry/types.hpp"

namespace fathom {

/// The pose of frame c in frame p: x_p = R_pc x_c + p_pc_p.
struct Pose {
  Quat q_pc = Quat::Identity();
  Vec3 p_pc_p = Vec3::Zero();

  Pose inverse() const;
  Pose operator*(const Pose& other) const;  ///< (a in b) * (c in a) = c in b
  Vec3 operator*(const Vec3& point_c) const { return q_pc * point_c + p_pc_p; }
};

/// H with nu_c = H nu_p: the twist of one rigid body seen at and in frame c, from that at and in frame p.
/// A wrench goes the other way by the transpose, tau_p = H' tau_c, so that power is the same in both frames,
/// and an inertia or damping matrix likewise, M_p = H' M_c H. docs/model.md eq. 3.
Mat6 twist_transform(const Pose& pose);

}  // namespace fathom
