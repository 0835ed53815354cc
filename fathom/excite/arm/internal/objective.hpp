#pragma once
#include "fathom/consistency/base_parameters.hpp"
#include "fathom/excite/arm/internal/regressor_sweep.hpp"
#include "fathom/excite/arm/problem.hpp"
#include "fathom/excite/criterion.hpp"
#include "fathom/solve/interior_point.hpp"

namespace fathom::excite::internal {

/// What all starts share: constants of a problem. Immutable.
struct ArmFrame {
  explicit ArmFrame(const ArmProblem& problem);

  ArmProblem problem;
  dynamics::Arm arm;
  consistency::BaseParameters base;     ///< what any motion shows: the columns of the criterion
  dynamics::ArmColumns columns;         ///< of the sweep: the problem's, and what limits of effort need besides
  std::vector<Eigen::Index> kept;       ///< of the base, their place among the sweep's
  Eigen::MatrixXd value, rate, second;  ///< samples x coefficients
  Eigen::VectorXd middle, half;         ///< of the coordinates: u = middle + half * series(x)
  Eigen::VectorXd nominal;              ///< numbers of the arm in the sweep's columns
  Eigen::VectorXd column_scale;         ///< of the base columns, one over their size; 1 until set
  std::vector<double> sign_speed;

  Eigen::Index coefficients() const { return value.cols(); }
  Eigen::Index unknowns() const { return coefficients() * middle.size(); }
  /// Position, speed and acceleration of the coordinates at all samples, tightened by cos(pi N / M): a
  /// trigonometric polynomial of degree N that keeps so much below a bound at M instants keeps the bound at all
  /// times (Ehlich and Zeller 1964).
  solve::BlockProgram linear_limits() const;
  FourierSeries series(const Eigen::VectorXd& x) const;
};

/// The criterion as a function of the coefficients of all joints (joint after joint, as shares of half their
/// ranges), with the barrier of the limits that are not linear in them. One per thread.
class ArmObjective : public solve::Objective {
 public:
  explicit ArmObjective(const ArmFrame& frame);

  double evaluate(const Eigen::VectorXd& x, double mu, Eigen::VectorXd& gradient) override;
  /// Information of the motion at x in the base columns, scaled; nothing else.
  const Eigen::MatrixXd& information(const Eigen::VectorXd& x);
  /// The rows behind the last information.
  const Eigen::MatrixXd& rows() const { return rows_; }
  /// Every limit that is not linear holds at the samples, each by a share of 1 %.
  bool is_inside(const Eigen::VectorXd& x);
  double value() const { return value_; }  ///< of the criterion at the last x, without barrier
  CriterionFunction& criterion() { return criterion_; }

 private:
  void move(const Eigen::VectorXd& x);
  double barrier(double weight);
  double bound(double value, double limit, double weight, double& slope) const;
  void push_back(std::size_t sample);

  const ArmFrame* frame_;
  RegressorSweep sweep_;
  CriterionFunction criterion_;
  std::vector<RegressorSweep::Sample> samples_;
  std::vector<Eigen::MatrixXd> full_;  // Y of each sample, all columns
  Eigen::MatrixXd rows_, weighted_;    // base columns of all samples, over K(q) if in current, scaled
  Eigen::MatrixXd gain_;               // 1 or 1 / K(q), by sample and joint
  Eigen::MatrixXd G_, W_;
  Eigen::MatrixXd Z_;
  Eigen::MatrixXd effort_bar_, by_q_, by_dq_, by_ddq_;  // samples x joints
  Eigen::MatrixXd by_u_, by_du_, by_ddu_;
  Eigen::MatrixXd du_, ddu_;  // of the series
  bool barrier_is_needed_ = false;
  double value_ = 0;
};

}  // namespace fathom::excite::internal
