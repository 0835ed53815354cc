#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "fathom/consistency/identifiability.hpp"
#include "fathom/dynamics/regressor.hpp"
#include "fathom/model/arm.hpp"
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
  /// Returns a combination in words, such as "link.Izz + 0.5 other.m".
  std::string to_text(std::size_t k, const model::ParameterVector& standard) const;
  /// Returns the combinations of `standard` as parameters of their own: name, unit and group of the column that
  /// stays. The covariance is made symmetric; a variance that rounding left below zero counts as zero.
  model::ParameterVector combined(const model::ParameterVector& standard, const Eigen::VectorXd& values,
                                  const Eigen::MatrixXd& covariance) const;
  /// The kept columns of rows that came after.
  Eigen::MatrixXd columns(const Eigen::Ref<const Eigen::MatrixXd>& Y) const;
};

/// `rows`: their factor is enough, so that a long run costs no memory. A column depends on those before it
/// where less than `tolerance` of its length is left.
BaseParameters base_parameters(const solve::Rows& rows, double tolerance = 1e-8);

/// Random motions in which a robot shows its parameters.
struct RandomMotions {
  bool base_moves = false;      ///< turned and shaken in every direction
  Vec3 down_b = Vec3::UnitZ();  ///< of a base that stands still
  std::size_t samples = 200;
  std::uint64_t seed = 1;
};
/// Draws joint positions within their ranges, speeds and accelerations; a vehicle has no joints.
dynamics::MotionBatch draw(const RandomMotions& motions, std::span<const model::Joint> joints);

/// Returns the rows of a regressor, each at length one so that none drowns others.
solve::Rows unit_rows(const dynamics::Regressor& regressor, const dynamics::MotionBatch& motion);

/// Returns what any motion can show of a robot's parameters, and in which combination, from random motions.
BaseParameters base_parameters(const dynamics::Regressor& regressor, const dynamics::MotionBatch& motion);

}  // namespace fathom::consistency
