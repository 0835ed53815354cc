#pragma once
#include "fathom/model/actuator.hpp"

namespace fathom::control {

/// Gains of the loops of one joint, on the side of its motor. Position over velocity over current, each a PI,
/// as Leborne et al. 2018, section IV-B; the loop of current, in the drive, is a lag of the plant.
struct JointCascadeOptions {
  double period = 1e-3;          ///< s, of the loop of velocity, in the drive
  int position_every = 10;       ///< periods of the loop of position, on a computer
  double position_gain = 3;      ///< 1/s
  double position_integral = 1;  ///< 1/s^2
  double velocity_gain = 0;      ///< A s/rad
  double velocity_integral = 0;  ///< A/rad
  double observer = 60;          ///< rad/s, of what makes a velocity of counted increments
  double current = 0;            ///< A, the most in either direction
  double speed = 0;              ///< rad/s, likewise
};
/// Velocity by `bandwidth` rad/s on the motor's own inertia with `load` kg m^2 at its shaft, the integral a
/// fifth of it; position a fifth of it. Limits are those of the actuator (infinite where it has none).
JointCascadeOptions cascade_for(const model::Actuator& actuator, double bandwidth = 15, double load = 0);

/// The cascade of one joint. Step by step every `period`.
class JointCascade {
 public:
  /// Throws InputError where a number cannot be.
  explicit JointCascade(const JointCascadeOptions& options);

  /// At rest or moving, without history.
  void reset(double angle, double speed);
  /// The current to ask for, of the reference (angle and speed of the shaft) and the counter's angle.
  double step(double angle_reference, double speed_reference, double angle);
  double speed() const { return speed_; }  ///< as it is seen
  bool is_saturated() const { return saturated_; }

 private:
  JointCascadeOptions options_;
  double angle_ = 0, speed_ = 0;  // of the observer
  double position_integral_ = 0, velocity_integral_ = 0, speed_demand_ = 0;
  int count_ = 0;
  bool saturated_ = false;
};

}  // namespace fathom::control
