#pragma once
#include "fathom/solve/interior_point.hpp"
#include "fathom/solve/internal/sides.hpp"
#include "fathom/solve/internal/step_matrix.hpp"

namespace fathom::solve::internal {

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
