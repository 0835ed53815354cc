#pragma once
#include <span>
#include <vector>

#include "fathom/assembly/cluster.hpp"

namespace fathom::assembly {

/// Phi nu_dot = b over all bodies' accelerations, six rows for each link: Nielsen 2019,
/// eqs. 3.53, 3.61, 3.62, 3.68, with both constraint matrices corrected (docs/assemblies.md eqs. 2 and 4).
struct ConstraintRows {
  Eigen::MatrixXd Phi;
  Eigen::VectorXd b;
};
ConstraintRows rigid_rows(std::span<const dynamics::State> states, std::span<const Link> links);

/// Nielsen 2019, eqs. 3.54, 3.55, by the dense pseudo-inverse: any constraints, redundant ones too, at a cost
/// that grows with the cube of their number. What the fast way of `Cluster` is held against.
struct ConstrainedMotion {
  std::vector<Vec6> nu_dot;
  std::vector<Vec6> force;      ///< of the constraints on each body, in its own axes
  Eigen::VectorXd multipliers;  ///< of least norm, force = Phi' multipliers
};
ConstrainedMotion udwadia_kalaba(std::span<const Mat6> M, std::span<const Vec6> unconstrained,
                                 const ConstraintRows& rows);

}  // namespace fathom::assembly
