#pragma once
#include <vector>

#include <Eigen/Core>

namespace fathom::solve::internal {

/// Samples that follow one another in time.
struct Run {
  Eigen::Index first, count;
};

/// Of the quadratic spectral kernel, for the columns of m (time down, columns of about equal size): the larger
/// of those that Andrews' formula gives for autoregressions of order 1 and of the order that Hannan's and
/// Quinn's criterion chooses (docs/solvers.md eq. 21).
double bandwidth(const Eigen::MatrixXd& m, const std::vector<Run>& runs);

}  // namespace fathom::solve::internal
