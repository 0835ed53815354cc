#pragma once
#include <array>
#include <vector>

#include <Eigen/Core>

#include "fathom/base/constants.hpp"

namespace fathom::identify {

/// How well a prediction meets a measurement of one degree of freedom. NaN where there is no such number: R2,
/// NRMSE, slope and Pearson's correlation of a measurement that hardly changes.
struct Metrics {
  std::size_t samples = 0;
  double r2 = nan;  ///< 1 - sum (y - p)^2 / sum (y - mean y)^2
  double rmse = nan;
  double nrmse = nan;  ///< rmse over the range of y
  double mae = nan;
  double slope = nan;  ///< of p over y, by least squares with intercept
  double pearson = nan;
};
/// `noise`: standard deviation of the measurement's error. A measurement whose standard deviation is below
/// `least_motion` of it hardly changes.
Metrics metrics(const Eigen::Ref<const Eigen::VectorXd>& measured,
                const Eigen::Ref<const Eigen::VectorXd>& predicted, double noise = 0);
inline constexpr double least_motion = 3;

struct WarpOptions {
  /// Sakoe and Chiba's band |i - j| as a share of the longer series, and never less than their lengths differ;
  /// 1 is none.
  double window = 0.05;
  enum class Slope {
    free,
    symmetric
  } slope = Slope::free;  ///< symmetric: Sakoe and Chiba's P = 1, of two steps in a row one is diagonal
  /// Which ends must meet. `open_end`: one of the series may end early, `open`: and begin late, the other is
  /// matched whole.
  enum class Ends { closed, open_end, open } ends = Ends::closed;
  bool path = false;  ///< also the path; takes a byte per cell of the band
};
/// Infinite, and without pairs, where the slope lets no path through.
struct Warp {
  /// Root of the sum of squared distances along the path, which is minimised: ||d_DTW|| of Nielsen 2019,
  /// eq. 6.4.
  double distance = infinity;
  double mean = infinity;  ///< Euclidean distance, mean over the path's pairs
  std::size_t pairs = 0;
  std::vector<std::array<int, 2>> path;
};
/// Dynamic time warping of two series, a column per sample: the path through pairs of samples with the least
/// sum of squared Euclidean distances (Nielsen 2019, eqs. 6.1 and 6.2, the latter read as min of (i-1, j),
/// (i-1, j-1), (i, j-1)). Memory is linear in the window unless the path is asked for. Throws InputError for
/// series of different rows, empty or not finite.
Warp warp(const Eigen::Ref<const Eigen::MatrixXd>& a, const Eigen::Ref<const Eigen::MatrixXd>& b,
          const WarpOptions& options = {});

}  // namespace fathom::identify
