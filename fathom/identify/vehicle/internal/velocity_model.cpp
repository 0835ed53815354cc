#include "fathom/identify/vehicle/internal/velocity_model.hpp"

#include <cmath>

#include <Eigen/LU>

#include "fathom/geometry/rotation.hpp"

namespace fathom::identify::internal {

using Kind = model::Term::Kind;

VelocityModel::VelocityModel(const model::Structure& structure, const double* theta)
    : free_(model::free_indices(structure.dof)) {
  for (std::size_t k = 0; k < structure.size(); ++k) set(structure.terms[k], theta[k]);
  const FreeMatrix M = M_(free_, free_);
  M_inverse_ = M.partialPivLu().inverse();
}

void VelocityModel::set(const model::Term& term, double value) {
  switch (term.kind) {
    case Kind::inertia: M_(term.row, term.column) = M_(term.column, term.row) = value; break;
    case Kind::inertia_entry: M_(term.row, term.column) = value; break;
    case Kind::linear: linear_(term.row, term.column) = value; break;
    case Kind::quadratic: quadratic_.push_back({term.row, term.column, term.speed, value}); break;
    case Kind::net_weight:
    case Kind::weight: net_weight_ += value; break;
    case Kind::buoyancy: net_weight_ -= value; break;
    case Kind::first_moment: first_moment_[term.row] = value; break;
  }
}

FreeVector VelocityModel::rate(const FreeVector& nu_r, const Vec3& down_b, const FreeVector& tau,
                               FreeMatrix* by_twist) const {
  Vec6 nu = Vec6::Zero();
  nu(free_) = nu_r;
  const Vec3 v = nu.head<3>(), omega = nu.tail<3>();
  const Vec6 momentum = M_ * nu;
  const Vec3 linear = momentum.head<3>(), angular = momentum.tail<3>();
  Vec6 wrench = linear_ * nu;
  wrench.head<3>() += omega.cross(linear) - net_weight_ * down_b;
  wrench.tail<3>() += v.cross(linear) + omega.cross(angular) - first_moment_.cross(down_b);
  for (const Quadratic& q : quadratic_) wrench[q.row] += q.value * std::abs(nu[q.speed]) * nu[q.column];
  if (by_twist) {
    Mat6 by_nu = linear_;
    by_nu.topRows<3>() += skew(omega) * M_.topRows<3>();
    by_nu.bottomRows<3>() += skew(v) * M_.topRows<3>() + skew(omega) * M_.bottomRows<3>();
    by_nu.topRightCorner<3, 3>() -= skew(linear);
    by_nu.bottomLeftCorner<3, 3>() -= skew(linear);
    by_nu.bottomRightCorner<3, 3>() -= skew(angular);
    for (const Quadratic& q : quadratic_) {
      by_nu(q.row, q.column) += q.value * std::abs(nu[q.speed]);
      const double sign = nu[q.speed] > 0 ? 1 : nu[q.speed] < 0 ? -1 : 0;
      by_nu(q.row, q.speed) += q.value * sign * nu[q.column];
    }
    by_twist->noalias() = -M_inverse_ * FreeMatrix(by_nu(free_, free_));
  }
  const FreeVector free_wrench = tau - wrench(free_);
  return M_inverse_ * free_wrench;
}

}  // namespace fathom::identify::internal
