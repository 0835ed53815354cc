#pragma once
#include <span>

#include "fathom/identify/vehicle/regression.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::identify {

/// What a structure without roll and pitch leaves out of its rows while the vehicle rolls and pitches: all
/// terms that touch them (m15, d24, the first moments ...), with the values and sigmas of the robot file.
/// Coriolis and restoring terms of the structure's own parameters are not among them, because the regression
/// has their measured rates and tilt.
struct Neglected {
  Vec6 wrench = Vec6::Zero();  ///< N, N m: rms by [X Y Z K M N]
  /// What it moves the parameters by, as a covariance: docs/identification.md eq. 1b.
  Eigen::MatrixXd covariance;
};

/// `row_sigma` weighs the rows, as those of a fit. Nothing is neglected in 6-DoF.
Neglected neglected(const model::Structure& structure, std::span<const Recording> recordings,
                    const model::Robot& robot, const model::Environment& environment, const Nuisance& at,
                    const Eigen::VectorXd& row_sigma, const RegressionOptions& options);

}  // namespace fathom::identify
