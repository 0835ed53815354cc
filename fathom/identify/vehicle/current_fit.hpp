#pragma once
#include <optional>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/identify/vehicle/statistics.hpp"

namespace fathom::identify {

/// The steady horizontal current of one recording, as a known model sees it.
struct CurrentFit {
  Vec3 current_n = Vec3::Zero();                         ///< m/s
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();  ///< of north and east [m^2/s^2]
  Eigen::Index until = 0;  ///< samples before this one were used; a score begins here
};

struct CurrentFitOptions {
  double share = 0.2;   ///< of the recording, from its first usable sample
  double shortest = 8;  ///< s of usable samples; below, no current is estimated
  double sigma = 0.03;  ///< m/s, what is expected of still water before anything is measured
  double blur = 0.4;    ///< s, as RegressionOptions has it
};

/// Estimates the current by Gauss and Newton from the wrench that the vehicle leaves unexplained in the first
/// part of the recording, `delay` [s] after the commands. `residual` tells how large and how slow that wrench
/// is without a current; without it, the recording's own residuals tell. Nothing where the part is too short.
std::optional<CurrentFit> fit_current(const dynamics::Vehicle& vehicle, const Recording& recording,
                                      double delay, const std::optional<ResidualStatistics>& residual,
                                      const CurrentFitOptions& options = {});

}  // namespace fathom::identify
