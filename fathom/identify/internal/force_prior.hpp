#pragma once
#include "fathom/identify/internal/shot.hpp"

namespace fathom::identify::internal {

/// What is expected of the force that a model lacks before a shot is seen: one that forgets by e in `memory`,
/// of Gauss and Markov's kind, in each free velocity's row.
struct ForcePrior {
  Eigen::VectorXd sigma;   ///< N or N m; empty: nothing is known, and there is no such force
  Eigen::VectorXd memory;  ///< s
  Eigen::MatrixXd M;       ///< of the free velocities, at the start: what acceleration a force makes

  bool is_known() const { return sigma.size() > 0; }
  /// L of the residuals L a of the acceleration a at a shot's nodes below one another; they are white with
  /// variance one.
  Eigen::MatrixXd whitener(const Shot& shot) const;
};

/// As a fit's residuals show it: their rms, and a memory by the correlation of neighbours. None where there are
/// no residuals.
ForcePrior force_prior(const Residuals& residuals, const Eigen::MatrixXd& M);

}  // namespace fathom::identify::internal
