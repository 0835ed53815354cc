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
/// The same of the saturation [N] of thrusters that lose `dead_band`.
Eigen::VectorXd moved_by_saturation(
    const std::vector<Recording>& recordings, double dead_band, double saturation, double sigma,
    const std::function<Eigen::VectorXd(const std::vector<Recording>&)>& estimate);

/// Parameters in which two estimates of the same logs differ by more than their sigmas explain (Hausman 1978):
/// one of the two is biased, or both, and the difference is all that is known of by how much. `covariance`,
/// that of `theta`, gets it.
std::vector<std::size_t> hausman_test(const Eigen::VectorXd& other, const Eigen::MatrixXd& other_covariance,
                                      const Eigen::VectorXd& theta, Eigen::MatrixXd& covariance);

/// A root W of the inverse of an information matrix, W W' = H^-1, with the scale of H taken off first.
/// Directions without information get a variance that is huge, not infinite.
Eigen::MatrixXd inverse_root(const Eigen::MatrixXd& H);

/// Returns root root'. Each entry is off by rounding times the roots of the two variances, however ill
/// conditioned the matrix is. A product such as H^-1 S H^-1, formed entry by entry, is off by rounding times
/// its largest term, which may be far beyond the variance of a parameter that is well known.
Eigen::MatrixXd square_of(const Eigen::MatrixXd& root);

/// Returns a root of a positive semi-definite matrix, S = root root'.
Eigen::MatrixXd root_of(const Eigen::MatrixXd& S);

/// Returns H^-1 S H^-1 of a positive semi-definite S as a square, from inverse_root(H).
Eigen::MatrixXd sandwich_of(const Eigen::MatrixXd& H_inverse_root, const Eigen::MatrixXd& S);

/// Returns H^-1 as a square.
Eigen::MatrixXd scaled_inverse(const Eigen::MatrixXd& H);

}  // namespace fathom::identify::internal
