#include "fathom/trajectory/waypoints.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/trajectory/internal/quintic.hpp"

namespace fathom::trajectory {
namespace {

void check(const std::vector<Waypoint>& points, const WaypointOptions& options) {
  if (points.empty()) reject("waypoints", "has no entry, at least one place is needed");
  for (std::size_t k = 0; k < points.size(); ++k) {
    const std::string key = fmt::format("waypoints[{}]", k);
    if (!points[k].p_nb_n.allFinite() || !points[k].attitude_rpy.allFinite()) reject(key, "is not finite");
    if (!(points[k].hold >= 0) || !std::isfinite(points[k].hold))
      reject(key + ".hold", fmt::format("= {} s, must be >= 0", points[k].hold));
  }
  const auto positive = [](const char* key, double value) {
    if (!(value > 0) || !std::isfinite(value)) reject(key, fmt::format("= {}, must be > 0", value));
  };
  positive("speed", options.speed);
  positive("acceleration", options.acceleration);
  positive("turn_rate", options.turn_rate);
  positive("turn_acceleration", options.turn_acceleration);
}

}  // namespace

Waypoints::Waypoints(std::vector<Waypoint> points, const WaypointOptions& options)
    : points_(std::move(points)), options_(options) {
  check(points_, options);
  const Quat q_first = quaternion_from_euler(points_[0].attitude_rpy);
  legs_.push_back({0, 0, points_[0].hold, points_[0].p_nb_n, Vec3::Zero(), q_first, Vec3::Zero()});
  for (std::size_t k = 1; k < points_.size(); ++k) {
    const Quat q_from = quaternion_from_euler(points_[k - 1].attitude_rpy);
    const Vec3 move_n = points_[k].p_nb_n - points_[k - 1].p_nb_n;
    const Vec3 turn_b = log_rotation(q_from.conjugate() * quaternion_from_euler(points_[k].attitude_rpy));
    const double begin = legs_.back().end + legs_.back().hold;
    const double time = std::max(
        internal::Quintic::least_duration(move_n.norm(), options.speed, options.acceleration),
        internal::Quintic::least_duration(turn_b.norm(), options.turn_rate, options.turn_acceleration));
    legs_.push_back({begin, begin + time, points_[k].hold, points_[k - 1].p_nb_n, move_n, q_from, turn_b});
  }
}

Reference Waypoints::at(double t) const {
  // The last leg that has begun.
  const auto after = std::upper_bound(legs_.begin() + 1, legs_.end(), t,
                                      [](double time, const Leg& leg) { return time < leg.begin; });
  const Leg& leg = *(after - 1);
  const auto [s, s_dot, s_ddot] = internal::Quintic::at(t - leg.begin, leg.end - leg.begin);

  Reference reference;
  reference.p_nb_n = leg.from_n + s * leg.move_n;
  reference.q_nb = leg.q_from * exp_rotation(s * leg.turn_b);
  const Vec3 v_b = reference.q_nb.conjugate() * (s_dot * leg.move_n), omega_b = s_dot * leg.turn_b;
  reference.nu_b << v_b, omega_b;
  // d/dt (R' v_n) = R' v_n_dot - omega x v_b.
  reference.nu_dot_b << reference.q_nb.conjugate() * (s_ddot * leg.move_n) - omega_b.cross(v_b),
      s_ddot * leg.turn_b;
  return reference;
}

Waypoints Waypoints::begun_at(const Vec3& p_nb_n, const Vec3& attitude_rpy) const {
  std::vector<Waypoint> points = {{p_nb_n, attitude_rpy, 0}};
  points.insert(points.end(), points_.begin(), points_.end());
  return Waypoints(std::move(points), options_);
}

}  // namespace fathom::trajectory
