#pragma once
#include "fathom/model/arm.hpp"

namespace fathom::model {

/// A coordinate with its first and second derivative by time.
struct CoordinateMotion {
  double position = 0, speed = 0, acceleration = 0;
};

/// The motion of a joint from that of its motor's shaft, on the side of the lever's triangle where `q_guess`
/// is: dq = q_m' / ratio, ddq = (q_m'' - slope dq^2) / ratio (docs/arm-excitation.md eq. 2). NaN where no joint
/// coordinate has that shaft angle.
CoordinateMotion joint_motion(const Transmission& transmission, const CoordinateMotion& shaft, double q_guess);

/// The middle of a joint's range, 0 where it has none.
double middle_of_range(const JointLimits& limits);

}  // namespace fathom::model
