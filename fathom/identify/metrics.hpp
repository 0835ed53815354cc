#pragma once
#include <array>
#include <limits>
#include <vector>

#include <Eigen/Core>

namespace fathom::identify {

/// How well a prediction meets a measurement of one degree of freedom. NaN where there is no such number, such
/// as the R2 of a measurement that never changes.
struct Metrics {
  std::size_t samples = 0;
  double r2 = std::numeric_limits<double>::quiet_NaN();  ///< 1 - sum (y - p)^2 / sum (y - mean y)^2
  double rmse = std::numeric_limits<double>::quiet_NaN();
  double nrmse = std::numeric_limits<double>::quiet_NaN();  ///< rmse over the range of y
  double mae = std::numeric_limits<double>::quiet_NaN();
  double slope = std::numeric_limits<double>::quiet_NaN();  ///< of p over y, by least squares with intercept
  double pearson = std::numeric_limits<double>::quiet_NaN();
};
Metrics metrics(const Eigen::Ref<const Eigen::VectorXd>& measured,
                const Eigen::Ref<const Eigen::VectorXd>& predicted);

struct WarpOptions {
  double window = 0.05;  ///< Sakoe and Chiba's band as a share of the longer series; 1 is none
  enum class Slope {
    free,
    symmetric
  } slope = Slope::free;  ///< symmetric: Sakoe and Chiba's P = 1, no step twice in one direction
  enum class Ends { closed, open_end, open } ends = Ends::closed;  ///< which ends must meet
  bool path = false;  ///< also the path; takes a byte per cell of the band
};
struct Warp {
  double distance = std::numeric_limits<double>::infinity();  ///< see docs/identification.md
  double mean = std::numeric_limits<double>::infinity();      ///< per pair of the path
  std::size_t pairs = 0;
  std::vector<std::array<int, 2>> path;
};
/// Dynamic time warping of two series, a column per sample (seed 002, 6.1 and 6.2 as corrected): the sum of
/// Euclidean distances along the path. Memory is linear in the window unless the path is asked for.
Warp warp(const Eigen::Ref<const Eigen::MatrixXd>& a, const Eigen::Ref<const Eigen::MatrixXd>& b,
          const WarpOptions& options = {});

}  // namespace fathom::identify
