#pragma once
#include <variant>

#include "fathom/trajectory/pose_path.hpp"
#include "fathom/trajectory/waypoints.hpp"

namespace fathom::trajectory {

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
