#pragma once
#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "fathom/excite/condition.hpp"
#include "fathom/excite/problem.hpp"

namespace fathom::excite {

/// How good a motion is, as a function of the information G that it gives; less is better.
/// docs/excitation.md eqs. 13 and 15 to 17. One per thread: it holds scratch memory.
class CriterionFunction {
 public:
  /// `scale`: the error in each parameter that counts as one; `prior`: information that is there before, per
  /// parameter, in its own unit (1 / sigma^2). The condition number heeds neither.
  CriterionFunction(Criterion criterion, Eigen::VectorXd scale, Eigen::VectorXd prior);

  /// A-optimal: log tr C, C = (S (G + P) S)^-1, S = diag(scale). D-optimal: (log det C) / n. Condition
  /// number: log of it, with the largest and the smallest eigenvalue smoothed by Schatten norms of `power`. Its
  /// derivative by G goes to `W`. Infinite where G is not positive definite. Does not allocate.
  double evaluate(const Eigen::MatrixXd& G, Eigen::MatrixXd& W);
  Eigen::Index size() const { return scale_.size(); }
  /// Of the condition number: 8 is smooth; 64 overshoots by n^(1/64) at most, 5 % for 23 parameters, where
  /// all eigenvalues but one pair were alike.
  void set_power(double power) { condition_.set_power(power); }

 private:
  Criterion criterion_;
  Eigen::VectorXd scale_, prior_;
  Eigen::MatrixXd scaled_, inverse_;
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
  SmoothCondition condition_;
};

}  // namespace fathom::excite
