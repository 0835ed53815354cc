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
  Vec3 acceleration_n = Vec3::Zero();  ///< m/s^2, rate of velocity_n as the robot meets it along its path
  /// m/s^2, what must be added to acceleration_n to give that of the water particles (Dv/Dt): the current's
  /// gradient times the water's velocity relative to the robot. Zero where the current is the same everywhere.
  Vec3 convective_n = Vec3::Zero();
};

}  // namespace fathom::model
