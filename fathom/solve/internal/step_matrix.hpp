#pragma once
#include <vector>

#include "fathom/solve/interior_point.hpp"
#include "fathom/solve/internal/compact_bfgs.hpp"
#include "fathom/solve/internal/row_panels.hpp"

namespace fathom::solve::internal {

/// The banded matrix H that an objective adds up. It ties blocks, so its rows stand in another order than x:
/// the first unknown of every block, then the second of every block, and so on.
class KnownCurvature final : public Curvature {
 public:
  explicit KnownCurvature(const BlockProgram& program);

  bool is_possible() const { return width_ > 0; }
  bool empty() const { return empty_; }  ///< nothing was added
  void clear();
  void add(Eigen::Index first, Eigen::Index count, const double* matrix) override;
  void multiply(const Eigen::VectorXd& x, Eigen::VectorXd& Hx) const;

  /// Of unknown i of block k.
  Eigen::Index position(std::size_t k, Eigen::Index i) const {
    return i * blocks_ + static_cast<Eigen::Index>(k);
  }
  /// A band that holds H and matrices whose blocks have at most the width of `others`.
  BlockBand make_band(const BlockBand& others) const;
  /// sum = H + blocks
  void add_to(const BlockBand& blocks, BlockBand& sum) const;

 private:
  Eigen::Index blocks_ = 0, size_ = 0, reach_ = 0;  ///< size: unknowns of a block
  Eigen::Index width_ = 0;                          ///< of the band; 0 where the program has no reach
  bool empty_ = true;
  BlockBand band_;
};

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
