#pragma once
#include <vector>

#include <Eigen/Core>

#include "fathom/consistency/identifiability.hpp"
#include "fathom/solve/least_squares.hpp"

namespace fathom::consistency {

/// What rows Y theta show of theta, exactly: a least set of combinations that give every row back (Gautier
/// 1991). Of columns that depend on each other the first stay and take the others in.
struct BaseParameters {
  std::vector<std::size_t> kept;  ///< columns, rising; one combination each
  /// base = grouping theta: the identity in the kept columns, in the others how they are taken in.
  Eigen::MatrixXd grouping;
  /// Of the kept columns, how far the nearest is from depending on those before it, and of the others the
  /// farthest: lengths of what is left of a column of length one. Between them lies the tolerance.
  double least_kept = 1, most_dropped = 0;

  std::size_t rank() const { return kept.size(); }
  Combination combination(std::size_t k) const;
  /// The kept columns of rows that came after.
  Eigen::MatrixXd columns(const Eigen::Ref<const Eigen::MatrixXd>& Y) const;
};

/// `rows`: their factor is enough, so that a long run costs no memory. A column depends on those before it
/// where less than `tolerance` of its length is left.
BaseParameters base_parameters(const solve::Rows& rows, double tolerance = 1e-8);

}  // namespace fathom::consistency
