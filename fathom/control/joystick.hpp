#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fathom/base/random.hpp"
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/geometry/types.hpp"

namespace fathom::control {

struct JoystickOptions {
  Vec6 limit_b = Vec6::Zero();         ///< N, N m: largest push on each axis; 0 leaves the axis alone
  double shortest = 0.5, longest = 4;  ///< s, for which a pilot holds a stick
  double rest_share = 0.3;             ///< of the time a stick is let go
  double stick_time = 0.15;            ///< s, first-order: a thumb does not jump
  Vec3 point_b = Vec3::Zero();  ///< m, through which the pushes go: an autopilot mixes about the hull's middle
  /// m; where the body origin leaves this box of the world, the pilot looks up and pushes it back.
  std::optional<Box> keep_in = {};
};

/// Pushes as a pilot at a gamepad gives them: each axis steps by itself to a random level, holds it for a
/// random time, then takes another or lets go. The same seed and purpose give the same pushes, however often
/// they are asked for.
class Joystick {
 public:
  Joystick(const JoystickOptions& options, std::uint64_t seed, std::string_view purpose);
  /// What the sticks say at t; times must not decrease.
  const Vec6& at(double t);
  /// The wrench at the body origin, of a pilot who sees the vehicle: along each axis of the world on which it
  /// has left `keep_in`, the force is the least of the linear limits, and points back.
  Vec6 at(double t, const dynamics::State& state);

 private:
  struct Stick {
    RandomStream random;
    double level = 0, until = 0;
  };
  JoystickOptions options_;
  double push_back_ = 0;       // N
  std::vector<Stick> sticks_;  // one for each axis, each with random numbers of its own
  Vec6 wrench_b_ = Vec6::Zero();
  double t_ = 0;
};

}  // namespace fathom::control
