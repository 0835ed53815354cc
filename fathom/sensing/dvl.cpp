#include "fathom/sensing/dvl.hpp"

#include <cmath>

#include <Eigen/LU>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

namespace fathom::sensing {
namespace {

void resize(BeamJacobian& jacobian, Eigen::Index beams) {
  jacobian.by_attitude.setZero(beams, 3);
  jacobian.by_position.setZero(beams, 3);
  jacobian.by_twist.setZero(beams, 6);
}

}  // namespace

Vec3 dvl_velocity(const Pose& mount, const dynamics::State& state, Jacobian<3>* jacobian) {
  const Vec3& r = mount.p_pc_p;
  const Quat q_cb = mount.q_pc.conjugate();
  const Vec3 v = state.nu_b.head<3>(), omega = state.nu_b.tail<3>();
  if (jacobian) {
    const Mat3 R_cb = q_cb.toRotationMatrix();
    jacobian->by_attitude.setZero();
    jacobian->by_position.setZero();
    jacobian->by_twist << R_cb, -R_cb * skew(r);
  }
  return q_cb * (v + omega.cross(r));
}

Beams tilted_beams(double tilt, std::span<const double> azimuths) {
  if (azimuths.empty() || azimuths.size() > max_beams)
    reject("beams", fmt::format("are {}, must be 1 to {}", azimuths.size(), max_beams), "one azimuth per beam");
  Beams beams;
  beams.directions_c.resize(3, static_cast<Eigen::Index>(azimuths.size()));
  Eigen::Index column = 0;
  for (const double azimuth : azimuths)
    beams.directions_c.col(column++) << std::sin(tilt) * std::cos(azimuth), std::sin(tilt) * std::sin(azimuth),
        std::cos(tilt);
  return beams;
}

Beams janus_beams(double tilt) {
  const std::array<double, 4> azimuths = {45 * degree, 135 * degree, 225 * degree, 315 * degree};
  return tilted_beams(tilt, azimuths);
}

Beams beams_of(const model::Sensor& sensor) {
  if (!sensor.beams) return janus_beams(30 * degree);
  std::vector<double> azimuths;
  for (const double azimuth : sensor.beams->azimuth_deg) azimuths.push_back(azimuth * degree);
  return tilted_beams(sensor.beams->tilt_deg * degree, azimuths);
}

BeamVector beam_velocities(const Beams& beams, const Pose& mount, const dynamics::State& state,
                           BeamJacobian* jacobian) {
  Jacobian<3> of_velocity;
  const Vec3 v_c = dvl_velocity(mount, state, jacobian ? &of_velocity : nullptr);
  if (jacobian) {
    resize(*jacobian, beams.size());
    jacobian->by_twist = beams.directions_c.transpose() * of_velocity.by_twist;
  }
  return beams.directions_c.transpose() * v_c;
}

Vec3 velocity_from_beams(const Beams& beams, const BeamVector& velocities) {
  Mat3 normal = Mat3::Zero();
  Vec3 right = Vec3::Zero();
  for (Eigen::Index i = 0; i < beams.size(); ++i) {
    if (std::isnan(velocities[i])) continue;
    const Vec3 d = beams.directions_c.col(i);
    normal += d * d.transpose();
    right += velocities[i] * d;
  }
  if (!(std::abs(normal.determinant()) > 1e-9)) return Vec3::Constant(nan);
  return normal.inverse() * right;
}

BeamVector beam_ranges(const Beams& beams, const Pose& mount, const dynamics::State& state, double bottom_depth,
                       BeamJacobian* jacobian) {
  if (jacobian) resize(*jacobian, beams.size());
  const Vec3 down_b = state.q_nb.conjugate() * Vec3::UnitZ();
  const double height = bottom_depth - state.p_nb_n.z() - down_b.dot(mount.p_pc_p);
  BeamVector ranges(beams.size());
  for (Eigen::Index i = 0; i < beams.size(); ++i) {
    const Vec3 d_b = mount.q_pc * Vec3(beams.directions_c.col(i));
    const double down = down_b.dot(d_b);  // per metre of beam
    if (!(down > 1e-9)) {
      ranges[i] = infinity;
      continue;
    }
    ranges[i] = height / down;
    if (!jacobian) continue;
    // d/dtheta of down_b . x is (x cross down_b)': a change of height and one of the beam's slope.
    jacobian->by_attitude.row(i) =
        -(mount.p_pc_p.cross(down_b).transpose() + ranges[i] * d_b.cross(down_b).transpose()) / down;
    jacobian->by_position(i, 2) = -1 / down;
  }
  return ranges;
}

}  // namespace fathom::sensing
