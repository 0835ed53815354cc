#pragma once
#include "fathom/trajectory/bezier.hpp"
#include "fathom/trajectory/reference.hpp"

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

}  // namespace fathom::trajectory
