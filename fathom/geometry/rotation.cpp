#include "fathom/geometry/rotation.hpp"

#include <cmath>
#include <numbers>

namespace fathom {

double wrap_angle(double angle) {
  const double wrapped = std::remainder(angle, 2 * std::numbers::pi);
  return wrapped <= -std::numbers::pi ? std::numbers::pi : wrapped;
}

Quat exp_rotation(const Vec3& theta) {
  const double angle = theta.norm();
  // sin(x/2)/x by its series where the quotient would lose digits; the next term is below rounding there.
  const double k = angle < 1e-4 ? 0.5 - angle * angle / 48 : std::sin(angle / 2) / angle;
  const Vec3 v = k * theta;
  return {std::cos(angle / 2), v.x(), v.y(), v.z()};
}

Vec3 log_rotation(const Quat& q) {
  const double sign = q.w() < 0 ? -1 : 1;  // q and -q are one rotation: take the short way
  const Vec3 v = sign * q.vec();
  const double s = v.norm(), c = sign * q.w();
  const double k = s < 1e-6 ? 2 / c * (1 - s * s / (3 * c * c)) : 2 * std::atan2(s, c) / s;
  return k * v;
}

Eigen::Vector4d quaternion_rate(const Quat& q, const Vec3& omega_b) {
  const double p = omega_b.x(), qq = omega_b.y(), r = omega_b.z();
  return 0.5 * Eigen::Vector4d(q.w() * p + q.y() * r - q.z() * qq, q.w() * qq + q.z() * p - q.x() * r,
                               q.w() * r + q.x() * qq - q.y() * p, -q.x() * p - q.y() * qq - q.z() * r);
}

Quat quaternion_from_euler(const Vec3& rpy) {
  const Eigen::AngleAxisd yaw(rpy.z(), Vec3::UnitZ()), pitch(rpy.y(), Vec3::UnitY()),
      roll(rpy.x(), Vec3::UnitX());
  return yaw * pitch * roll;
}

Vec3 euler_from_quaternion(const Quat& q_nb) {
  const Mat3 R = q_nb.toRotationMatrix();
  const double cos_pitch = std::hypot(R(2, 1), R(2, 2));
  const double pitch = std::atan2(-R(2, 0), cos_pitch);
  if (cos_pitch < 1e-9) return {0, pitch, std::atan2(-R(0, 1), R(1, 1))};
  return {std::atan2(R(2, 1), R(2, 2)), pitch, std::atan2(R(1, 0), R(0, 0))};
}

Mat3 euler_rate_matrix(const Vec3& rpy) {
  const double s = std::sin(rpy.x()), c = std::cos(rpy.x()), t = std::tan(rpy.y()), k = 1 / std::cos(rpy.y());
  Mat3 T;
  T << 1, s * t, c * t, 0, c, -s, 0, s * k, c * k;
  return T;
}

}  // namespace fathom
