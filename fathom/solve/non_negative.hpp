#pragma once
#include <Eigen/Core>

namespace fathom::solve {

/// The x >= 0 of least |A x - y|^2, from the normal equations gram = A'A and moment = A'y: Lawson and Hanson's
/// active set (1974, chapter 23). For a handful of unknowns whose columns are far from parallel. Throws
/// InputError where sizes do not fit or a number is not finite.
Eigen::VectorXd non_negative(const Eigen::Ref<const Eigen::MatrixXd>& gram,
                             const Eigen::Ref<const Eigen::VectorXd>& moment);

}  // namespace fathom::solve
