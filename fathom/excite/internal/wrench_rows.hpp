#pragma once
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/excite/samples.hpp"

namespace fathom::excite::internal {

inline dynamics::Motion motion_at(const Samples& at, Eigen::Index row) {
  return {at.nu.row(row).transpose(), at.nu_dot.row(row).transpose(), at.down.row(row).transpose()};
}

/// Adds to row i of `to` the derivative by the motion of a number whose derivative by the wrench of
/// dynamics::inverse_dynamics is `pull`; `by_twist` as that function gives it.
inline void add_wrench_adjoint(const dynamics::Vehicle& vehicle, const Mat6& by_twist, const Vec6& pull,
                               Eigen::Index i, Samples& to) {
  const double g = vehicle.environment().gravity();
  to.nu.row(i) += (by_twist.transpose() * pull).transpose().array();
  to.nu_dot.row(i) += (vehicle.M() * pull).transpose().array();
  to.down.row(i) -= g * (vehicle.hydrostatic().transpose() * pull).transpose().array();
}

}  // namespace fathom::excite::internal
