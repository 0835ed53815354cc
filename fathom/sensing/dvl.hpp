#pragma once
#include <span>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/geometry/pose.hpp"
#include "fathom/sensing/jacobian.hpp"

namespace fathom::sensing {

/// Velocity over ground of the sensor's point, in the sensor's axes: bottom track; docs/sensors.md eq. 4.
Vec3 dvl_velocity(const Pose& mount, const dynamics::State& state, Jacobian<3>* jacobian = nullptr);

inline constexpr int max_beams = 8;
/// One number per beam; fixed storage, so that nothing allocates.
using BeamVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_beams, 1>;
using BeamJacobian = Jacobian<Eigen::Dynamic, max_beams>;

/// Unit vectors along the beams, away from the sensor, in its axes; its z axis is the middle of the cone.
struct Beams {
  Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, max_beams> directions_c;
  Eigen::Index size() const { return directions_c.cols(); }
};

/// Beams that lean by `tilt` from the sensor's z axis, towards `azimuths` from its x axis to its y axis [rad];
/// docs/sensors.md eq. 5. Throws InputError if there are none or more than max_beams.
Beams tilted_beams(double tilt, std::span<const double> azimuths);
/// Four beams at azimuths 45, 135, 225 and 315 degrees.
Beams janus_beams(double tilt);
/// The beams of a sensor of kind dvl; janus_beams(30 degrees) if it says nothing.
Beams beams_of(const model::Sensor& sensor);

/// The part of the sensor's velocity along each beam, positive towards the bottom; docs/sensors.md eq. 6.
BeamVector beam_velocities(const Beams& beams, const Pose& mount, const dynamics::State& state,
                           BeamJacobian* jacobian = nullptr);

/// The velocity in sensor axes that fits the beams' velocities best (least squares). Three beams or more that
/// do not lie in one plane; entries that are not a number are beams without an answer and are left out. NaN if
/// too few are left.
Vec3 velocity_from_beams(const Beams& beams, const BeamVector& velocities);

/// Distance along each beam to a flat bottom at `bottom_depth`; infinity for a beam that does not meet it;
/// docs/sensors.md eq. 7. The rows of the Jacobian of such a beam are zero.
BeamVector beam_ranges(const Beams& beams, const Pose& mount, const dynamics::State& state, double bottom_depth,
                       BeamJacobian* jacobian = nullptr);

}  // namespace fathom::sensing
