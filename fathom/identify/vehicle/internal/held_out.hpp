#pragma once
#include <array>
#include <vector>

#include "fathom/identify/vehicle/regression.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/solve/least_squares.hpp"

namespace fathom::identify::internal {

/// Where blocks of time begin, in samples, and the end: `most` of them, fewer where a log is short. Throws
/// InputError where it is too short for any, or `most` is too few to compare by; docs/identification.md,
/// "Structure".
std::vector<Eigen::Index> block_borders(const Regression& regression, int most);

/// What one block adds to a fit, and by what it judges one.
struct BlockSums {
  using ByVelocity = std::array<double, scored_velocities.size()>;

  solve::Rows first, middle, last;  ///< weighed; `first` and `last` are next to another block
  std::vector<solve::Rows> judged;  ///< not weighed, by judged velocity
  ByVelocity wrench_square = {};
  double samples = 0;

  explicit BlockSums(Eigen::Index unknowns);
  /// Sum of squares of what theta leaves of the whole block.
  ByVelocity residual_square(const Eigen::VectorXd& theta) const;
};

/// `sigma` weighs the rows of [u v w p q r]. The structure has all judged velocities.
std::vector<BlockSums> sums_by_block(const Regression& regression, const Nuisance& at, const Vec6& sigma,
                                     const std::vector<Eigen::Index>& borders);

/// All blocks but one, without what its windows see too.
solve::Rows rows_without(const std::vector<BlockSums>& sums, std::size_t held_out);

}  // namespace fathom::identify::internal
