#pragma once
#include <Eigen/Core>

namespace fathom::filter {

struct DelayOptions {
  double least = 0, most = 1;  ///< s, between which the delay is sought
};

/// How much later a response is than what causes it.
struct Delay {
  double seconds = 0, sigma = 0;
  Eigen::VectorXd gains;         ///< per channel: response to input
  Eigen::VectorXd correlations;  ///< per channel, at the delay
  bool at_limit = false;         ///< the best delay is an end of the range: the true one may be beyond
};

/// The delay d, one for all channels (rows), for which y_c(t) = gain_c x_c(t - d) + constant_c fits best, each
/// channel weighed by its own residual; x between samples by cubic convolution. The standard deviation allows
/// for residuals that remember (docs/filters.md eqs. 18 to 20). For a response with dynamics of its own, give
/// as x what those make of the command: else their lag counts as delay. Throws InputError: other sizes, values
/// that are no numbers, a range longer than half the series, channels none of which moves.
Delay delay_between(const Eigen::Ref<const Eigen::MatrixXd>& input,
                    const Eigen::Ref<const Eigen::MatrixXd>& response, double dt,
                    const DelayOptions& options = {});

}  // namespace fathom::filter
