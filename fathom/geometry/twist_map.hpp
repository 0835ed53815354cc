#pragma once
#include "fathom/geometry/pose.hpp"

namespace fathom {

/// twist_transform(pose) as a rotation and an arm: a third of its numbers, half of its work.
class TwistMap {
 public:
  TwistMap() = default;
  explicit TwistMap(const Pose& pose) : R_pc_(pose.q_pc.toRotationMatrix()), p_pc_p_(pose.p_pc_p) {}

  /// nu_c of nu_p.
  Vec6 twist(const Vec6& nu_p) const {
    Vec6 nu_c;
    nu_c.head<3>().noalias() = R_pc_.transpose() * (nu_p.head<3>() + nu_p.tail<3>().cross(p_pc_p_));
    nu_c.tail<3>().noalias() = R_pc_.transpose() * nu_p.tail<3>();
    return nu_c;
  }
  /// tau_p of tau_c.
  Vec6 wrench(const Vec6& tau_c) const {
    Vec6 tau_p;
    tau_p.head<3>().noalias() = R_pc_ * tau_c.head<3>();
    tau_p.tail<3>().noalias() = R_pc_ * tau_c.tail<3>() + p_pc_p_.cross(tau_p.head<3>());
    return tau_p;
  }
  /// H itself.
  Mat6 matrix() const;

 private:
  Mat3 R_pc_ = Mat3::Identity();
  Vec3 p_pc_p_ = Vec3::Zero();
};

}  // namespace fathom
