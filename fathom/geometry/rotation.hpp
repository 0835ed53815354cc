#pragma once
#include "fathom/geometry/types.hpp"

namespace fathom {

/// S(a) with S(a) b = a x b.
inline Mat3 skew(const Vec3& a) {
  Mat3 s;
  s << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return s;
}

/// `angle` in (-pi, pi]; for differences of headings too.
double wrap_angle(double angle);

/// The rotation by |theta| about theta, as a unit quaternion; exact to rounding at and near zero.
Quat exp_rotation(const Vec3& theta);

/// The inverse of exp_rotation with |result| <= pi.
Vec3 log_rotation(const Quat& q);

/// d/dt q_nb for body rates omega_b: 1/2 q (x) [0, omega]; docs/model.md eq. 1. Coefficients in Eigen's order
/// x y z w.
Eigen::Vector4d quaternion_rate(const Quat& q_nb, const Vec3& omega_b);

/// Roll, pitch, yaw (z-y-x): R_nb = Rz(yaw) Ry(pitch) Rx(roll); docs/model.md eq. 2.
Quat quaternion_from_euler(const Vec3& roll_pitch_yaw);

/// The inverse, pitch in [-pi/2, pi/2]. At pitch = +-pi/2 roll and yaw are not separate: roll is given as 0.
Vec3 euler_from_quaternion(const Quat& q_nb);

/// d/dt [roll pitch yaw] = T omega_b; docs/model.md eq. 2. Singular at pitch = +-pi/2.
Mat3 euler_rate_matrix(const Vec3& roll_pitch_yaw);

}  // namespace fathom
