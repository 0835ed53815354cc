#pragma once
#include <Eigen/Core>

#include "fathom/identify/vehicle/fit.hpp"
#include "fathom/identify/vehicle/thruster_lag.hpp"

namespace fathom::identify {

/// Uncertainty of thruster maps and of the thrusters' places: docs/identification.md eq. 46.
struct MapOptions {
  /// Of the gains of thrusters of one type, each by itself, as a share: 1 % from the lowest to the highest.
  double unit_sigma = 0.003;
  /// Of the gain of a map that shows no scatter of its own (a formula, a propeller, a table of few points), as
  /// a share: one error for all thrusters that have it. Not where FitOptions::thrust_sigma says it.
  double unknown_map_sigma = 0.01;
  /// m, of the place of a thruster along each axis, where the robot file states no sigma: as drawings are
  /// rounded to a millimetre. One error is common to all thrusters, as of the origin, and each has its own.
  double position_sigma = 3e-4;
};

/// The covariance that errors of maps and of the thrusters' gains and places add to the parameters of a fit at
/// that lag. Zero where recordings have not kept the thrusters' commands.
Eigen::MatrixXd map_covariance(const Regression& regression, const Fit& fit, const FitOptions& options,
                               const model::Robot& robot, const model::Environment& environment,
                               const ThrusterLag& lag, const MapOptions& map_options);

}  // namespace fathom::identify
