#pragma once
#include <vector>

#include <ceres/cost_function.h>

#include "fathom/identify/vehicle/internal/segment.hpp"

namespace fathom::identify::internal {

/// Everything unknown in one vector, because Ceres orders blocks by their addresses: theta, delay, current
/// north and east, and the velocity at which each shot begins.
class Unknowns {
 public:
  /// Shots begin as measured.
  Unknowns(const Fit& start, const std::vector<Segment>& segments, double most_delay);

  auto theta() { return x_.head(parameters_); }
  auto theta() const { return x_.head(parameters_); }
  double* delay() { return x_.data() + parameters_; }
  const double* delay() const { return x_.data() + parameters_; }
  auto current_n() { return x_.segment<2>(parameters_ + 1); }
  auto current_n() const { return x_.segment<2>(parameters_ + 1); }
  double* start(std::size_t segment) { return x_.data() + start_[segment]; }
  SegmentUnknowns of(std::size_t segment) const {
    return {x_.data(), delay(), delay() + 1, x_.data() + start_[segment]};
  }
  /// Back to the measured velocities.
  void restart(const std::vector<Segment>& segments);

 private:
  Eigen::VectorXd x_;
  Eigen::Index parameters_;
  std::vector<Eigen::Index> start_;
};

/// predicted - measured, shot by shot: free velocities x samples. Throws InputError where the model cannot run.
std::vector<Eigen::MatrixXd> residuals(const model::Structure& structure, const std::vector<Segment>& segments,
                                       const Unknowns& unknowns);

/// What is minimised, but for its point.
struct Shooting {
  const model::Structure& structure;
  const std::vector<Segment>& segments;
  Innovations innovations;

  Eigen::Index samples() const;
};

/// Half the sum of squares of what is minimised, without the current's prior and the barrier.
double cost(const Shooting& shooting, const Unknowns& unknowns);

/// Of theta, then delay and current where they are estimated.
struct ProfileCovariance {
  Eigen::MatrixXd true_one;  ///< with serial correlation and attitude errors: docs/identification.md eq. 22
  Eigen::MatrixXd white;     ///< as if residuals were white
  double bandwidth = 0;      ///< samples
};
ProfileCovariance profile_covariance(const Shooting& shooting, std::span<const Recording> recordings,
                                     const Unknowns& unknowns, const OutputErrorOptions& options);

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
