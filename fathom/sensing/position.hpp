#pragma once
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/geometry/pose.hpp"
#include "fathom/sensing/jacobian.hpp"

namespace fathom::sensing {

/// The place of the sensor's point in n: motion capture, a fiducial, a fix; docs/sensors.md eq. 10. The
/// attitude that such a system may give beside it is sensing::attitude.
Vec3 position(const Pose& mount, const dynamics::State& state, Jacobian<3>* jacobian = nullptr);

/// The depth of the sensor's point, positive down; docs/sensors.md eq. 11.
double depth(const Pose& mount, const dynamics::State& state, Jacobian<1>* jacobian = nullptr);

}  // namespace fathom::sensing
