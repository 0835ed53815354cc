#pragma once
#include <optional>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/identify/vehicle/statistics.hpp"

namespace fathom::identify {

/// The steady horizontal current of one recording, as a known model sees it.
struct CurrentFit {
  Vec3 current_n = Vec3::Zero();                         ///< m/s
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();  ///< of north and east [m^2/s^2]
  Eigen::Index until = 0;  ///< samples before this one were used; a score begins here. 0: none were
};

struct CurrentFitOptions {
  double share = 0.2;   ///< of the recording, from its first usable sample
  double shortest = 8;  ///< s of usable samples; below, no current is estimated
  /// m/s, per axis: before anything is measured the water is either still or it flows, as likely one as the
  /// other.
  double still_sigma = 0.03, flowing_sigma = 0.5;
  double blur = 0.4;           ///< s, as RegressionOptions has it
  bool measured_tilt = false;  ///< as PredictionOptions has it
};

/// Returns what is known of the current before anything is measured, if the water is taken for still.
CurrentFit assumed_still_water(const CurrentFitOptions& options = {});

/// Estimates the current by Gauss and Newton from the wrench that the vehicle leaves unexplained in the first
/// part of the recording, `delay` [s] after the commands: mean and covariance over still and flowing water
/// (docs/identification.md eq. 24b). `residual` gives size and correlation time of that wrench without a
/// current; without it, the recording's own residuals do. Nothing where the part is too short.
std::optional<CurrentFit> fit_current(const dynamics::Vehicle& vehicle, const Recording& recording,
                                      double delay, const std::optional<ResidualStatistics>& residual,
                                      const CurrentFitOptions& options = {});

}  // namespace fathom::identify
