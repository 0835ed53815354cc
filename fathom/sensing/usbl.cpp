#include "fathom/sensing/usbl.hpp"

#include <cmath>

#include "fathom/sensing/position.hpp"

namespace fathom::sensing {

UsblReading usbl(const Pose& mount, const dynamics::State& state, const Pose& transceiver,
                 Jacobian<3>* jacobian) {
  Jacobian<3> of_position;
  const Vec3 p_n = position(mount, state, jacobian ? &of_position : nullptr);
  const Vec3 p = transceiver.q_pc.conjugate() * (p_n - transceiver.p_pc_p);
  const double across = std::hypot(p.x(), p.y()), range = p.norm();
  if (jacobian) {
    Mat3 by_p;
    by_p.row(0) = p.transpose() / range;
    by_p.row(1) << -p.y() / (across * across), p.x() / (across * across), 0;
    by_p.row(2) << -p.x() * p.z() / across, -p.y() * p.z() / across, across;
    by_p.row(2) /= range * range;
    const Mat3 by_p_n = by_p * transceiver.q_pc.conjugate().toRotationMatrix();
    jacobian->by_attitude = by_p_n * of_position.by_attitude;
    jacobian->by_position = by_p_n;
    jacobian->by_twist.setZero();
  }
  return {range, std::atan2(p.y(), p.x()), std::atan2(p.z(), across)};
}

Vec3 usbl_position(const UsblReading& reading, const Pose& transceiver, Mat3* jacobian) {
  const double ca = std::cos(reading.azimuth), sa = std::sin(reading.azimuth);
  const double ce = std::cos(reading.elevation), se = std::sin(reading.elevation);
  const Vec3 direction(ce * ca, ce * sa, se);
  if (jacobian) {
    Mat3 in_s;
    in_s.col(0) = direction;
    in_s.col(1) = reading.range * Vec3(-ce * sa, ce * ca, 0);
    in_s.col(2) = reading.range * Vec3(-se * ca, -se * sa, ce);
    *jacobian = transceiver.q_pc.toRotationMatrix() * in_s;
  }
  return transceiver * Vec3(reading.range * direction);
}

}  // namespace fathom::sensing
