#pragma once
#include <functional>
#include <vector>

#include <Eigen/Core>

#include "fathom/identify/vehicle/recording.hpp"

namespace fathom::identify::internal {

/// docs/identification.md eq. 36: by what one sigma of the dead band [N] moves an estimate. `estimate` is asked
/// with the wrench to either side.
Eigen::VectorXd moved_by_dead_band(
    const std::vector<Recording>& recordings, double dead_band, double sigma,
    const std::function<Eigen::VectorXd(const std::vector<Recording>&)>& estimate);

/// Parameters in which two estimates of the same logs differ by more than their sigmas explain (Hausman 1978):
/// one of the two is biased, or both, and the difference is all that is known of by how much. `covariance`,
/// that of `theta`, gets it.
std::vector<std::size_t> hausman_test(const Eigen::VectorXd& other, const Eigen::MatrixXd& other_covariance,
                                      const Eigen::VectorXd& theta, Eigen::MatrixXd& covariance);

/// The inverse of an information matrix, with its scale taken off first; directions without any get a variance
/// that is huge, not infinite.
Eigen::MatrixXd scaled_inverse(const Eigen::MatrixXd& H);

}  // namespace fathom::identify::internal
