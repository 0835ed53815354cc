#pragma once
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
ArmRows arm_rows(const model::Arm& arm, std::span<const ArmRun> runs, const ArmFitOptions& options,
                 const consistency::BaseParameters& base);

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
void visit_samples(const model::Arm& robot, const ArmFitOptions& options, const ArmRun& run, const Take& take) {
  const dynamics::Arm arm(robot, options.environment, options.medium);
  dynamics::ArmWorkspace workspace(arm);
  KnownWater water(robot, options);
  const auto n = static_cast<Eigen::Index>(arm.size());
  Eigen::MatrixXd Y(n, static_cast<Eigen::Index>(dynamics::column_count(arm, options.columns)));
  Eigen::VectorXd known(n);
  dynamics::Motion base;
  base.down_b = options.down_b;
  Eigen::MatrixXd states(n, 3);
  for (Eigen::Index k = 0; k < run.samples(); ++k) {
    states << run.q.row(k).transpose(), run.dq.row(k).transpose(), run.ddq.row(k).transpose();
    const auto column = [&](Eigen::Index c) {
      return std::span<const double>(states.col(c).data(), static_cast<std::size_t>(n));
    };
    dynamics::arm_regressor(arm, options.columns, base, column(0), column(1), column(2), workspace, Y);
    known.setZero();
    water.add(column(0), column(1), column(2), std::span(known.data(), static_cast<std::size_t>(n)));
    if (options.by_current)
      for (Eigen::Index j = 0; j < n; ++j) {
        const model::Actuator& actuator = *robot.joints()[static_cast<std::size_t>(j)].actuator;
        const double K = model::motor_angle(actuator.transmission, run.q(k, j)).ratio * actuator.motor.k_t;
        Y.row(j) /= K;
        known[j] /= K;
      }
    take(k, Y, known);
  }
}

/// Joint by joint, of samples at which it moves.
std::vector<Metrics> score_moving(const ArmFit& fit, const ArmRun& run, const Eigen::MatrixXd& predicted);

/// Fills in `ConsistentArm` from a free fit.
ConsistentArm consistent_arm(const ArmFit& fit);

}  // namespace fathom::identify::internal
