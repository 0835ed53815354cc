#pragma once
#include <span>
#include <vector>

#include <Eigen/Core>

namespace fathom::solve {

/// How long residuals remember, and what that does to the covariance of an estimate.

/// Autocorrelation of a series about its mean at lags 0 .. most_lag; a series that is constant has none but at
/// lag 0.
Eigen::VectorXd autocorrelation(const Eigen::Ref<const Eigen::VectorXd>& series, int most_lag);

/// Samples: 1 + 2 sum of autocorrelations, up to where they have died out (Sokal's window), at least 0: how
/// many samples are worth one.
double integral_time(const Eigen::Ref<const Eigen::VectorXd>& series);
/// The same of one series in several runs, across whose ends nothing is correlated, and about zero: a constant
/// counts as an error that lasts. Returns 1 where all runs are zero or empty.
double integral_time_about_zero(std::span<const Eigen::VectorXd> runs);

/// Ljung and Box 1978: chi-square statistic of the first `lags` autocorrelations and the probability of one as
/// large if the series were white.
struct Whiteness {
  double statistic = 0, probability = 0;
  int lags = 0;
  double integral_time = 1;  ///< samples
};
Whiteness whiteness(const Eigen::Ref<const Eigen::VectorXd>& series, int lags = 20);

/// The long-run covariance sum_k E[m_t m_(t-k)'] of the columns of `moments` (unknowns x samples, in order of
/// time, at an estimate that makes their sum zero): quadratic spectral kernel with Andrews' (1991) automatic
/// bandwidth, positive semi-definite by construction, with finite-sample factors n / (n - unknowns) and for the
/// zero sum (docs/solvers.md eq. 20). `breaks`: indices at which a new run begins, rising; nothing is
/// correlated across them.
struct LongRun {
  Eigen::MatrixXd covariance;    ///< per sample: divide by their number for that of the mean
  double bandwidth = 0;          ///< samples
  double effective_samples = 0;  ///< degrees of freedom for Student's t with a variance from `covariance`
};
LongRun long_run_covariance(const Eigen::Ref<const Eigen::MatrixXd>& moments,
                            const std::vector<Eigen::Index>& breaks = {});

/// The covariance of x where sum_t m_t(x) = 0 and `slope` = d(sum_t m_t)/dx: of ordinary least squares, m_t =
/// a_t r_t and the slope A'A; of instrumental variables, z_t r_t and Z'A. Signs do not matter. Throws
/// InputError where the slope is singular.
Eigen::MatrixXd sandwich(const Eigen::MatrixXd& slope, const LongRun& moments, Eigen::Index samples);

}  // namespace fathom::solve
