#include "fathom/solve/internal/step_matrix.hpp"

namespace fathom::solve::internal {
namespace {

using Index = Eigen::Index;

}  // namespace

StepMatrix::StepMatrix(const RowPanels& rows)
    : band_(rows.make_band()), Q_(rows.unknowns() * stride), G_(stride * stride) {}

void StepMatrix::factor(const RowPanels& rows, double sigma, const Eigen::ArrayXd& theta) {
  band_.set_diagonal(sigma);
  rows.add_gram(theta, band_);
  band_.factor();
}

void StepMatrix::solve(Eigen::VectorXd& r) {
  band_.solve_lower(r.data(), 1, 1);
  band_.solve_upper(r);
}

void StepMatrix::form_gram(Index columns) {
  for (Index i = 0; i < columns; ++i) std::fill_n(G_.data() + i * stride, columns, 0.0);
  for (std::size_t k = 0; k < Q_.size(); k += stride) {
    const double* __restrict q = Q_.data() + k;
    for (Index i = 0; i < columns; ++i) {
      double* __restrict g = G_.data() + i * stride;
      for (Index j = 0; j <= i; ++j) g[j] += q[i] * q[j];
    }
  }
}

void StepMatrix::solve(const CompactBfgs& B, Eigen::VectorXd& r) {
  const Index n = B.columns();
  if (n == 0) return solve(r);
  for (Index k = 0; k < r.size(); ++k) {
    double* q = Q_.data() + k * stride;
    const double* v = B.row(k);
    q[0] = r[k];
    for (Index c = 0; c < n; c += 2) {
      q[1 + c] = B.sigma() * v[c];
      q[2 + c] = v[c + 1];
    }
    q[1 + n] = 0;  // an even count of columns
  }
  band_.solve_lower(Q_.data(), stride, n + 2);
  form_gram(n + 1);
  C_ = B.M();
  c_.resize(n);
  for (Index i = 0; i < n; ++i) {
    c_[i] = G_[(1 + i) * stride];
    for (Index j = 0; j <= i; ++j) {
      C_(i, j) -= G_[(1 + i) * stride + 1 + j];
      if (j < i) C_(j, i) = C_(i, j);
    }
  }
  lu_.compute(C_);
  c_ = lu_.solve(c_).eval();
  for (Index k = 0; k < r.size(); ++k) {
    const double* q = Q_.data() + k * stride;
    r[k] = q[0] + Eigen::Map<const CompactBfgs::SmallVector>(q + 1, n).dot(c_);
  }
  band_.solve_upper(r);
}

}  // namespace fathom::solve::internal
