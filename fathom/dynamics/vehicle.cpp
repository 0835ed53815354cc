#include "fathom/dynamics/vehicle.hpp"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::dynamics {
Mat6 inverse_on_free(const Mat6& M, Dof dof) {
  const auto free = model::free_indices(dof);
  const auto n = static_cast<Eigen::Index>(free.size());
  Eigen::MatrixXd reduced(n, n);
  for (Eigen::Index a = 0; a < n; ++a)
    for (Eigen::Index b = 0; b < n; ++b)
      reduced(a, b) = M(free[static_cast<std::size_t>(a)], free[static_cast<std::size_t>(b)]);
  const Eigen::MatrixXd inverse = reduced.llt().solve(Eigen::MatrixXd::Identity(n, n));
  Mat6 result = Mat6::Zero();
  for (Eigen::Index a = 0; a < n; ++a)
    for (Eigen::Index b = 0; b < n; ++b)
      result(free[static_cast<std::size_t>(a)], free[static_cast<std::size_t>(b)]) =
          0.5 * (inverse(a, b) + inverse(b, a));
  return result;
}

Vehicle::Vehicle(const model::Robot& robot, const model::Environment& environment, Dof dof)
    : environment_(environment),
      dof_(dof),
      M_rb_(model::rigid_body_inertia(robot.hull())),
      M_a_(0.5 * (robot.hull().added_mass.value + robot.hull().added_mass.value.transpose())),
      M_(M_rb_ + M_a_),
      M_inverse_(inverse_on_free(M_, dof)),
      drag_(make_drag_list(robot.damping())),
      allocation_(model::allocation_matrix(robot)) {
  const model::Hull& hull = robot.hull();
  const double m = hull.mass.value, displaced = environment.density() * hull.volume.value;
  hydrostatic_.topRows<3>() = (m - displaced) * Mat3::Identity();
  hydrostatic_.bottomRows<3>() =
      skew(m * hull.centre_of_mass.value - displaced * hull.centre_of_buoyancy.value);
}

Vec6 thruster_wrench(const Vehicle& vehicle, std::span<const double> forces) {
  const Mat6X& B = vehicle.allocation();
  if (static_cast<Eigen::Index>(forces.size()) != B.cols())
    reject("forces", fmt::format("has {} entries, the vehicle {} thrusters", forces.size(), B.cols()));
  Vec6 tau = Vec6::Zero();
  for (Eigen::Index i = 0; i < B.cols(); ++i) tau += forces[static_cast<std::size_t>(i)] * B.col(i);
  return tau;
}

Mat6 damping_matrix(const Vehicle& vehicle, const Vec6& nu_r_b) {
  return damping_matrix(vehicle.drag(), nu_r_b);
}

Vec6 damping_force(const Vehicle& vehicle, const Vec6& nu_r_b, Mat6* jacobian) {
  return damping_force(vehicle.drag(), nu_r_b, jacobian);
}

Vec6 restoring(const Vehicle& vehicle, const Quat& q_nb) {
  return -(vehicle.hydrostatic() * (q_nb.conjugate() * vehicle.environment().gravity_n()));
}

Vec6 relative_twist(const State& state, const Current& current) {
  Vec6 nu_r = state.nu_b;
  nu_r.head<3>() -= state.q_nb.conjugate() * current.velocity_n;
  return nu_r;
}

double kinetic_energy(const Vehicle& vehicle, const Vec6& nu_r_b) {
  return 0.5 * nu_r_b.dot(vehicle.M() * nu_r_b);
}

double potential_energy(const Vehicle& vehicle, const State& state) {
  // Minus the work of (m - rho V) g at the origin and of the moment arm, which the attitude alone decides.
  const Mat63& W = vehicle.hydrostatic();
  const Vec3 arm_b(W(5, 1), W(3, 2), W(4, 0));  // m r_g - rho V r_b, read from its skew matrix
  const Vec3 g_n = vehicle.environment().gravity_n();
  return -W(0, 0) * g_n.dot(state.p_nb_n) - g_n.dot(state.q_nb * arm_b);
}

}  // namespace fathom::dynamics
