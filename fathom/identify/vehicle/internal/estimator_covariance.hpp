#pragma once
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/fit.hpp"

namespace fathom::identify::internal {

/// The equations sum_t m_t = 0 that an estimator solves. With rows a, residuals r and instruments z over
/// `row_scale`, m_t sums over the rows of sample t: docs/identification.md eq. 20a.
struct Score {
  Eigen::VectorXd row_scale;
  double corner = infinity;  ///< of Huber's psi
  /// Variance of each column's error in any row, that of y being one, where `total` supposes them; else empty.
  Eigen::VectorXd column_variance = {};
  /// Z of each block of rows, as the regression gives them; empty where z is a.
  std::vector<Eigen::MatrixXd> instruments = {};
};

/// Of the estimate `theta` at the delay and the current of `fit`: residuals that remember, errors of delay and
/// current, of attitude and thrust, as that of the fit; and the square of the bias that noise in velocities
/// makes, as far as the split of the samples shows it. Throws InputError where the rows do not tell the
/// parameters apart.
Eigen::MatrixXd covariance_of(const Score& score, const Eigen::VectorXd& theta, const Regression& regression,
                              const Fit& fit, const FitOptions& options);

}  // namespace fathom::identify::internal
