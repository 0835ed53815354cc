#include "fathom/solve/internal/conic_cholesky.hpp"

#include <cmath>

#include "fathom/solve/internal/add_four.hpp"

namespace fathom::solve::internal {
namespace {

using Index = Eigen::Index;
using Pair = double __attribute__((vector_size(16), may_alias));  // what every x86-64 multiplies at once

constexpr double left_alone = 1e30;  // of a pivot, over its diagonal entry

inline Pair& pair(double* p) { return *reinterpret_cast<Pair*>(p); }
inline Pair pair(const double* p) { return *reinterpret_cast<const Pair*>(p); }
inline Pair both(double a) { return Pair{a, a}; }

/// Tile (i, j) minus the sum over columns k < j of L(i.., k) L(j.., k)'.
inline void subtract_products(double* K, Index stride, Index i, Index j) {
  Pair c[4][2];
  for (int b = 0; b < 4; ++b)
    for (int a = 0; a < 2; ++a) c[b][a] = pair(K + i + 2 * a + (j + b) * stride);
  const double *left = K + i, *right = K + j;
  for (Index k = 0; k < j; ++k, left += stride, right += stride) {
    const Pair l0 = pair(left), l1 = pair(left + 2);
    for (int b = 0; b < 4; ++b) {
      const Pair r = both(right[b]);
      c[b][0] -= l0 * r;
      c[b][1] -= l1 * r;
    }
  }
  for (int b = 0; b < 4; ++b)
    for (int a = 0; a < 2; ++a) pair(K + i + 2 * a + (j + b) * stride) = c[b][a];
}

/// Tile (i, j) times the inverse of the transposed corner (j, j).
inline void divide_by_corner(double* K, Index stride, Index i, Index j, const double* per_pivot) {
  for (int b = 0; b < 4; ++b) {
    double* column = K + i + (j + b) * stride;
    Pair c0 = pair(column), c1 = pair(column + 2);
    for (int a = 0; a < b; ++a) {
      const Pair l = both(K[j + b + (j + a) * stride]);
      const double* before = K + i + (j + a) * stride;
      c0 -= pair(before) * l;
      c1 -= pair(before + 2) * l;
    }
    pair(column) = c0 * both(per_pivot[j + b]);
    pair(column + 2) = c1 * both(per_pivot[j + b]);
  }
}

}  // namespace

TileCholesky::TileCholesky(Index n)
    : n_(n),
      stride_((n + 3) / 4 * 4),
      K_(Eigen::MatrixXd::Zero(stride_, stride_)),
      diagonal_(stride_),
      per_pivot_(stride_),
      padded_(Eigen::VectorXd::Zero(stride_)) {}

int TileCholesky::factor_corner(Index j, double least) {
  int left_out = 0;
  for (Index b = j; b < j + 4; ++b) {
    double pivot = K_(b, b);
    for (Index k = j; k < b; ++k) pivot -= K_(b, k) * K_(b, k);
    if (!(pivot > least * diagonal_[b])) {
      pivot = left_alone * (diagonal_[b] > 0 ? diagonal_[b] : 1);
      ++left_out;
    }
    K_(b, b) = std::sqrt(pivot);
    per_pivot_[b] = 1 / K_(b, b);
    for (Index a = b + 1; a < j + 4; ++a) {
      double entry = K_(a, b);
      for (Index k = j; k < b; ++k) entry -= K_(a, k) * K_(b, k);
      K_(a, b) = entry * per_pivot_[b];
    }
  }
  return left_out;
}

int TileCholesky::factor(double least) {
  for (Index j = n_; j < stride_; ++j) {
    for (Index k = 0; k < j; ++k) K_(j, k) = 0;
    K_(j, j) = 1;
  }
  diagonal_ = K_.diagonal();
  int left_out = 0;
  for (Index j = 0; j < stride_; j += 4) {
    for (Index i = j; i < stride_; i += 4) subtract_products(K_.data(), stride_, i, j);
    left_out += factor_corner(j, least);
    for (Index i = j + 4; i < stride_; i += 4) divide_by_corner(K_.data(), stride_, i, j, per_pivot_.data());
  }
  return left_out;
}

void TileCholesky::solve(Eigen::VectorXd& x) {
  double* y = padded_.data();
  padded_.head(n_) = x;
  padded_.tail(stride_ - n_).setZero();
  for (Index j = 0; j < stride_; j += 4) {
    for (Index b = j; b < j + 4; ++b) {
      for (Index k = j; k < b; ++k) y[b] -= K_(b, k) * y[k];
      y[b] *= per_pivot_[b];
    }
    const double* L = K_.data() + j + 4 + j * stride_;
    add_four(y + j + 4, {L, L + stride_, L + 2 * stride_, L + 3 * stride_},
             {-y[j], -y[j + 1], -y[j + 2], -y[j + 3]}, stride_ - j - 4);
  }
  for (Index j = stride_ - 4; j >= 0; j -= 4) {
    const double* L = K_.data() + j * stride_;
    Pair sum[4] = {};
    for (Index i = j + 4; i < stride_; i += 2)
      for (int b = 0; b < 4; ++b) sum[b] += pair(L + i + b * stride_) * pair(y + i);
    for (Index b = j + 3; b >= j; --b) {
      y[b] -= sum[b - j][0] + sum[b - j][1];
      for (Index k = b + 1; k < j + 4; ++k) y[b] -= K_(k, b) * y[k];
      y[b] *= per_pivot_[b];
    }
  }
  x = padded_.head(n_);
}

}  // namespace fathom::solve::internal
