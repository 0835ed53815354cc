#pragma once
#include <vector>

#include <Eigen/Core>

#include "fathom/model/thruster_map.hpp"

namespace fathom::identify {

/// One steady point of a towing test of a thruster.
struct TowedPoint {
  double shaft_speed = 0;  ///< rad/s, above 0
  double inflow = 0;       ///< m/s, u_a, along the thrust
  double thrust = 0;       ///< N, drag of bracket and vehicle taken off
};

/// T = T_ww w |w| + T_wu |w| u_a (Nielsen 2019, eq. 5.8; docs/model.md eq. 27) by least squares.
struct AdvanceLoss {
  model::ThrustCoefficients thrust;
  /// Of T_ww, T_wu: of independent residuals of equal size, and what the coefficients move by when a term u_a^2
  /// is added. The latter is what the law itself may be wrong by.
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();
  double r2 = 0, r2_without_inflow = 0;

  double ww_sigma() const;
  double wu_sigma() const;

  /// The share of the thrust at rest that is lost, -T_wu u_a / (T_ww w), with its standard deviation.
  struct Loss {
    double share = 0, sigma = 0;
  };
  Loss loss(double shaft_speed, double inflow) const;
};
/// Throws InputError for fewer than 6 points, numbers that are not finite, a shaft that stands, or points whose
/// inflow is in proportion to the shaft speed: these tell one number, not two.
AdvanceLoss identify_advance_loss(const std::vector<TowedPoint>& points);

}  // namespace fathom::identify
