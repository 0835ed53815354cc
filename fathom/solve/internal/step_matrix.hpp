#pragma once
#include <vector>

#include "fathom/solve/internal/compact_bfgs.hpp"
#include "fathom/solve/internal/known_curvature.hpp"
#include "fathom/solve/internal/row_panels.hpp"

namespace fathom::solve::internal {

/// Solves (B + H + A' diag(theta) A) x = r, B a CompactBfgs, H a KnownCurvature: docs/solvers.md eqs. 4 to 6.
class StepMatrix {
 public:
  StepMatrix(const RowPanels& rows, const KnownCurvature& H);

  /// Factors P = sigma I + H + A' diag(theta) A.
  void factor(const RowPanels& rows, double sigma, const Eigen::ArrayXd& theta, const KnownCurvature& H);
  /// (P - W M^-1 W')^-1 r in place; `factor` was called with B's sigma.
  void solve(const CompactBfgs& B, Eigen::VectorXd& r);

 private:
  void fill_Q(const CompactBfgs& B, const Eigen::VectorXd& r);
  void form_gram();
  /// r = U^-1 r_
  void solve_upper(Eigen::VectorXd& r);
  Eigen::Index place(Eigen::Index k) const { return is_tied_ ? places_[k] : k; }
  BlockBand& factored() { return is_tied_ ? tied_ : blocks_; }

  BlockBand blocks_, tied_;  ///< P without H; with H, which ties blocks
  bool is_tied_ = false;
  std::vector<Eigen::Index> places_;  ///< of x's numbers in the latter
  Eigen::VectorXd r_;                 ///< in that order
  Eigen::Index columns_ = 0;          ///< of Q, made even
  std::vector<double> Q_;             ///< row-major: U'^-1 [r W], its rows filled up to a multiple of four
  std::vector<double> G_;             ///< row-major: Q'Q, lower triangle
  CompactBfgs::Small C_;
  CompactBfgs::SmallVector c_;
  Eigen::PartialPivLU<CompactBfgs::Small> lu_;
};

}  // namespace fathom::solve::internal
