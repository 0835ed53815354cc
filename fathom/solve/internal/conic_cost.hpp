#pragma once
#include "fathom/base/constants.hpp"
#include "fathom/solve/conic.hpp"
#include "fathom/solve/internal/conic_cholesky.hpp"

namespace fathom::solve::internal {

/// The objective at a point, its derivatives, and the bound on f - f*; docs/solvers.md eqs. 22 to 28.
class ConicCost {
 public:
  /// `unknown_scales`: what is a large change of each unknown, where the objective does not tell.
  explicit ConicCost(const Eigen::VectorXd& unknown_scales);

  /// `objective` must stay where it is as long as this is used. Sizes are those of check().
  void set(const ConicObjective& objective);
  bool is_huber() const { return rho_ < infinity; }
  /// Directions that cost nothing, but for rounding, or less than nothing: P = G + Q is not positive definite.
  bool is_flat();
  const Eigen::MatrixXd& P() const { return P_; }

  /// f, gradient and what the Hessian needs, at x.
  void evaluate(const Eigen::VectorXd& x);
  double f() const { return f_; }
  const Eigen::VectorXd& gradient() const { return gradient_; }
  /// Beyond the Huber radius.
  bool is_bent() const { return kappa_ < 1; }
  /// Lower triangle of K = the Hessian at x, or one whose parabola through f(x) lies above f everywhere.
  enum class Curvature { true_one, at_most };
  void set_hessian(Curvature curvature, TileCholesky& K) const;

  /// A bound on f - f*, from r = grad f - A*(Z) and <S, Z>. `r` is destroyed.
  double gap(Eigen::VectorXd& r, double complementarity);
  /// Where f would be least without inequalities and without a bend; of flat directions, not too far off.
  void free_optimum(Eigen::VectorXd& x);
  /// Rounding error of f and what flat directions add: no gap is smaller.
  double rounding() const;
  /// |v| in the dual norm of diag P.
  double norm(const Eigen::VectorXd& v) const;

 private:
  explicit ConicCost(Eigen::Index n);
  void factor();
  void copy_P();
  double proximal_weight(Eigen::Index j) const;
  /// How far the bound reaches where P is flat: |y - x|_D^2 of docs/solvers.md.
  double reach2() const { return 4 * c_; }
  /// What that adds to the gap.
  double beyond() const;
  double huber_gap(const Eigen::VectorXd& r, const Eigen::VectorXd& p, double complementarity);

  const ConicObjective* objective_ = nullptr;
  bool has_Q_ = false, has_x0_ = false, is_factored_ = false, is_flat_ = false;
  double rho_ = 0, c_ = 0, f_ = 0, s_ = 0, kappa_ = 1, beta_ = 0;
  Eigen::MatrixXd P_;
  Eigen::VectorXd b_, gradient_;     // b + Q x0
  Eigen::VectorXd u_, h_, Qh_, Qp_;  // Gx - b, x - x0, Q (x - x0), Q p: where Huber may bend
  Eigen::VectorXd r_, unknown_scales_;
  TileCholesky factor_;  // of P
};

}  // namespace fathom::solve::internal
