#pragma once
#include <vector>

#include <Eigen/Core>

namespace fathom::identify::internal {

/// Parameters in which two estimates of the same logs differ by more than their sigmas explain (Hausman 1978):
/// one of the two is biased, or both, and the difference is all that is known of by how much. `covariance`,
/// that of `theta`, gets it.
std::vector<std::size_t> hausman_test(const Eigen::VectorXd& other, const Eigen::MatrixXd& other_covariance,
                                      const Eigen::VectorXd& theta, Eigen::MatrixXd& covariance);

}  // namespace fathom::identify::internal
