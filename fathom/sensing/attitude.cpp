#include "fathom/sensing/attitude.hpp"

namespace fathom::sensing {

Quat attitude(const Pose& mount, const dynamics::State& state, Jacobian<3>* jacobian) {
  if (jacobian) {
    jacobian->by_attitude = mount.q_pc.conjugate().toRotationMatrix();
    jacobian->by_position.setZero();
    jacobian->by_twist.setZero();
  }
  return state.q_nb * mount.q_pc;
}

Vec3 ahrs(const Pose& mount, const dynamics::State& state, Jacobian<3>* jacobian) {
  Vec3 rpy = euler_from_quaternion(attitude(mount, state, jacobian));
  if (jacobian) jacobian->by_attitude = (euler_rate_matrix(rpy) * jacobian->by_attitude).eval();
  return rpy;
}

double heading(const Pose& mount, const dynamics::State& state, Jacobian<1>* jacobian) {
  Jacobian<3> of_all;
  const Vec3 rpy = ahrs(mount, state, jacobian ? &of_all : nullptr);
  if (jacobian) {
    jacobian->by_attitude = of_all.by_attitude.row(2);
    jacobian->by_position.setZero();
    jacobian->by_twist.setZero();
  }
  return rpy.z();
}

}  // namespace fathom::sensing
