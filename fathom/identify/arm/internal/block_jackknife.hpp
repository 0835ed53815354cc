#pragma once
#include "fathom/identify/arm/internal/arm_rows.hpp"

namespace fathom::identify::internal {

/// A fit without one block of time after the other, to first order exact: what blocks disagree by holds the
/// serial correlation of residuals and, since each block is another part of the motion, the errors of the model
/// itself (friction that is another, flexible joints).
struct BlockJackknife {
  Eigen::VectorXd variance;  ///< of each unknown (Bell and McCaffrey 2002)
  Eigen::VectorXd shift;     ///< of each row's residual, once its own block is left out
  double degrees = 1;        ///< of freedom, for Student's t
};
/// `scale`: roots of the rows' weights. `residuals`: of the fit with these weights.
BlockJackknife block_jackknife(const ArmRows& rows, const Eigen::VectorXd& scale,
                               const Eigen::VectorXd& residuals);

}  // namespace fathom::identify::internal
