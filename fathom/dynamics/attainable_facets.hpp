#pragma once
#include <array>
#include <span>
#include <vector>

#include "fathom/geometry/types.hpp"
#include "fathom/model/thruster_map.hpp"

namespace fathom::dynamics {

inline constexpr std::array<int, 6> all_axes = {0, 1, 2, 3, 4, 5};

/// The attainable wrenches (attainable.hpp) by their facets, lower <= N tau <= upper with tau the given axes of
/// the wrench. A zonotope's facets come in parallel pairs: one row of N for both, of unit length in N and N m.
struct AttainableFacets {
  static constexpr std::size_t max_thrusters = 16;  ///< facets grow with their fifth power

  std::vector<int> axes;         ///< of [X Y Z K M N]
  Eigen::MatrixXd N;             ///< facet pairs x axes
  Eigen::VectorXd lower, upper;  ///< supports of -N (negative) and N
  Eigen::Index pairs() const { return N.rows(); }
};

/// Those of `axes` that the thrusters cannot push apart from the ones before: without them, each of those left
/// can be pushed by itself.
std::vector<int> unpushable_axes(const Mat6X& B, std::span<const model::ForceRange> limits,
                                 std::span<const int> axes = all_axes);

/// Throws InputError as AttainableWrench does, beyond `max_thrusters`, and if there are axes that cannot be
/// pushed: the set would be flat. There are at most as many pairs as ways to choose axes - 1 thrusters: 4368
/// for 16 of them.
AttainableFacets attainable_facets(const Mat6X& B, std::span<const model::ForceRange> limits,
                                   std::span<const int> axes = all_axes);

}  // namespace fathom::dynamics
