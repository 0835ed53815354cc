#pragma once
#include <vector>

#include "fathom/solve/internal/compact_bfgs.hpp"
#include "fathom/solve/internal/row_panels.hpp"

namespace fathom::solve::internal {

/// Solves (B + A' diag(theta) A) x = r, B a CompactBfgs: docs/solvers.md eqs. 4 to 6.
class StepMatrix {
 public:
  explicit StepMatrix(const RowPanels& rows);

  /// Factors P = sigma I + A' diag(theta) A.
  void factor(const RowPanels& rows, double sigma, const Eigen::ArrayXd& theta);
  /// (P - W M^-1 W')^-1 r in place; `factor` was called with B's sigma.
  void solve(const CompactBfgs& B, Eigen::VectorXd& r);

 private:
  void fill_Q(const CompactBfgs& B, const Eigen::VectorXd& r);
  void form_gram();

  BlockBand band_;
  Eigen::Index columns_ = 0;  ///< of Q, made even
  std::vector<double> Q_;     ///< row-major: U'^-1 [r W], its rows filled up to a multiple of four
  std::vector<double> G_;     ///< row-major: Q'Q, lower triangle
  CompactBfgs::Small C_;
  CompactBfgs::SmallVector c_;
  Eigen::PartialPivLU<CompactBfgs::Small> lu_;
};

}  // namespace fathom::solve::internal
