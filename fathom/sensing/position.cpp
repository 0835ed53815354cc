#include "fathom/sensing/position.hpp"

namespace fathom::sensing {

Vec3 position(const Pose& mount, const dynamics::State& state, Jacobian<3>* jacobian) {
  if (jacobian) {
    jacobian->by_attitude = -state.q_nb.toRotationMatrix() * skew(mount.p_pc_p);
    jacobian->by_position.setIdentity();
    jacobian->by_twist.setZero();
  }
  return state.p_nb_n + state.q_nb * mount.p_pc_p;
}

double depth(const Pose& mount, const dynamics::State& state, Jacobian<1>* jacobian) {
  const Vec3 down_b = state.q_nb.conjugate() * Vec3::UnitZ();
  if (jacobian) {
    jacobian->by_attitude = mount.p_pc_p.cross(down_b).transpose();
    jacobian->by_position << 0, 0, 1;
    jacobian->by_twist.setZero();
  }
  return state.p_nb_n.z() + down_b.dot(mount.p_pc_p);
}

}  // namespace fathom::sensing
