#pragma once
#include <algorithm>
#include <cmath>

namespace fathom::trajectory::internal {

/// s = 10 x^3 - 15 x^4 + 6 x^5 with x = t / duration: from 0 to 1, with rate and acceleration zero at both
/// ends.
struct Quintic {
  double s, s_dot, s_ddot;

  /// It stays outside of [0, duration]; a duration of zero is a step that is done.
  static Quintic at(double t, double duration) {
    const double x = duration > 0 ? std::clamp(t / duration, 0.0, 1.0) : 1;
    return {x * x * x * (10 + x * (6 * x - 15)), duration > 0 ? 30 * x * x * (1 - x) * (1 - x) / duration : 0,
            duration > 0 ? 60 * x * (1 - x) * (1 - 2 * x) / (duration * duration) : 0};
  }

  /// Least duration of a move over `distance` >= 0 that keeps to the limits.
  static double least_duration(double distance, double speed, double acceleration) {
    constexpr double peak_speed = 1.875;                          // of s', at x = 1/2
    static const double peak_acceleration = 10 / std::sqrt(3.0);  // of s'', at x = 1/2 -+ sqrt(3)/6
    return std::max(peak_speed * distance / speed, std::sqrt(peak_acceleration * distance / acceleration));
  }
};

}  // namespace fathom::trajectory::internal
