#include "fathom/geometry/frames.hpp"

namespace fathom {
namespace {

const Vec3 flip(1, -1, -1);

Vec6 flip6() {
  Vec6 f;
  f << flip, flip;
  return f;
}

Mat3 ned_enu_matrix() {
  Mat3 m;
  m << 0, 1, 0, 1, 0, 0, 0, 0, -1;
  return m;
}

}  // namespace

Vec3 swap_ned_enu(const Vec3& v) { return {v.y(), v.x(), -v.z()}; }

Vec3 swap_frd_flu(const Vec3& v) { return v.cwiseProduct(flip); }

Vec6 swap_frd_flu(const Vec6& v) { return v.cwiseProduct(flip6()); }

Mat3 swap_frd_flu(const Mat3& m) { return flip.asDiagonal() * m * flip.asDiagonal(); }

Mat6 swap_frd_flu(const Mat6& m) { return flip6().asDiagonal() * m * flip6().asDiagonal(); }

Quat swap_attitude_ned_enu(const Quat& q) {
  const Mat3 R = ned_enu_matrix() * q.toRotationMatrix() * flip.asDiagonal();
  return Quat(R);
}

}  // namespace fathom
