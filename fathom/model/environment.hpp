#pragma once
#include "fathom/geometry/types.hpp"

namespace fathom::model {

inline constexpr double fresh_water = 1000;  ///< kg/m^3
inline constexpr double sea_water = 1025;    ///< kg/m^3

/// What surrounds the robot and is the same everywhere. Throws InputError if not positive and finite.
class Environment {
 public:
  explicit Environment(double density = fresh_water, double gravity = 9.81);
  double density() const { return density_; }  ///< kg/m^3
  double gravity() const { return gravity_; }  ///< m/s^2
  Vec3 gravity_n() const { return {0, 0, gravity_}; }

 private:
  double density_, gravity_;
};

/// The motion of the water at the robot, in the world frame. It carries no rotation.
struct Current {
  Vec3 velocity_n = Vec3::Zero();      ///< m/s
  Vec3 acceleration_n = Vec3::Zero();  ///< m/s^2, of the water that surrounds the robot
};

}  // namespace fathom::model
