#pragma once
#include "fathom/solve/internal/conic_cones.hpp"
#include "fathom/solve/internal/conic_cost.hpp"

namespace fathom::solve::internal {

/// The interior point itself: x strictly feasible, multipliers Z > 0, and steps towards the optimum.
/// docs/solvers.md eqs. 22 to 30.
class ConicPath {
 public:
  ConicPath(const Cones& cones, ConicCost& cost);

  /// Puts x there and Z = mu S^-1; false unless S(x) > 0. mu = `share` f / degree.
  bool place(const Eigen::VectorXd& x, double share);
  /// How far x may go along dx, at most once.
  double share_inside(const Eigen::VectorXd& dx);
  ConicStatus run(const ConicOptions& options);

  const Eigen::VectorXd& x() const { return x_; }
  const Eigen::VectorXd& Z() const { return Z_; }
  /// The step towards the optimum itself, from where the last step began; from x where there was none.
  const Eigen::VectorXd& predicted_dS() const { return dS_predicted_; }
  const Eigen::VectorXd& predicted_from() const { return S_before_; }
  /// The first x with <S, Z> <= f, if there was one: inner, and near what is sought.
  bool is_between_known() const { return is_between_known_; }
  const Eigen::VectorXd& x_between() const { return x_between_; }
  double gap() const { return gap_; }
  int iterations() const { return iterations_; }
  double stationarity() const { return stationarity_; }
  double complementarity() const { return S_.dot(Z_); }

 private:
  using Curvature = ConicCost::Curvature;
  ConicStatus iterate(const ConicOptions& options);
  bool is_optimal(const ConicOptions& options);
  void factor(Curvature curvature);
  bool step(Curvature curvature);
  void predict();
  void correct();
  void solve_step();
  bool move(int cuts);
  bool move_primal(double share, int cuts);
  double merit(double f, double log_det) const { return f - target_ * log_det; }

  const Cones& cones_;
  ConicCost& cost_;
  TileCholesky K_;
  Eigen::VectorXd x_, x_try_, x_between_, dx_, r_, AV_;  // by unknown
  Eigen::VectorXd S_, V_, Z_, S_try_, V_try_, Z_try_;    // stacks
  Eigen::VectorXd dS_, dZ_, correction_, dS_predicted_, S_before_;
  double mu_ = 0, target_ = 0, log_det_ = 0, log_det_try_ = 0;
  double gap_ = 0, stationarity_ = 0, share_ = 0;
  int iterations_ = 0;
  bool is_between_known_ = false;
};

}  // namespace fathom::solve::internal
