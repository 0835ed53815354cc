#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "fathom/identify/arm/arm_fit.hpp"

namespace fathom::identify::internal {

/// All rows of all runs, each one joint at one sample.
struct ArmRows {
  Eigen::MatrixXd A;                 ///< columns that the base parameters keep
  Eigen::VectorXd y;                 ///< N m, N or A
  std::vector<Eigen::Index> joint;   ///< of each row
  std::vector<Eigen::Index> sample;  ///< of each row, counted through all runs
  std::vector<Eigen::Index> breaks;  ///< samples at which a run or a piece of one begins
  Eigen::Index samples = 0;
  std::vector<std::size_t> at_rest;
};
ArmRows arm_rows(const dynamics::ArmRegressor& regressor, std::span<const ArmRun> runs,
                 const ArmFitOptions& options, const consistency::BaseParameters& base);

/// Returns the regressor of an arm's standard parameters.
inline dynamics::ArmRegressor regressor_of(const model::Arm& arm, const ArmFitOptions& options) {
  return {arm, options.environment, options.columns, {.medium = options.medium}};
}

/// Dry friction is among the unknowns.
bool has_dry_friction(const dynamics::ArmColumns& columns);

/// What the water does to the joints by the arm's own numbers, as far as those have no columns.
class KnownWater {
 public:
  KnownWater(const model::Arm& arm, const ArmFitOptions& options);
  /// Adds to `efforts`, one for each joint.
  void add(std::span<const double> q, std::span<const double> dq, std::span<const double> ddq,
           std::span<double> efforts);

 private:
  dynamics::Arm wet_, dry_;  ///< without what has columns
  dynamics::ArmWorkspace wet_work_, dry_work_;
  dynamics::Motion base_;
  std::vector<double> scratch_;
  bool is_none_;
};

/// Calls take(sample, Y, known) with the regressor of all standard parameters and what the water does beside
/// it, both divided by K(q) where efforts are currents.
template <class Take>
void visit_samples(const dynamics::ArmRegressor& regressor, const ArmFitOptions& options, const ArmRun& run,
                   const Take& take) {
  constexpr Eigen::Index most = 256;  // samples of a batch
  const model::Arm& robot = regressor.nominal();
  KnownWater water(robot, options);
  const Eigen::Index n = regressor.row_count();
  Eigen::MatrixXd Y;
  Eigen::VectorXd known(n);
  dynamics::MotionBatch batch{{{.down_b = options.down_b}}};
  for (Eigen::Index k = 0; k < run.samples(); ++k) {
    const Eigen::Index at = k % most;
    if (at == 0) {
      const Eigen::Index count = std::min(most, run.samples() - k);
      batch.q = run.q.middleRows(k, count).transpose();
      batch.dq = run.dq.middleRows(k, count).transpose();
      batch.ddq = run.ddq.middleRows(k, count).transpose();
      Y = regressor.at(batch);
    }
    const auto of = [&](const Eigen::MatrixXd& all) {
      return std::span<const double>(all.col(at).data(), robot.size());
    };
    Eigen::MatrixXd own = Y.middleRows(at * n, n);
    known.setZero();
    water.add(of(batch.q), of(batch.dq), of(batch.ddq), std::span(known.data(), robot.size()));
    if (options.by_current)
      for (Eigen::Index j = 0; j < n; ++j) {
        const model::Actuator& actuator = *robot.joints()[static_cast<std::size_t>(j)].actuator;
        const double K = model::motor_angle(actuator.transmission, run.q(k, j)).ratio * actuator.motor.k_t;
        own.row(j) /= K;
        known[j] /= K;
      }
    take(k, own, known);
  }
}

/// Returns, for each joint, what a prediction's sigma has to be multiplied by for a band of 95 %: the quantile
/// of what rows are off by, over that sigma, where each row's own block of time is left out of the fit
/// (`shift`).
Eigen::VectorXd band_factors(const ArmFit& fit, const ArmRows& rows, const Eigen::VectorXd& shift);

/// Joint by joint, of samples at which it moves.
std::vector<Metrics> score_moving(const ArmFit& fit, const ArmRun& run, const Eigen::MatrixXd& predicted);

/// Fills in `ConsistentArm` from a free fit.
ConsistentArm consistent_arm(const dynamics::ArmRegressor& regressor, const ArmFit& fit);

}  // namespace fathom::identify::internal
