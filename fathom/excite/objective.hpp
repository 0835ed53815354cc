#pragma once
#include "fathom/excite/criterion.hpp"
#include "fathom/excite/information.hpp"
#include "fathom/excite/marginal.hpp"
#include "fathom/excite/path_limits.hpp"
#include "fathom/excite/sampling.hpp"
#include "fathom/excite/thruster_errors.hpp"
#include "fathom/solve/interior_point.hpp"

namespace fathom::excite {

/// The criterion of a problem as a function of the free numbers of its path, with the barrier of the limits
/// that are not linear. One per thread.
class PathObjective : public solve::Objective {
 public:
  PathObjective(const Problem& problem, const trajectory::Basis& basis);

  /// mu of the barrier is 1e-5 at least.
  double evaluate(const Eigen::VectorXd& x, double mu, Eigen::VectorXd& gradient) override;
  void add_curvature(const Eigen::VectorXd& x, double mu, solve::Curvature& to) override;
  double slack_ratio() const override;
  /// x lies inside the limits that are not linear.
  bool is_inside(const Eigen::VectorXd& x);

  /// The criterion at the x that was last evaluated, without barriers.
  double value() const { return value_; }

  Sampling& sampling() { return sampling_; }
  CriterionFunction& criterion() { return criterion_; }
  PathLimits& limits() { return limits_; }
  /// The motion at the x that was last evaluated; may be written to.
  Samples& samples() { return samples_; }

 private:
  /// Adds the gradient by the samples of the criterion.
  void add_criterion_gradient();

  PathLimits limits_;
  Sampling sampling_;
  ThrusterErrors errors_;
  Information information_;
  Marginal marginal_;  // over errors_
  CriterionFunction criterion_;
  double value_ = 0;
  Samples samples_, adjoint_;
  Eigen::ArrayXd weight_;           // of the barrier, by sample
  Eigen::ArrayXXd least_, before_;  // slack / scale by sample and kind of limit, now and at the last curvature
  PathLimits::Slopes slopes_;
  Eigen::MatrixXd W_;
};

}  // namespace fathom::excite
