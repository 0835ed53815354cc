// Products of features over samples, what they hand back, and of matrices: part of kernel_body.hpp.
#pragma once
#include "fathom/excite/internal/kernel_lanes.hpp"

namespace fathom::excite::internal {
namespace {

constexpr int blocks_at_once = FATHOM_WIDTH / 8;

template <int Blocks>
struct Several {
  Lanes of[Blocks];
};

template <int Blocks>
FATHOM_INLINE void features_at(const Pairs& pairs, int block, Several<Blocks>* phi) {
  for (int f = 0; f < pairs.feature_count; ++f) {
    const Feature& feature = pairs.features[f];
    const double *a = pairs.base[feature.a] + block * lanes, *b = pairs.base[feature.b] + block * lanes;
    Lanes* to = phi[f].of;
    switch (feature.kind) {
      case Feature::plain:
        for (int j = 0; j < Blocks; ++j) to[j] = load(a + j * lanes);
        break;
      case Feature::product:
        for (int j = 0; j < Blocks; ++j) to[j] = load(a + j * lanes) * load(b + j * lanes);
        break;
      case Feature::absolute_product:
        for (int j = 0; j < Blocks; ++j) to[j] = absolute(load(a + j * lanes)) * load(b + j * lanes);
        break;
    }
  }
}

template <int Blocks>
FATHOM_INLINE void accumulate_blocks(const Pairs& pairs, int block, double* sum) {
  Several<Blocks> phi[most_features];
  features_at(pairs, block, phi);
  for (int f = 0; f < pairs.feature_count; ++f) {
    const Several<Blocks> first = phi[f];
    for (int k = pairs.begin[f]; k < pairs.begin[f + 1]; ++k, sum += lanes) {
      const Several<Blocks>& second = phi[pairs.second[k]];
      Lanes s = load(sum);
      for (int j = 0; j < Blocks; ++j) s += first.of[j] * second.of[j];
      store(sum, s);
    }
  }
}

void accumulate(const Pairs& pairs, int blocks, double* sums) {
  int block = 0;
  for (; block + blocks_at_once <= blocks; block += blocks_at_once)
    accumulate_blocks<blocks_at_once>(pairs, block, sums);
  for (; block < blocks; ++block) accumulate_blocks<1>(pairs, block, sums);
}

/// The derivative by one feature, handed on to what the feature is made of.
template <int Blocks>
FATHOM_INLINE void hand_on(const Pairs& pairs, const Feature& feature, int block, const Several<Blocks>& slope,
                           Several<Blocks>* base_adjoint) {
  Lanes *to_a = base_adjoint[feature.a].of, *to_b = base_adjoint[feature.b].of;
  const double *from_a = pairs.base[feature.a] + block * lanes, *from_b = pairs.base[feature.b] + block * lanes;
  for (int j = 0; j < Blocks; ++j) {
    if (feature.kind == Feature::plain) {
      to_a[j] += slope.of[j];
      continue;
    }
    const Lanes a = load(from_a + j * lanes), b = load(from_b + j * lanes);
    if (feature.kind == Feature::product) {
      to_a[j] += slope.of[j] * b;
      to_b[j] += slope.of[j] * a;
    } else {
      to_a[j] += with_sign_of(slope.of[j] * b, a);
      to_b[j] += slope.of[j] * absolute(a);
    }
  }
}

template <bool Adds, int Blocks>
FATHOM_INLINE void accumulate_adjoint_blocks(const Pairs& pairs, const Partners& partners, int block,
                                             double* const* adjoint) {
  Several<Blocks> phi[most_features], base_adjoint[most_base];
  features_at(pairs, block, phi);
  for (int b = 0; b < pairs.used_count; ++b)
    for (int j = 0; j < Blocks; ++j) base_adjoint[pairs.used[b]].of[j] = all(0);
  for (int f = 0; f < pairs.feature_count; ++f) {
    Several<Blocks> slope;
    for (int j = 0; j < Blocks; ++j) slope.of[j] = all(0);
    for (int k = partners.begin[f]; k < partners.begin[f + 1]; ++k) {
      const Several<Blocks>& other = phi[partners.other[k]];
      const Lanes weight = all(partners.weight[k]);
      for (int j = 0; j < Blocks; ++j) slope.of[j] += weight * other.of[j];
    }
    hand_on(pairs, pairs.features[f], block, slope, base_adjoint);
  }
  for (int b = 0; b < pairs.used_count; ++b)
    for (int j = 0; j < Blocks; ++j)
      put<Adds>(adjoint[pairs.used[b]] + (block + j) * lanes, base_adjoint[pairs.used[b]].of[j]);
}

template <bool Adds>
FATHOM_INLINE void accumulate_adjoint_of(const Pairs& pairs, const Partners& partners, int blocks,
                                         double* const* adjoint) {
  int block = 0;
  for (; block + blocks_at_once <= blocks; block += blocks_at_once)
    accumulate_adjoint_blocks<Adds, blocks_at_once>(pairs, partners, block, adjoint);
  for (; block < blocks; ++block) accumulate_adjoint_blocks<Adds, 1>(pairs, partners, block, adjoint);
}

void accumulate_adjoint(const Pairs& pairs, const Partners& partners, int blocks, double* const* adjoint,
                        Onto onto) {
  if (onto == Onto::what_is_there)
    accumulate_adjoint_of<true>(pairs, partners, blocks, adjoint);
  else
    accumulate_adjoint_of<false>(pairs, partners, blocks, adjoint);
}

/// Rows [row, row + Rows) of a b at columns [column, column + lanes).
template <int Rows>
FATHOM_INLINE void multiply_tile(const double* a, const double* b, int n, int stride, int row, int column,
                                 double* out) {
  Lanes sum[Rows];
  for (int i = 0; i < Rows; ++i) sum[i] = all(0);
  for (int k = 0; k < n; ++k) {
    const Lanes right = load(b + k * stride + column);
    for (int i = 0; i < Rows; ++i) sum[i] += all(a[k * stride + row + i]) * right;
  }
  for (int i = 0; i < Rows; ++i) store(out + (row + i) * stride + column, sum[i]);
}

void multiply(const double* a, const double* b, int n, int stride, double* out) {
  constexpr int rows = FATHOM_WIDTH / 8;
  for (int row = 0; row < stride; row += rows)
    for (int column = row / lanes * lanes; column < stride; column += lanes)
      multiply_tile<rows>(a, b, n, stride, row, column, out);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) out[i * stride + j] = out[j * stride + i];
}

}  // namespace
}  // namespace fathom::excite::internal
