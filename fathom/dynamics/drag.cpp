#include "fathom/dynamics/drag.hpp"

#include <cmath>

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

Mat6 damping_matrix(std::span<const Drag> drags, const Vec6& nu_r_b) {
  Mat6 D = Mat6::Zero();
  for (const Drag& drag : drags) {
    const Mat6 H = drag.to_element.matrix();
    D += H.transpose() * own_damping(drag, drag.to_element.twist(nu_r_b)) * H;
  }
  return D;
}

Vec6 damping_force(std::span<const Drag> drags, const Vec6& nu_r_b, Mat6* jacobian) {
  Vec6 force = Vec6::Zero();
  if (jacobian) jacobian->setZero();
  Mat6 own_jacobian;
  Mat6* wanted = jacobian ? &own_jacobian : nullptr;
  for (const Drag& drag : drags) {
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

}  // namespace fathom::dynamics
