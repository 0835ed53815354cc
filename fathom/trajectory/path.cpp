#include "fathom/trajectory/path.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/trajectory/internal/quintic.hpp"

namespace fathom::trajectory {

std::vector<Waypoint> Path::places() const {
  if (const Waypoints* points = waypoints()) return points->points();
  const Bezier& curve = std::get<PosePath>(path_).path();
  const int parts =
      4 * curve.degree();  // of each piece: a polynomial turns round no more often than its degree
  std::vector<Waypoint> places;
  for (std::size_t k = 0; k + 1 < curve.knots().size(); ++k)
    for (int i = 0; i <= parts; ++i) {
      const double begin = curve.knots()[k], length = curve.knots()[k + 1] - begin;
      const auto sample = curve.at(begin + length * i / parts);
      places.push_back({sample.value.head<3>(), sample.value.tail<3>(), 0});
    }
  return places;
}

namespace {

using Eigen::Index;

constexpr double steepest = 89 * degree;  // rates of roll and yaw grow without bound at 90 degrees
constexpr double jump = 1e-6;             // m, rad, and per s

/// Last value and rate of a piece, first of the next: differences of control points.
void check_joints(const Bezier& path) {
  const Index n = path.degree();
  const auto& knots = path.knots();
  for (Index piece = 1; piece < path.pieces(); ++piece) {
    const double before = knots[piece] - knots[piece - 1], after = knots[piece + 1] - knots[piece];
    const auto left = path.points().middleCols((piece - 1) * (n + 1), n + 1);
    const auto right = path.points().middleCols(piece * (n + 1), n + 1);
    const double value = (right.col(0) - left.col(n)).cwiseAbs().maxCoeff();
    const double rate = (static_cast<double>(n) *
                         ((right.col(1) - right.col(0)) / after - (left.col(n) - left.col(n - 1)) / before))
                            .cwiseAbs()
                            .maxCoeff();
    if (value > jump || rate > jump)
      reject("points", fmt::format("jump at knot {}, {} s: {} by {:.2g}", piece, knots[piece],
                                   value > jump ? "a place or angle" : "a rate", value > jump ? value : rate));
  }
}

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

PosePath::PosePath(Bezier path) : path_(std::move(path)) {
  if (path_.coordinates() != 6)
    reject("points", fmt::format("have {} coordinates, expected x y z roll pitch yaw", path_.coordinates()));
  if (path_.degree() > max_degree)
    reject("degree", fmt::format("= {}, must be at most {}", path_.degree(), max_degree));
  if (path_.begin() < 0) reject("knots[0]", fmt::format("= {} s, must be >= 0", path_.begin()));
  check_joints(path_);
  // The curve lies in the hull of its control points.
  if (const double pitch = path_.points().row(4).cwiseAbs().maxCoeff(); !(pitch < steepest))
    reject("points.pitch", fmt::format("reaches {:.3g} rad, must stay below {:.3g}", pitch, steepest));
}

Reference PosePath::at(double t) const {
  const auto& knots = path_.knots();
  const Index n = path_.degree();
  const double inside = std::clamp(t, path_.begin(), path_.end());
  const auto after = std::upper_bound(knots.begin() + 1, knots.end() - 1, inside);
  const double from = *(after - 1), duration = *after - from;
  using Small = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_degree + 1, 1>;  // on the stack
  Small b(n + 1), b1(n + 1), b2(n + 1);
  bernstein(path_.degree(), (inside - from) / duration, b, b1, b2);
  Vec6 value = Vec6::Zero(), rate = Vec6::Zero(), acceleration = Vec6::Zero();
  const Index first = (after - 1 - knots.begin()) * (n + 1);
  for (Index i = 0; i <= n; ++i) {
    value += b[i] * path_.points().col(first + i);
    rate += b1[i] / duration * path_.points().col(first + i);
    acceleration += b2[i] / (duration * duration) * path_.points().col(first + i);
  }
  Reference reference;
  reference.p_nb_n = value.head<3>();
  reference.q_nb = quaternion_from_euler(value.tail<3>());
  if (t != inside) return reference;  // it stays

  // docs/model.md eq. 2, the other way round, and its derivative.
  const double sin_roll = std::sin(value[3]), cos_roll = std::cos(value[3]);
  const double sin_pitch = std::sin(value[4]), cos_pitch = std::cos(value[4]);
  Mat3 to_body;
  to_body << 1, 0, -sin_pitch, 0, cos_roll, sin_roll * cos_pitch, 0, -sin_roll, cos_roll * cos_pitch;
  const Vec3 omega_b = to_body * rate.tail<3>();
  const double roll_rate = rate[3], pitch_yaw = rate[4] * rate[5];
  const Vec3 turning(-cos_pitch * pitch_yaw, roll_rate * omega_b[2] - sin_roll * sin_pitch * pitch_yaw,
                     -roll_rate * omega_b[1] - cos_roll * sin_pitch * pitch_yaw);
  const Vec3 v_b = reference.q_nb.conjugate() * rate.head<3>();
  reference.nu_b << v_b, omega_b;
  reference.nu_dot_b << reference.q_nb.conjugate() * acceleration.head<3>() - omega_b.cross(v_b),
      to_body * acceleration.tail<3>() + turning;
  return reference;
}

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
