#pragma once
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/geometry/pose.hpp"
#include "fathom/sensing/jacobian.hpp"

namespace fathom::sensing {

/// Range, azimuth, elevation of a transponder seen from the transceiver (frame s: x ahead, y to starboard, z
/// down its axis): azimuth from x to y, elevation from the x-y plane towards z. Straight below, the elevation
/// is pi/2 and the azimuth means nothing; see usbl_position.
struct UsblReading {
  double range = 0;      ///< m
  double azimuth = 0;    ///< rad, (-pi, pi]
  double elevation = 0;  ///< rad, [-pi/2, pi/2]
};

/// docs/sensors.md eq. 12. `mount`: the transponder on the vehicle; `transceiver`: pose of s in n, by default
/// at the origin of n and level. Rows of the Jacobian: range, azimuth, elevation; by_azimuth is not finite
/// straight below or above.
UsblReading usbl(const Pose& mount, const dynamics::State& state, const Pose& transceiver = {},
                 Jacobian<3>* jacobian = nullptr);

/// The transponder's position in n from a reading; docs/sensors.md eq. 13. Nothing is singular here. Columns of
/// the Jacobian: range, azimuth, elevation.
Vec3 usbl_position(const UsblReading& reading, const Pose& transceiver = {}, Mat3* jacobian = nullptr);

}  // namespace fathom::sensing
