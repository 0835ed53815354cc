#pragma once
#include <Eigen/Core>

namespace fathom::identify::internal {

/// The inverse of an information matrix, with its scale taken off first; directions without any get a variance
/// that is huge, not infinite.
Eigen::MatrixXd scaled_inverse(const Eigen::MatrixXd& H);

}  // namespace fathom::identify::internal
