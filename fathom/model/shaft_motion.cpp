#include "fathom/model/shaft_motion.hpp"

#include <cmath>

namespace fathom::model {

CoordinateMotion joint_motion(const Transmission& transmission, const CoordinateMotion& shaft, double q_guess) {
  const double q = joint_at(transmission, shaft.position, q_guess);
  const MotorAngle at = motor_angle(transmission, q);
  const double dq = shaft.speed / at.ratio;
  return {q, dq, (shaft.acceleration - at.slope * dq * dq) / at.ratio};
}

double middle_of_range(const JointLimits& limits) {
  return std::isfinite(limits.min) && std::isfinite(limits.max) ? 0.5 * (limits.min + limits.max) : 0;
}

}  // namespace fathom::model
