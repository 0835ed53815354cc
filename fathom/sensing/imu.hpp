#pragma once
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/geometry/pose.hpp"
#include "fathom/sensing/jacobian.hpp"

namespace fathom::sensing {

/// What an inertial unit at `mount` (its frame c in b) measures, in its own axes.
struct ImuReading {
  Vec3 specific_force_c;  ///< m/s^2; at rest it is minus gravity
  Vec3 rate_c;            ///< rad/s
};

/// docs/sensors.md eqs. 2 and 3. `nu_dot_b` is the derivative of the components of nu_b, as forward_dynamics
/// gives it. Rows of the Jacobian: specific force, rate.
ImuReading imu(const Pose& mount, const dynamics::State& state, const Vec6& nu_dot_b, const Vec3& gravity_n,
               AccelerationJacobian<6>* jacobian = nullptr);

}  // namespace fathom::sensing
