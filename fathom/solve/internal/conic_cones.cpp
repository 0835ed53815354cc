#include "fathom/solve/internal/conic_cones.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/solve/internal/conic_block.hpp"

namespace fathom::solve::internal {
namespace {

using Eigen::VectorXd;

constexpr double shorter = 0.8;  // of a share that leads outside, as long as none is known inside

/// tr(E_pq V E_st Z) for all pairs that entries touch, E the symmetric unit matrices (twice that on the
/// diagonal, which `Entry::halved` makes good).
template <class Size>
void pair_products(Size m, const Cones::Block& block, const double* V, const double* Z, double* products) {
  const int count = static_cast<int>(block.rows.size());
  for (int a = 0; a < count; ++a) {
    const double *V_p = V + block.rows[a] * m, *V_q = V + block.columns[a] * m;
    const double *Z_p = Z + block.rows[a] * m, *Z_q = Z + block.columns[a] * m;
    for (int b = 0; b <= a; ++b) {
      const int s = block.rows[b], t = block.columns[b];
      const double product = V_q[s] * Z_p[t] + V_q[t] * Z_p[s] + V_p[s] * Z_q[t] + V_p[t] * Z_q[s];
      products[a * count + b] = products[b * count + a] = product;
    }
  }
}

template <class Size>
void add_block_hessian(Size m, const Cones::Block& block, const std::vector<Cones::Entry>& entries,
                       const double* V, const double* Z, TileCholesky& K) {
  constexpr int most_pairs = block::rows_of<Size>() * (block::rows_of<Size>() + 1) / 2;
  std::array<double, most_pairs * most_pairs> products;
  pair_products(m, block, V, Z, products.data());
  const int count = static_cast<int>(block.rows.size());
  for (int f = block.first; f < block.last; ++f) {
    const Cones::Entry& right = entries[f];
    double* column = K.column(right.unknown);
    const double* row = products.data() + right.pair * count;
    for (int e = block.last - 1; e >= block.first && entries[e].unknown >= right.unknown; --e)
      column[entries[e].unknown] += right.halved * entries[e].halved * row[entries[e].pair];
  }
}

}  // namespace

Cones::Cones(const ConicSet& set)
    : unknowns_(set.unknowns), scalar_count_(static_cast<int>(set.scalars.size())) {
  for (const MatrixInequality& matrix : set.matrices) scalars_at_ += static_cast<int>(matrix.constant.size());
  constant_.setZero(stack_size());
  int offset = 0;
  for (const MatrixInequality& matrix : set.matrices) {
    const int size = static_cast<int>(matrix.constant.rows());
    blocks_.push_back({size, offset, 0, 0, {}, {}});
    add_matrix(matrix);
    offset += size * size;
    degree_ += size;
  }
  for (int k = 0; k < scalar_count_; ++k) add_scalar(set.scalars[k], k);
  scalar_entries_.push_back(static_cast<int>(entries_.size()));
  degree_ += scalar_count_;
  on_diagonal_.assign(unknowns_, false);
  for (const Entry& e : entries_)
    if (e.index == e.mirror) on_diagonal_[e.unknown] = true;
}

void Cones::add_matrix(const MatrixInequality& matrix) {
  Block& block = blocks_.back();
  const int m = block.size;
  constant_.segment(block.offset, m * m) = matrix.constant.reshaped();
  block.first = static_cast<int>(entries_.size());
  for (const MatrixInequality::Entry& e : matrix.entries) {
    if (e.value == 0) continue;
    int pair = 0;
    const int pairs = static_cast<int>(block.rows.size());
    while (pair < pairs && (block.rows[pair] != e.row || block.columns[pair] != e.column)) ++pair;
    if (pair == pairs) {
      block.rows.push_back(e.row);
      block.columns.push_back(e.column);
    }
    const bool on_diagonal = e.row == e.column;
    entries_.push_back({e.unknown, block.offset + e.column + e.row * m, block.offset + e.row + e.column * m,
                        e.value, on_diagonal ? e.value : 2 * e.value, pair,
                        on_diagonal ? 0.5 * e.value : e.value});
  }
  block.last = static_cast<int>(entries_.size());
  std::stable_sort(entries_.begin() + block.first, entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.unknown < b.unknown; });
}

void Cones::add_scalar(const ScalarInequality& scalar, int number) {
  const int index = scalars_at_ + number;
  constant_[index] = scalar.constant;
  scalar_entries_.push_back(static_cast<int>(entries_.size()));
  for (const ScalarInequality::Entry& e : scalar.entries)
    if (e.value != 0) entries_.push_back({e.unknown, index, index, e.value, e.value, 0, e.value});
}

void Cones::add(const VectorXd& x, VectorXd& S) const {
  for (const Entry& e : entries_) {
    S[e.index] += e.value * x[e.unknown];
    S[e.mirror] = S[e.index];
  }
}

void Cones::adjoint(const VectorXd& Z, VectorXd& y) const {
  y.setZero();
  for (const Entry& e : entries_) y[e.unknown] += e.weight * Z[e.index];
}

bool Cones::invert(const VectorXd& S, VectorXd& V, double* log_det) const {
  if (log_det != nullptr) *log_det = 0;
  for (const Block& block : blocks_) {
    const bool inside = block::with_size(block.size, [&](auto m) {
      return block::invert(m, S.data() + block.offset, V.data() + block.offset, log_det);
    });
    if (!inside) return false;
  }
  for (int k = scalars_at_; k < stack_size(); ++k) {
    if (!(S[k] > 0)) return false;
    V[k] = 1 / S[k];
    if (log_det != nullptr) *log_det += std::log(S[k]);
  }
  return true;
}

void Cones::add_hessian(const VectorXd& V, const VectorXd& Z, TileCholesky& K) const {
  for (const Block& block : blocks_)
    block::with_size(block.size, [&](auto m) {
      add_block_hessian(m, block, entries_, V.data() + block.offset, Z.data() + block.offset, K);
    });
  for (int k = 0; k < scalar_count_; ++k) {
    const double weight = V[scalars_at_ + k] * Z[scalars_at_ + k];
    for (int f = scalar_entries_[k]; f < scalar_entries_[k + 1]; ++f)
      for (int e = scalar_entries_[k]; e < scalar_entries_[k + 1]; ++e)
        if (entries_[e].unknown >= entries_[f].unknown)
          K.column(entries_[f].unknown)[entries_[e].unknown] += weight * entries_[e].value * entries_[f].value;
  }
}

void Cones::product(const VectorXd& A, const VectorXd& B, const VectorXd& C, VectorXd& Y) const {
  for (const Block& block : blocks_)
    block::with_size(block.size, [&](auto m) {
      const int at = block.offset;
      block::symmetric_product(m, A.data() + at, B.data() + at, C.data() + at, Y.data() + at);
    });
  const int at = scalars_at_, n = scalar_count_;
  Y.segment(at, n).array() = A.segment(at, n).array() * B.segment(at, n).array() * C.segment(at, n).array();
}

bool Cones::is_inside(const Block& block, const VectorXd& S, const VectorXd& dS, double share) const {
  return block::with_size(block.size, [&](auto m) {
    return block::is_positive(m, S.data() + block.offset, dS.data() + block.offset, share);
  });
}

double Cones::share_inside(const VectorXd& S, const VectorXd& dS, double most, double accuracy) const {
  double share = most;
  for (int k = scalars_at_; k < stack_size(); ++k)
    if (S[k] + share * dS[k] <= 0) share = -S[k] / dS[k] * (1 - 1e-12);
  for (const Block& block : blocks_) {
    if (is_inside(block, S, dS, share)) continue;
    double low = 0, high = share, middle = (1 - accuracy) * high;
    while (high - low > 1.01 * accuracy * high && high > 1e-12 * most) {
      (is_inside(block, S, dS, middle) ? low : high) = middle;
      middle = low > 0 ? 0.5 * (low + high) : shorter * high;
    }
    share = low;
  }
  return share;
}

}  // namespace fathom::solve::internal
