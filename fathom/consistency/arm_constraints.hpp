#pragma once
#include <span>
#include <vector>

#include "fathom/dynamics/arm_regressor.hpp"
#include "fathom/solve/conic.hpp"

namespace fathom::consistency {

/// A mass and a length that numbers of a link are compared with.
struct LinkSize {
  double mass;    ///< kg
  double length;  ///< m, radius of gyration about the link's origin: about half its length
};
std::vector<LinkSize> link_sizes(const model::Arm& arm);

/// P of a link's ten numbers, m, m r_g and inertia about its origin, in SI units; docs/consistency.md eq. 10.
Eigen::Matrix4d pseudo_inertia(const Eigen::Matrix<double, 10, 1>& numbers);

/// What nature allows of an arm's standard parameters theta, those of the regressor's columns: bodies that
/// exist, water that resists, friction that brakes; docs/consistency.md eqs. 11 to 14. Inequalities in x =
/// theta / scale, free of units, named after links and parameters. `least`: what pseudo-inertias stay inside.
/// Constant efforts (`offset`) may be anything. Throws InputError where sizes do not fit.
solve::ConicSet arm_constraints(const dynamics::ArmRegressor& regressor, std::span<const LinkSize> sizes,
                                const Eigen::VectorXd& scale, double least);

}  // namespace fathom::consistency
