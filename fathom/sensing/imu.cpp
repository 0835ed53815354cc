#include "fathom/sensing/imu.hpp"

namespace fathom::sensing {

ImuReading imu(const Pose& mount, const dynamics::State& state, const Vec6& nu_dot_b, const Vec3& gravity_n,
               AccelerationJacobian<6>* jacobian) {
  const Vec3& r = mount.p_pc_p;
  const Vec3 v = state.nu_b.head<3>(), omega = state.nu_b.tail<3>();
  const Vec3 v_dot = nu_dot_b.head<3>(), omega_dot = nu_dot_b.tail<3>();
  const Quat q_cb = mount.q_pc.conjugate();
  const Vec3 g_b = state.q_nb.conjugate() * gravity_n;
  // omega x v + omega x (omega x r) is one cross product with the velocity of the sensor's point.
  const Vec3 f_b = v_dot + omega_dot.cross(r) + omega.cross(v + omega.cross(r)) - g_b;
  if (jacobian) {
    const Mat3 R_cb = q_cb.toRotationMatrix();
    const Mat3 centripetal =
        omega.dot(r) * Mat3::Identity() + omega * r.transpose() - 2 * r * omega.transpose();
    jacobian->by_attitude << -R_cb * skew(g_b), Mat3::Zero();
    jacobian->by_position.setZero();
    jacobian->by_twist << R_cb * skew(omega), R_cb * (centripetal - skew(v)), Mat3::Zero(), R_cb;
    jacobian->by_nu_dot << R_cb, -R_cb * skew(r), Mat3::Zero(), Mat3::Zero();
  }
  return {q_cb * f_b, q_cb * omega};
}

}  // namespace fathom::sensing
