#pragma once
#include <ceres/cost_function.h>

#include "fathom/identify/internal/force_prior.hpp"

namespace fathom::identify::internal {

/// What Ceres minimises half the sum of squares of. Blocks of unknowns: theta, delay, current, and per shot its
/// own.

/// (predicted - measured) / sigma of one shot, then what its force is beside the prior.
class ShotCost : public ceres::CostFunction {
 public:
  /// Keeps references. `sigma`: of each free velocity.
  ShotCost(const model::Structure& structure, const Shot& shot, const Eigen::VectorXd& sigma,
           const ForcePrior& prior);
  bool Evaluate(double const* const* unknowns, double* residuals, double** jacobians) const override;

 private:
  const model::Structure& structure_;
  const Shot& shot_;
  const Eigen::VectorXd& sigma_;
  Eigen::MatrixXd whitener_;
};

/// Residuals whose half sum of squares is weight / 2 (sum tr S_j^-1 + sum 1 / s_k): an inverse barrier, which
/// unlike the logarithm is a sum of squares, sqrt(weight) L^-1 with S = L L'. Refuses theta outside.
class ConditionBarrier : public ceres::CostFunction {
 public:
  ConditionBarrier(const solve::ConicSet& set, double weight);
  bool Evaluate(double const* const* unknowns, double* residuals, double** jacobians) const override;

 private:
  const solve::ConicSet& set_;
  double root_weight_;
};

/// `theta` or the strictly inner point nearest to it, relative to its numbers, from which a barrier lets it
/// move.
Eigen::VectorXd moved_inside(const solve::ConicSet& set, const Eigen::VectorXd& theta);

}  // namespace fathom::identify::internal
