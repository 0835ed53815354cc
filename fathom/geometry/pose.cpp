#include "fathom/geometry/pose.hpp"

#include "fathom/geometry/twist_map.hpp"

namespace fathom {

Pose Pose::inverse() const {
  const Quat q_cp = q_pc.conjugate();
  return {q_cp, -(q_cp * p_pc_p)};
}

Pose Pose::operator*(const Pose& other) const {
  return {(q_pc * other.q_pc).normalized(), q_pc * other.p_pc_p + p_pc_p};
}

Mat6 TwistMap::matrix() const {
  Mat6 H = Mat6::Zero();
  H.topLeftCorner<3, 3>() = R_pc_.transpose();
  H.topRightCorner<3, 3>() = -R_pc_.transpose() * skew(p_pc_p_);  // v_c = R_cp (v_p + omega_p x p_pc_p)
  H.bottomRightCorner<3, 3>() = R_pc_.transpose();
  return H;
}

Mat6 twist_transform(const Pose& pose) { return TwistMap(pose).matrix(); }

}  // namespace fathom
