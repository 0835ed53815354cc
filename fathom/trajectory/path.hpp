#pragma once
#include <variant>

#include "fathom/trajectory/bezier.hpp"
#include "fathom/trajectory/reference.hpp"
#include "fathom/trajectory/waypoints.hpp"

namespace fathom::trajectory {

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
