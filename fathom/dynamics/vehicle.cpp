#include "fathom/dynamics/vehicle.hpp"

#include <cmath>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::dynamics {
namespace {

/// Everything in its matrices.
Drag make_drag(const model::DragElement& element) {
  Drag drag;
  drag.at_origin = element.at_origin();
  drag.to_element = TwistMap(element.pose());
  drag.matrices.push_back(element.linear.value);
  const auto& by_speed = element.quadratic.value.by_speed;
  drag.matrices.insert(drag.matrices.end(), by_speed.begin(), by_speed.end());
  return drag;
}

/// Fills the diagonals, and drops the matrices where they say no more.
void make_lean(Drag& drag) {
  drag.linear_diagonal = drag.matrices[0].diagonal();
  bool is_diagonal = drag.matrices[0].isDiagonal(0);
  for (std::size_t j = 0; j < 6; ++j) {
    const auto k = static_cast<Eigen::Index>(j);
    Mat6 rest = drag.matrices[1 + j];
    drag.quadratic_diagonal[k] = rest(k, k);
    rest(k, k) = 0;
    if (!rest.isZero(0)) is_diagonal = false;
  }
  if (is_diagonal) drag.matrices = {};
}

/// Elements at the origin add up to one.
std::vector<Drag> make_drag_list(const std::vector<model::DragElement>& elements) {
  std::vector<Drag> list;
  Drag* origin = nullptr;
  list.reserve(elements.size());
  for (const model::DragElement& element : elements) {
    Drag drag = make_drag(element);
    if (!drag.at_origin || !origin) {
      list.push_back(std::move(drag));
      if (list.back().at_origin) origin = &list.back();
      continue;
    }
    for (std::size_t j = 0; j < drag.matrices.size(); ++j) origin->matrices[j] += drag.matrices[j];
  }
  for (Drag& drag : list) make_lean(drag);
  return list;
}

Vec6 diagonal_damping(const Drag& drag, const Vec6& nu) {
  return drag.linear_diagonal + nu.cwiseAbs().cwiseProduct(drag.quadratic_diagonal);
}

/// The element's damping matrix in its own frame.
Mat6 own_damping(const Drag& drag, const Vec6& nu) {
  if (drag.matrices.empty()) return diagonal_damping(drag, nu).asDiagonal();
  Mat6 D = drag.matrices[0];
  for (std::size_t j = 0; j < 6; ++j) D += std::abs(nu[static_cast<Eigen::Index>(j)]) * drag.matrices[1 + j];
  return D;
}

/// What |nu_j| adds to the derivative of the force: column j is sign(nu_j) Q_j nu.
void add_slope_of_speeds(const Drag& drag, const Vec6& nu, Mat6& jacobian) {
  if (drag.matrices.empty()) {
    jacobian.diagonal() += nu.cwiseAbs().cwiseProduct(drag.quadratic_diagonal);
    return;
  }
  for (std::size_t j = 0; j < 6; ++j) {
    const auto k = static_cast<Eigen::Index>(j);
    const double sign = nu[k] > 0 ? 1 : nu[k] < 0 ? -1 : 0;
    jacobian.col(k) += sign * (drag.matrices[1 + j] * nu);
  }
}

Vec6 own_force(const Drag& drag, const Vec6& nu, Mat6* jacobian) {
  if (!jacobian && drag.matrices.empty()) return diagonal_damping(drag, nu).cwiseProduct(nu);
  const Mat6 D = own_damping(drag, nu);
  if (jacobian) {
    *jacobian = D;
    add_slope_of_speeds(drag, nu, *jacobian);
  }
  return D * nu;
}

}  // namespace

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
    refuse("forces", fmt::format("has {} entries, the vehicle {} thrusters", forces.size(), B.cols()));
  Vec6 tau = Vec6::Zero();
  for (Eigen::Index i = 0; i < B.cols(); ++i) tau += forces[static_cast<std::size_t>(i)] * B.col(i);
  return tau;
}

Mat6 damping_matrix(const Vehicle& vehicle, const Vec6& nu_r_b) {
  Mat6 D = Mat6::Zero();
  for (const Drag& drag : vehicle.drag()) {
    const Mat6 H = drag.to_element.matrix();
    D += H.transpose() * own_damping(drag, drag.to_element.twist(nu_r_b)) * H;
  }
  return D;
}

Vec6 damping_force(const Vehicle& vehicle, const Vec6& nu_r_b, Mat6* jacobian) {
  Vec6 force = Vec6::Zero();
  if (jacobian) jacobian->setZero();
  Mat6 own_jacobian;
  Mat6* wanted = jacobian ? &own_jacobian : nullptr;
  for (const Drag& drag : vehicle.drag()) {
    if (drag.at_origin) {
      force += own_force(drag, nu_r_b, wanted);
      if (jacobian) *jacobian += own_jacobian;
    } else {
      force += drag.to_element.wrench(own_force(drag, drag.to_element.twist(nu_r_b), wanted));
      if (jacobian) *jacobian += drag.to_element.matrix().transpose() * own_jacobian * drag.to_element.matrix();
    }
  }
  return force;
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
