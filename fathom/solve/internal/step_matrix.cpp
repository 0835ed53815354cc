#include "fathom/solve/internal/step_matrix.hpp"

#include <algorithm>

#include "fathom/solve/internal/add_four.hpp"

namespace fathom::solve::internal {
namespace {

using Index = Eigen::Index;

constexpr Index most_columns = 2 * CompactBfgs::most_pairs + 2;

Index to_multiple_of_four(Index n) { return (n + 3) / 4 * 4; }

}  // namespace

StepMatrix::StepMatrix(const RowPanels& rows)
    : band_(rows.make_band()),
      Q_(to_multiple_of_four(rows.unknowns()) * most_columns),
      G_(most_columns * most_columns) {}

void StepMatrix::factor(const RowPanels& rows, double sigma, const Eigen::ArrayXd& theta) {
  band_.set_diagonal(sigma);
  rows.add_gram(theta, band_);
  band_.factor();
}

void StepMatrix::fill_Q(const CompactBfgs& B, const Eigen::VectorXd& r) {
  const Index n = B.columns();
  columns_ = n + 2;
  double* q = Q_.data();
  for (Index k = 0; k < r.size(); ++k, q += columns_) {
    const double* v = B.row(k);
    q[0] = r[k];
    for (Index c = 0; c < n; c += 2) {
      q[1 + c] = B.sigma() * v[c];
      q[2 + c] = v[c + 1];
    }
    q[1 + n] = 0;
  }
  std::fill_n(q, (to_multiple_of_four(r.size()) - r.size()) * columns_, 0.0);
}

void StepMatrix::form_gram() {
  std::fill_n(G_.data(), columns_ * columns_, 0.0);
  const double* end = Q_.data() + to_multiple_of_four(band_.size()) * columns_;
  for (const double* q = Q_.data(); q != end; q += 4 * columns_) {
    const FourRows rows = {q, q + columns_, q + 2 * columns_, q + 3 * columns_};
    for (Index i = 0; i < columns_; ++i)
      add_four(G_.data() + i * columns_, rows, {rows[0][i], rows[1][i], rows[2][i], rows[3][i]}, (i | 1) + 1);
  }
}

void StepMatrix::solve(const CompactBfgs& B, Eigen::VectorXd& r) {
  const Index n = B.columns();
  if (n == 0) {
    band_.solve_lower(r.data(), 1, 1);
    return band_.solve_upper(r);
  }
  fill_Q(B, r);
  band_.solve_lower(Q_.data(), columns_, columns_);
  form_gram();
  C_ = B.M();
  c_.resize(n);
  for (Index i = 0; i < n; ++i) {
    const double* g = G_.data() + (1 + i) * columns_;
    c_[i] = g[0];
    for (Index j = 0; j <= i; ++j) {
      C_(i, j) -= g[1 + j];
      C_(j, i) = C_(i, j);
    }
  }
  lu_.compute(C_);
  c_ = lu_.solve(c_).eval();
  const double* q = Q_.data();
  for (Index k = 0; k < r.size(); ++k, q += columns_)
    r[k] = q[0] + Eigen::Map<const CompactBfgs::SmallVector>(q + 1, n).dot(c_);
  band_.solve_upper(r);
}

}  // namespace fathom::solve::internal
