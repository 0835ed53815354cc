#include "fathom/geometry/pose.hpp"

namespace fathom {

Pose Pose::inverse() const {
  const Quat q_cp = q_pc.conjugate();
  return {q_cp, -(q_cp * p_pc_p)};
}

Pose Pose::operator*(const Pose& other) const {
  return {(q_pc * other.q_pc).normalized(), q_pc * other.p_pc_p + p_pc_p};
}

Mat6 twist_transform(const Pose& pose) {
  const Mat3 R_cp = pose.q_pc.conjugate().toRotationMatrix();
  Mat6 H = Mat6::Zero();
  H.topLeftCorner<3, 3>() = R_cp;
  H.topRightCorner<3, 3>() = -R_cp * skew(pose.p_pc_p);  // v_c = R_cp (v_p + omega_p x p_pc_p)
  H.bottomRightCorner<3, 3>() = R_cp;
  return H;
}

}  // namespace fathom
