#pragma once
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/geometry/pose.hpp"
#include "fathom/sensing/jacobian.hpp"

namespace fathom::sensing {

/// Roll, pitch, heading (z-y-x) of the sensor's own axes; docs/sensors.md eq. 8. The Jacobian is singular at
/// pitch +-pi/2.
Vec3 ahrs(const Pose& mount, const dynamics::State& state, Jacobian<3>* jacobian = nullptr);

/// The last of the three alone.
double heading(const Pose& mount, const dynamics::State& state, Jacobian<1>* jacobian = nullptr);

/// R_nc as a quaternion; docs/sensors.md eq. 9. The Jacobian is that of its own error on the right, R_nc
/// Exp(dtheta_c).
Quat attitude(const Pose& mount, const dynamics::State& state, Jacobian<3>* jacobian = nullptr);

}  // namespace fathom::sensing
