#pragma once
#include "fathom/geometry/types.hpp"

namespace fathom {

/// Conversions at the edge: ROS and Gazebo files are ENU/FLU, Fathom is NED/FRD inside. Each map is its own
/// inverse, so one function serves both directions.

/// Vector in north-east-down <-> east-north-up.
Vec3 swap_ned_enu(const Vec3& v);
/// Vector in forward-starboard-down <-> forward-port-up.
Vec3 swap_frd_flu(const Vec3& v);
/// Twist or wrench in FRD <-> FLU.
Vec6 swap_frd_flu(const Vec6& v);
/// A 3x3 matrix: an inertia, or a rotation between two bodies that are both FRD, or both FLU.
Mat3 swap_frd_flu(const Mat3& m);
/// Inertia, added-mass or damping matrix in FRD <-> FLU.
Mat6 swap_frd_flu(const Mat6& m);
/// Attitude of an FRD body in NED <-> of the same body, as FLU, in ENU.
Quat swap_attitude_ned_enu(const Quat& q);

}  // namespace fathom
