#pragma once
#include <Eigen/Core>

#include "fathom/model/thruster_map.hpp"

namespace fathom::identify {

/// Shaft speed over command, |w| = a (x / reference)^exponent + c (Nielsen 2019, eq. 5.19, with exponent = -b;
/// docs/model.md eq. 29).
struct ShaftSpeedFit {
  model::PowerShaft shaft;  ///< its a is that of x itself
  double reference = 1;     ///< of x, for which a and its sigma hold
  double a = 0, a_sigma = 0, exponent_sigma = 0, c_sigma = 0;
  double r2 = 0, rmse = 0;  ///< rad/s
};
/// `x` = |command - neutral| > 0 of points that turn, `speeds` [rad/s] > 0. For each exponent a and c are
/// linear; the exponent is searched on a grid that is refined, within what a robot file takes. Sigmas are those
/// of independent errors of equal size. Throws InputError for fewer than 5 points, or speeds that do not rise.
ShaftSpeedFit fit_shaft_speed(const Eigen::Ref<const Eigen::VectorXd>& x,
                              const Eigen::Ref<const Eigen::VectorXd>& speeds, double reference);

/// T = T_ww w^2 of one side, magnitudes.
struct ThrustOverSpeed {
  double T_ww = 0, sigma = 0;  ///< N s^2
  double r2 = 0;
};
ThrustOverSpeed fit_thrust_over_speed(const Eigen::Ref<const Eigen::VectorXd>& speeds,
                                      const Eigen::Ref<const Eigen::VectorXd>& forces);

/// V = k_t w + R i of a motor that runs steadily at full duty (Nielsen 2019, eq. 5.13).
struct MotorConstants {
  double k_t = 0, k_t_sigma = 0;                ///< V s/rad
  double resistance = 0, resistance_sigma = 0;  ///< ohm
  double largest_residual = 0;                  ///< V
};
/// Throws InputError for fewer than 3 rows, or where speed and current are proportional.
MotorConstants fit_motor_constants(const Eigen::Ref<const Eigen::VectorXd>& voltages,
                                   const Eigen::Ref<const Eigen::VectorXd>& speeds,
                                   const Eigen::Ref<const Eigen::VectorXd>& currents);

/// Shaft speed [rad/s] from zero-crossings of the back-EMF counted over `interval` [s]; a turn has one for each
/// pair of poles (Nielsen 2019, eq. 5.15). Throws InputError unless poles are even and interval above 0.
double shaft_speed_of_counts(long counts, int poles, double interval);
/// What one count is worth [rad/s].
double shaft_speed_quantum(int poles, double interval);

}  // namespace fathom::identify
