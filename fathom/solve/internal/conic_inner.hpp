#pragma once
#include "fathom/solve/conic.hpp"

namespace fathom::solve::internal {

/// What is large: of each unknown, and of each row of each matrix, then of each scalar. docs/solvers.md eq. 31.
struct ConicScales {
  Eigen::VectorXd unknowns, rows;
};
ConicScales scales_of(const ConicSet& set);

/// A point with S(x) > 0, or why there is none. docs/solvers.md eqs. 31, 32.
struct InnerPointOfCones {
  bool found = false;
  Eigen::VectorXd x;
  double margin = 0;  ///< S >= margin D, D the rows' scales
  Eigen::VectorXd Z;  ///< where not found: Farkas' multipliers of unit trace, a stack
  double infeasibility = 0;
};
InnerPointOfCones find_inner_point(const ConicSet& set, const ConicScales& scales);

}  // namespace fathom::solve::internal
