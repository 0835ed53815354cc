#pragma once
#include <array>
#include <optional>

#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::dynamics {

/// What one looks at first in a robot: is it a body, does it float upright, what can its thrusters do?
struct Figures {
  double smallest_inertia = 0;  ///< eigenvalue of M, rigid body and added mass
  double triangle_margin = 0;   ///< kg m^2: the two lesser principal moments less the largest; a body has >= 0
  double largest_moment = 0;    ///< kg m^2
  double weight = 0, buoyancy = 0;  ///< N
  double righting_arm = 0;          ///< m, of the centre of buoyancy above the centre of mass
  int rank = 0;                     ///< of the thrusters' allocation
  /// What the thrusters give along each of X Y Z K M N with nothing on the others; none where a force range is
  /// not known.
  std::optional<std::array<model::ForceRange, 6>> alone;
};

Figures figures_of(const model::Robot& robot, const model::Environment& environment);

}  // namespace fathom::dynamics
