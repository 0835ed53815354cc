#pragma once
#include <vector>

#include "fathom/dynamics/thruster.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::identify {

/// From a pilot's six axes to a wrench: an autopilot adds each axis with the sign that a thruster has in it,
/// and the thruster's map makes force of the sum; docs/identification.md eq. 29. The force is that of the map's
/// table: a battery that is lower, or a thruster in the hull's wake, scale it.
class PilotMixer {
 public:
  /// Level thrusters take surge, sway and yaw, upright ones heave, roll and pitch. Which way round an upright
  /// propeller turns is not in a robot file that means forces: its map is made symmetric, the mean of both
  /// sides. Throws InputError where a thruster takes no commands from -1 to 1, or is neither level nor upright.
  explicit PilotMixer(const model::Robot& robot, double voltage = 16, double density = model::fresh_water);

  /// `axes` [surge sway heave roll pitch yaw], -1 to 1, a sample per column. One half-way between those beside
  /// it is what a resampler made of a step: it gets the mean of their wrenches, as the step had.
  Mat6X wrenches_b(const Mat6X& axes) const;
  /// Of one sample, whatever those beside it are.
  Vec6 wrench_b(const Vec6& axes) const;

 private:
  std::vector<dynamics::ThrusterModel> thrusters_;
  std::vector<bool> is_upright_;
  Mat6X signs_;  // of each thruster in each axis
  double voltage_;
};

}  // namespace fathom::identify
