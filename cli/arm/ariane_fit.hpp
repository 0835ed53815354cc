#pragma once
#include "fathom/dynamics/arm_regressor.hpp"

#include "cli/arm/ariane_plant.hpp"

namespace fathom::cli {

/// Joint motion and current, samples x joints: what identify::ArmRun of the library's own estimator takes, with
/// current for effort. The functions below are the paper's plain way (its eqs. 18 to 21) and stand where that
/// estimator may be put: prepare, fit, predict.
struct ArianeRun {
  Eigen::MatrixXd q, dq, ddq, current;
};

/// Third-order Butterworth at 0.1 of the Nyquist frequency forward and backward on the shafts' angles,
/// differences, then through the levers; currents as they are. `margin` s are dropped at both ends.
ArianeRun prepare_ariane(const model::Arm& arm, const ArianeRecord& record, double margin);

/// rad/s of a shaft below which it may stick: 40 increments a second.
inline constexpr double shaft_at_rest = 10;

/// i = K(q)^-1 Y theta in the columns that any motion shows.
class CurrentModel {
 public:
  CurrentModel(const model::Arm& arm, const dynamics::ArmColumns& columns);

  std::size_t rank() const { return kept_.size(); }
  /// By least squares of all joints together, without rows of joints at rest: dry friction is then any number
  /// within its bounds, an inequality.
  Eigen::VectorXd fit(const ArianeRun& run) const;
  /// 1 where a joint moves, samples x joints.
  Eigen::MatrixXd moving(const ArianeRun& run) const;
  /// The base parameters that an arm has.
  Eigen::VectorXd parameters_of(const model::Arm& arm) const;
  /// Samples x joints.
  Eigen::MatrixXd predict(const Eigen::VectorXd& parameters, const ArianeRun& run) const;

 private:
  /// Rows of all joints at one sample.
  void rows(const ArianeRun& run, Eigen::Index sample, dynamics::ArmWorkspace& workspace, Eigen::MatrixXd& full,
            Eigen::MatrixXd& base) const;

  model::Arm robot_;
  dynamics::Arm arm_;
  dynamics::ArmColumns columns_;
  std::vector<std::size_t> kept_;
  Eigen::MatrixXd grouping_;
};

}  // namespace fathom::cli
