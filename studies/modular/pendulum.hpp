#pragma once
#include <Eigen/Core>

namespace fathom::studies {

/// The pendulum that Nielsen 2019 makes of two coupled vehicles, eq. 3.78:
/// theta'' = -g / l^2 (r_y cos(theta) - r_z sin(theta)) - D_L theta' / m, its quadratic drag left out.
struct Pendulum {
  double length = 1;                        ///< m, l
  double gravity = 9.81;                    ///< m/s^2
  double damping = 0.25;                    ///< 1/s, D_L / m: 5 over 20 of Table 3.3
  Eigen::Vector2d arm = {0.05, -0.05};      ///< m, from the centre of mass to that of buoyancy, (y, z)
  static constexpr int steps_between = 50;  ///< of Runge and Kutta, from one sample to the next

  /// theta at `samples` times from 0 to `seconds`, both included, from rest at 0.
  Eigen::RowVectorXd swing(double seconds, int samples) const;
};

}  // namespace fathom::studies
