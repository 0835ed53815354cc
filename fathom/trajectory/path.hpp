#pragma once
#include <variant>
#include <vector>

#include "fathom/trajectory/bezier.hpp"
#include "fathom/trajectory/reference.hpp"

namespace fathom::trajectory {

struct Waypoint {
  Vec3 p_nb_n = Vec3::Zero();        ///< m
  Vec3 attitude_rpy = Vec3::Zero();  ///< rad
  double hold = 0;                   ///< s, to stay there
};

struct WaypointOptions {
  double speed = 0.3;              ///< m/s at most; a careful pilot in a tank
  double acceleration = 0.2;       ///< m/s^2 at most
  double turn_rate = 0.5;          ///< rad/s at most
  double turn_acceleration = 0.5;  ///< rad/s^2 at most
};

/// Straight legs between way-points, each from rest to rest: place and attitude follow s = 10 x^3 - 15 x^4 + 6
/// x^5, whose speed and acceleration vanish at both ends. A leg is as fast as the tightest limit allows; the
/// attitude turns about one fixed axis, the short way round. Before the start and after the end the vehicle
/// stays.
class Waypoints {
 public:
  /// Throws InputError unless there is a way-point, all is finite, holds are >= 0 and limits > 0.
  explicit Waypoints(std::vector<Waypoint> points, const WaypointOptions& options = {});

  Reference at(double t) const;
  double duration() const { return legs_.empty() ? 0 : legs_.back().end + legs_.back().hold; }
  const std::vector<Waypoint>& points() const { return points_; }
  /// The same way with a leg before it, from a place that it leaves at once.
  Waypoints begun_at(const Vec3& p_nb_n, const Vec3& attitude_rpy) const;

 private:
  struct Leg {
    double begin, end, hold;  // s: it moves in [begin, end], then stays
    Vec3 from_n, move_n;
    Quat q_from;
    Vec3 turn_b;  // rotation vector from q_from
  };
  std::vector<Waypoint> points_;
  WaypointOptions options_;
  std::vector<Leg> legs_;  // the first only stays
};

/// A vehicle on a curve of x y z roll pitch yaw. Before its begin and after its end the vehicle stays. `at`
/// takes no memory from the heap.
class PosePath {
 public:
  /// Throws InputError unless it has six coordinates and at most max_degree, begins at t >= 0, does not jump in
  /// value or rate where pieces meet, and keeps its pitch below 90 degrees.
  explicit PosePath(Bezier path);

  Reference at(double t) const;
  double duration() const { return path_.end(); }
  const Bezier& path() const { return path_; }

 private:
  Bezier path_;
};

/// Where a vehicle should be over time: legs between way-points, or a curve.
class Path {
 public:
  Path(Waypoints waypoints) : path_(std::move(waypoints)) {}
  Path(PosePath path) : path_(std::move(path)) {}

  Reference at(double t) const {
    return std::visit([t](const auto& path) { return path.at(t); }, path_);
  }
  double duration() const {
    return std::visit([](const auto& path) { return path.duration(); }, path_);
  }
  const Waypoints* waypoints() const { return std::get_if<Waypoints>(&path_); }  ///< null for a curve
  /// Its way-points, or poses along the curve close enough to see where it leads.
  std::vector<Waypoint> places() const;

 private:
  std::variant<Waypoints, PosePath> path_;
};

}  // namespace fathom::trajectory
