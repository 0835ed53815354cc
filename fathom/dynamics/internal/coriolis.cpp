#include "fathom/dynamics/internal/coriolis.hpp"

#include "fathom/geometry/rotation.hpp"

namespace fathom::dynamics::internal {

Vec6 coriolis_force(const Vec6& momentum, const Vec6& nu_b) {
  const Vec3 v = nu_b.head<3>(), omega = nu_b.tail<3>();
  const Vec3 linear = momentum.head<3>(), angular = momentum.tail<3>();
  Vec6 force;
  force.head<3>() = omega.cross(linear);
  force.tail<3>() = omega.cross(angular) + v.cross(linear);
  return force;
}

Mat6 coriolis_matrix(const Mat6& M, const Vec6& nu_b) {
  const Vec6 momentum = M * nu_b;
  const Mat3 linear = skew(momentum.head<3>()), angular = skew(momentum.tail<3>());
  Mat6 C;
  C << Mat3::Zero(), -linear, -linear, -angular;
  return C;
}

Mat6 coriolis_jacobian(const Mat6& M, const Vec6& nu_b) {
  // Product rule: C(nu) is what turns with nu while the momentum stands still; the rest is the momentum's
  // change.
  const Mat3 v = skew(nu_b.head<3>()), omega = skew(nu_b.tail<3>());
  Mat6 jacobian = coriolis_matrix(M, nu_b);
  jacobian.topRows<3>() += omega * M.topRows<3>();
  jacobian.bottomRows<3>() += omega * M.bottomRows<3>() + v * M.topRows<3>();
  return jacobian;
}

}  // namespace fathom::dynamics::internal
