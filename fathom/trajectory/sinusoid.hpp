#pragma once
#include <vector>

#include <Eigen/Core>

#include "fathom/base/constants.hpp"
#include "fathom/trajectory/bezier.hpp"

namespace fathom::trajectory {

/// What one coordinate may do during a segment; infinite where it is free.
struct SinusoidBounds {
  struct Range {
    double min = -infinity;
    double max = infinity;
  };
  Range pose, rate, acceleration;
};

struct SinusoidSegment {
  double duration = 0;                 ///< s
  std::vector<SinusoidBounds> bounds;  ///< by coordinate
};

/// The motion to beat by a designed one: in each segment each coordinate swings about the middle of its box, as
/// wide and as fast as its bounds allow. Twice continuously differentiable, at rest at the ends of each
/// segment. docs/excitation.md eq. 6.
class Sinusoids {
 public:
  /// One coordinate during one segment: a move to `centre`, a sinusoid that fades in and out, a move to `to`.
  struct Swing {
    double begin = 0, end = 0;  ///< s, of the segment
    double from = 0, centre = 0, to = 0;
    double move_in = 0, move_out = 0;  ///< s
    double omega = 0;                  ///< rad/s
    double fade = 0;                   ///< s
    double amplitude = 0;

    /// Value, rate and acceleration.
    Eigen::Vector3d at(double t) const;
  };

  /// Throws InputError that names segment and coordinate where sizes or bounds make no sense, or where the
  /// bounds leave no way from `start` to `end` even without a swing.
  Sinusoids(const std::vector<SinusoidSegment>& segments, const Eigen::VectorXd& start,
            const Eigen::VectorXd& end);

  Eigen::Index coordinates() const { return static_cast<Eigen::Index>(swings_.front().size()); }
  double duration() const { return swings_.back().front().end; }
  /// By segment, then by coordinate.
  const std::vector<std::vector<Swing>>& swings() const { return swings_; }
  /// At t, or at the nearer end outside of [0, duration].
  Bezier::Sample at(double t) const;

 private:
  std::vector<std::vector<Swing>> swings_;
};

}  // namespace fathom::trajectory
