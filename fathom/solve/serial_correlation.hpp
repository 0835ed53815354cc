#pragma once
#include <vector>

#include <Eigen/Core>

namespace fathom::solve {

/// How long residuals remember, and what that does to the covariance of an estimate.

/// Autocorrelation of a series at lags 0 .. most_lag, by its mean.
Eigen::VectorXd autocorrelation(const Eigen::Ref<const Eigen::VectorXd>& series, int most_lag);

/// Ljung and Box 1978: chi-square statistic of the first `lags` autocorrelations and the probability of one as
/// large if the series were white.
struct Whiteness {
  double statistic = 0, probability = 0;
  int lags = 0;
  double integral_time = 1;  ///< samples: 1 + 2 sum of autocorrelations (Sokal's window)
};
Whiteness whiteness(const Eigen::Ref<const Eigen::VectorXd>& series, int lags = 20);

/// The long-run covariance sum_k E[m_t m_(t-k)'] of the columns of `moments` (unknowns x samples, in order of
/// time): quadratic spectral kernel with Andrews' (1991) automatic bandwidth, positive semi-definite by
/// construction, with the finite-sample factor n / (n - unknowns). `breaks`: indices at which a new
/// run begins; nothing is correlated across them.
struct LongRun {
  Eigen::MatrixXd covariance;  ///< per sample: divide by their number for that of the mean
  double bandwidth = 0;        ///< samples
};
LongRun long_run_covariance(const Eigen::Ref<const Eigen::MatrixXd>& moments,
                            const std::vector<Eigen::Index>& breaks = {});

}  // namespace fathom::solve
