#pragma once
#include "fathom/solve/interior_point.hpp"
#include "fathom/solve/internal/row_panels.hpp"
#include "fathom/solve/internal/step_matrix.hpp"

namespace fathom::solve::internal {

/// Both sides of every row as slacks s = sign (A x) - bound > 0: the lower sides in the panels' order, then the
/// upper ones. An open side has sign 0 and the slack 1, so that every loop runs over all of them without
/// asking.
class Sides {
 public:
  Sides(const BlockProgram& program, const RowPanels& rows);

  Eigen::Index size() const { return 2 * slots_; }
  const Eigen::ArrayXd& closed() const { return closed_; }  ///< 1, or 0 for an open side

  void slacks(const Eigen::ArrayXd& Ax, Eigen::ArrayXd& s) const;
  /// Their change by A dx.
  void changes(const Eigen::ArrayXd& A_dx, Eigen::ArrayXd& ds) const;
  /// Row by row, sign_lower z_lower + sign_upper z_upper: what A' is applied to.
  template <class Numbers>
  void signed_sum(const Numbers& z, Eigen::ArrayXd& y) const {
    y = sign_.head(slots_) * z.head(slots_) + sign_.tail(slots_) * z.tail(slots_);
  }
  /// Row by row, z_lower + z_upper.
  template <class Numbers>
  void sum(const Numbers& z, Eigen::ArrayXd& y) const {
    y = z.head(slots_) + z.tail(slots_);
  }
  /// Smallest slack over the width of its row's range; infinite where every side is open.
  double margin(const Eigen::ArrayXd& s) const;

 private:
  Eigen::Index slots_ = 0;
  Eigen::ArrayXd sign_, bound_, closed_;
  Eigen::ArrayXd per_width_;  ///< 1 / width of the row's range; infinite for an open side
};

/// Sum of the logarithms of positive numbers.
double sum_of_logs(const Eigen::ArrayXd& s);

/// A program in its own layout, one strictly inner point of it with its duals, and the step from there.
class Iterate {
 public:
  explicit Iterate(const BlockProgram& program);

  /// Puts x at `start`; throws InputError unless it has the right size and lies strictly inside.
  void place(const Eigen::VectorXd& start);
  void center_duals(double mu) { z = mu * sides.closed() / s; }
  /// False unless x_try lies strictly inside. Fills s_try.
  bool try_inside();
  /// x_try becomes x, and the duals go `dual_share` of their step.
  void accept(double mu, double dual_share);

  /// docs/solvers.md eqs. 4 to 7: dx, ds, dz and the merit's slope for barrier mu, from `gradient`.
  void solve_step(double mu, const CompactBfgs& B);
  /// Largest share, at most one, of the step that leaves (1 - to_boundary) of every slack or dual.
  double primal_share(double to_boundary) const;
  double dual_share(double to_boundary) const;

  /// Of x, z and `gradient`: `stationarity` and `complementarity` ask for it first.
  void update_residual();
  double stationarity() const;
  double complementarity(double mu) const;

  RowPanels rows;
  Sides sides;
  CompactBfgs bfgs;
  KnownCurvature H;  ///< of the objective at x
  Eigen::VectorXd x, dx, gradient;
  Eigen::VectorXd x_try, gradient_try;
  Eigen::VectorXd H_dx, H_dx_before;
  Eigen::ArrayXd s, z, ds, dz, s_try;  ///< by side
  double slope = 0;                    ///< of the merit along dx

 private:
  double dual_scale() const;

  StepMatrix matrix_;
  double closed_count_ = 0;
  Eigen::VectorXd residual_, At_y_;
  Eigen::ArrayXd Ax_, y_;  ///< by row
};

}  // namespace fathom::solve::internal

namespace fathom::solve {

struct InteriorPoint::Workspace : internal::Iterate {
  using Iterate::Iterate;
};

}  // namespace fathom::solve
