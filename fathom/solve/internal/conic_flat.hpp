#pragma once
#include "fathom/solve/internal/conic_cones.hpp"

namespace fathom::solve::internal {

/// Directions d of no cost, P d = 0, and whether one of them leads away within the cones, A(d) >= 0.
class FlatDirections {
 public:
  explicit FlatDirections(const Cones& cones);

  /// False where P has a direction of negative curvature.
  bool find(const Eigen::MatrixXd& P);
  /// Of the P of find(), from a point with S(x) > 0. docs/solvers.md, "Directions of no cost".
  bool lead_away(const Eigen::VectorXd& x);

 private:
  enum class Verdict { open, bounded, away };
  void find_pivots();
  void find_basis();
  Verdict step();
  void move(double decrement);

  const Cones& cones_;
  Eigen::Index count_ = 0;  // of flat directions
  Eigen::MatrixXd L_, basis_, H_, HN_, reduced_;
  Eigen::VectorXi order_;
  TileCholesky factor_, full_;
  Eigen::VectorXd unit_, x_, x_try_, dx_, gradient_, d_, S_, V_, S_first_, S_try_, V_try_, dS_;
  double log_det_ = 0;
};

}  // namespace fathom::solve::internal
