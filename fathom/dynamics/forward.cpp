#include "fathom/dynamics/internal/coriolis.hpp"
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::dynamics {
namespace {

/// What the state and the water mean in body axes.
struct BodyView {
  Vec3 v_current_b, a_current_b, convective_b, g_effective_b;
  Vec6 nu_r_b;
  Vec3 drift_b;  ///< d/dt of v_current_b, the linear part of nu_dot - nu_r_dot; docs/model.md eq. 5
};

BodyView see(const Vehicle& vehicle, const State& state, const Current& current) {
  const Mat3 R_bn = state.q_nb.toRotationMatrix().transpose();
  BodyView view;
  view.v_current_b = R_bn * current.velocity_n;
  view.a_current_b = R_bn * current.acceleration_n;
  view.convective_b = R_bn * current.convective_n;
  // Accelerating water acts on weight and buoyancy as gravity does, turned round; docs/model.md eq. 13.
  view.g_effective_b = vehicle.environment().gravity() * R_bn.col(2) - view.a_current_b;
  view.nu_r_b = state.nu_b;
  view.nu_r_b.head<3>() -= view.v_current_b;
  view.drift_b = view.a_current_b - state.nu_b.tail<3>().cross(view.v_current_b);
  return view;
}

/// [rho V I; rho V S(r_b)]: the displaced water as inertia; docs/model.md eqs. 6, 7 and 12.
Mat63 displaced(const Vehicle& vehicle) { return vehicle.M_rb().leftCols<3>() - vehicle.hydrostatic(); }

}  // namespace

Vec6 forward_dynamics(const Vehicle& vehicle, const State& state, const Vec6& tau_b, const Current& current,
                      ForwardJacobian* jacobian) {
  const Mat6& M = vehicle.M();
  const BodyView view = see(vehicle, state, current);
  const Vec6& nu_r = view.nu_r_b;
  Mat6 damping_jacobian;
  Vec6 force = tau_b + vehicle.hydrostatic() * view.g_effective_b + displaced(vehicle) * view.convective_b;
  force -= internal::coriolis_force(M * nu_r, nu_r);
  force -= damping_force(vehicle, nu_r, jacobian ? &damping_jacobian : nullptr);
  force += M.leftCols<3>() * view.drift_b;

  if (jacobian) {
    const Mat6 by_nu_r = -(internal::coriolis_jacobian(M, nu_r) + damping_jacobian);
    // A body vector x_b = R_bn x_n changes by S(x_b) theta when the attitude turns by Exp(theta) on the right.
    const Mat3 current_by_attitude = skew(view.v_current_b);
    const Mat3 drift_by_attitude = skew(view.a_current_b) - skew(state.nu_b.tail<3>()) * current_by_attitude;
    jacobian->by_wrench = vehicle.M_inverse();
    jacobian->by_attitude =
        vehicle.M_inverse() *
        (vehicle.hydrostatic() * skew(view.g_effective_b) + displaced(vehicle) * skew(view.convective_b) -
         by_nu_r.leftCols<3>() * current_by_attitude + M.leftCols<3>() * drift_by_attitude);
    Mat6 by_nu = by_nu_r;
    by_nu.rightCols<3>() += M.leftCols<3>() * skew(view.v_current_b);  // -omega x v_c = S(v_c) omega
    jacobian->by_twist = vehicle.M_inverse() * by_nu;
  }
  return vehicle.M_inverse() * force;
}

Vec6 inverse_dynamics(const Vehicle& vehicle, const State& state, const Vec6& nu_dot_b,
                      const Current& current) {
  const BodyView view = see(vehicle, state, current);
  Vec6 nu_r_dot = nu_dot_b;
  nu_r_dot.head<3>() -= view.drift_b;
  return vehicle.M() * nu_r_dot + internal::coriolis_force(vehicle.M() * view.nu_r_b, view.nu_r_b) +
         damping_force(vehicle, view.nu_r_b) - vehicle.hydrostatic() * view.g_effective_b -
         displaced(vehicle) * view.convective_b;
}

Vec6 inverse_dynamics(const Vehicle& vehicle, const Motion& motion, Mat6* by_twist) {
  const Mat6& M = vehicle.M();
  const Vec6& nu_r = motion.nu_r_b;
  const Vec6 damping = damping_force(vehicle, nu_r, by_twist);
  if (by_twist) *by_twist += internal::coriolis_jacobian(M, nu_r);
  return M * motion.nu_r_dot_b + internal::coriolis_force(M * nu_r, nu_r) + damping -
         vehicle.environment().gravity() * (vehicle.hydrostatic() * motion.down_b);
}

}  // namespace fathom::dynamics
