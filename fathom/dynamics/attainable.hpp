#pragma once
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "fathom/geometry/types.hpp"
#include "fathom/model/thruster_map.hpp"

namespace fathom::dynamics {

/// The wrenches that thrusters within their limits can give, {B f : f_min <= f <= f_max}, a zonotope;
/// docs/model.md eq. 37. Immutable; up to 22 thrusters, more than one robot has, calls take no memory.
class AttainableWrench {
 public:
  /// Throws InputError unless there are thrusters with finite limits, min <= max. Zero need not lie within: a
  /// stuck thruster has min = max.
  AttainableWrench(const Mat6X& B, std::span<const model::ForceRange> limits);

  /// max d' tau over the set.
  double support(const Vec6& direction) const;
  /// The largest s >= 0 with s d in the set; nothing if there is none, infinite for d = 0.
  std::optional<double> largest_scale(const Vec6& d) const;
  /// Within `tolerance` of the largest thruster force.
  bool contains(const Vec6& tau, double tolerance = 1e-9) const;
  /// Of each axis alone, the others zero. NaN where not even zero on the others can be had.
  std::array<model::ForceRange, 6> axis_ranges() const;

 private:
  std::optional<double> scale_of(const Vec6& offset, const Vec6& unit, double most) const;
  template <class Program>
  std::optional<double> solve(Program& program, const Vec6& offset, const Vec6& unit, double most) const;

  Mat6X B_;
  std::vector<model::ForceRange> limits_;
  std::vector<double> nearest_;  // to zero within the limits
  Vec6 bias_ = Vec6::Zero();     // B nearest
  double unit_ = 1;              // N, makes the linear program's numbers of the order of one
};

}  // namespace fathom::dynamics
