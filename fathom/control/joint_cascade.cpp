#include "fathom/control/joint_cascade.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"

namespace fathom::control {

JointCascadeOptions cascade_for(const model::Actuator& actuator, double bandwidth, double load) {
  JointCascadeOptions options;
  options.velocity_gain = bandwidth * (actuator.motor.inertia + load) / actuator.motor.k_t;
  options.velocity_integral = 0.2 * bandwidth * options.velocity_gain;
  options.position_gain = 0.2 * bandwidth;
  options.position_integral = 0.1 * options.position_gain * options.position_gain;
  options.current = actuator.current.value_or(infinity);
  options.speed = actuator.speed.value_or(infinity);
  return options;
}

JointCascade::JointCascade(const JointCascadeOptions& options) : options_(options) {
  const auto positive = [](const char* key, double value) {
    if (!(value > 0)) reject(key, fmt::format("= {}, must be > 0", value));
  };
  positive("period", options.period);
  positive("position_every", options.position_every);
  positive("velocity_gain", options.velocity_gain);
  positive("observer", options.observer);
  positive("current", options.current);
  positive("speed", options.speed);
  if (options.observer * options.period > 0.5)
    reject("observer", fmt::format("= {} rad/s, must be at most {} for a period of {} s", options.observer,
                                   0.5 / options.period, options.period));
}

void JointCascade::reset(double angle, double speed) {
  angle_ = angle, speed_ = speed, speed_demand_ = speed;
  position_integral_ = velocity_integral_ = 0;
  count_ = 0;
  saturated_ = false;
}

double JointCascade::step(double angle_reference, double speed_reference, double angle) {
  // A loop that follows the counter, both poles at -observer: the difference of single counts would be noise.
  const double dt = options_.period, w = options_.observer, missed = angle - angle_;
  angle_ += dt * (speed_ + 2 * w * missed);
  speed_ += dt * w * w * missed;
  if (count_++ % options_.position_every == 0) {
    const double error = angle_reference - angle, span = dt * options_.position_every;
    const double wanted =
        speed_reference + options_.position_gain * error + options_.position_integral * position_integral_;
    speed_demand_ = std::clamp(wanted, -options_.speed, options_.speed);
    if (wanted == speed_demand_ && !saturated_) position_integral_ += span * error;
  }
  const double error = speed_demand_ - speed_;
  const double wanted = options_.velocity_gain * error + options_.velocity_integral * velocity_integral_;
  const double given = std::clamp(wanted, -options_.current, options_.current);
  saturated_ = given != wanted;
  if (!saturated_ || error * wanted < 0) velocity_integral_ += dt * error;  // it may unwind
  return given;
}

}  // namespace fathom::control
