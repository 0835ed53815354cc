#pragma once
#include <ceres/cost_function.h>

#include "fathom/identify/vehicle/internal/innovations.hpp"
#include "fathom/identify/vehicle/internal/segment.hpp"

namespace fathom::identify::internal {

/// What Ceres minimises half the sum of squares of. Blocks of unknowns: theta, delay, current, and per shot the
/// velocity at which it begins.

/// What is new in predicted - measured of one shot, in sigmas.
class SegmentCost : public ceres::CostFunction {
 public:
  /// Keeps references.
  SegmentCost(const model::Structure& structure, const Segment& segment, const Innovations& innovations);
  bool Evaluate(double const* const* unknowns, double* residuals, double** jacobians) const override;

 private:
  const model::Structure& structure_;
  const Segment& segment_;
  const Innovations& innovations_;
};

/// Residuals whose half sum of squares is weight / 2 (sum tr S_j^-1 + sum 1 / s_k): an inverse barrier, which
/// unlike the logarithm is a sum of squares, sqrt(weight) L^-1 with S = L L'. Refuses theta outside.
class ConstraintBarrier : public ceres::CostFunction {
 public:
  ConstraintBarrier(const solve::ConicSet& set, double weight);
  bool Evaluate(double const* const* unknowns, double* residuals, double** jacobians) const override;

 private:
  const solve::ConicSet& set_;
  double root_weight_;
};

/// Residuals that are zero, so that they cost nothing, with slopes: the curvature of the barrier that the
/// squares of its own slopes lack, three quarters of it. Without them steps towards a border go four times too
/// far.
class BarrierCurvature : public ceres::CostFunction {
 public:
  explicit BarrierCurvature(const ConstraintBarrier& barrier);  ///< keeps the reference
  bool Evaluate(double const* const* unknowns, double* residuals, double** jacobians) const override;

 private:
  const ConstraintBarrier& barrier_;
};

/// `theta` or the strictly inner point nearest to it, relative to its numbers, from which a barrier lets it
/// move.
Eigen::VectorXd moved_inside(const solve::ConicSet& set, const Eigen::VectorXd& theta);

}  // namespace fathom::identify::internal
