#pragma once
#include <Eigen/Core>

namespace fathom::cli {

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

/// The thesis' example of warping, eqs. 6.3 and 6.4: pendulums of 0.25 and 0.30 m over 5 s, 50 samples each.
struct WarpExample {
  double none, closed, open_end;  ///< ||d||: sample by sample, warped with both ends fixed, with an open end
};
WarpExample warp_example();

}  // namespace fathom::cli
