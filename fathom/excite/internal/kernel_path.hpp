// From control points to samples and back: part of kernel_body.hpp.
#pragma once
#include "fathom/excite/internal/kernel_lanes.hpp"

namespace fathom::excite::internal {
namespace {

// Sums that wait for themselves keep a processor busy only several at a time: as many as its registers hold.

/// Columns [0, Count) at blocks [block, block + Blocks).
template <int Count, int Blocks>
FATHOM_INLINE void sample_blocks(const Table& table, int block, const double* const* c, double* const* out) {
  const int stride = table.points * lanes;
  const double* row = table.values + block * stride;
  Lanes sum[Blocks][Count];
  for (int k = 0; k < Count; ++k)
    for (int j = 0; j < Blocks; ++j) sum[j][k] = all(0);
  for (int point = 0; point < table.points; ++point, row += lanes) {
    Lanes b[Blocks];
    for (int j = 0; j < Blocks; ++j) b[j] = load(row + j * stride);
    for (int k = 0; k < Count; ++k)
      for (int j = 0; j < Blocks; ++j) sum[j][k] += b[j] * all(c[k][point]);
  }
  for (int k = 0; k < Count; ++k)
    for (int j = 0; j < Blocks; ++j) store(out[k] + (block + j) * lanes, sum[j][k]);
}

/// All columns at these blocks, whose part of the table is then read from memory once.
template <int Blocks>
FATHOM_INLINE void sample_columns(const Table& table, int block, const double* const* c, int count,
                                  double* const* out) {
  for (; count >= 4; count -= 4, c += 4, out += 4) sample_blocks<4, Blocks>(table, block, c, out);
  switch (count) {
    case 3: return sample_blocks<3, Blocks>(table, block, c, out);
    case 2: return sample_blocks<2, Blocks>(table, block, c, out);
    case 1: return sample_blocks<1, Blocks>(table, block, c, out);
  }
}

void sample(const Table& table, const double* const* c, int count, double* const* out) {
  int block = 0;
  for (; block + 2 <= table.blocks; block += 2) sample_columns<2>(table, block, c, count, out);
  if (block < table.blocks) sample_columns<1>(table, block, c, count, out);
}

/// Columns [0, Count) at points [point, point + Points).
template <int Count, int Points>
FATHOM_INLINE void sample_adjoint_points(const Table& table, int point, const double* const* out,
                                         double* const* sums) {
  const double* row = table.values + point * lanes;
  Lanes sum[Points][Count];
  for (int k = 0; k < Count; ++k)
    for (int i = 0; i < Points; ++i) sum[i][k] = load(sums[k] + (point + i) * lanes);
  for (int block = 0; block < table.blocks; ++block, row += table.points * lanes) {
    Lanes adjoint[Count];
    for (int k = 0; k < Count; ++k) adjoint[k] = load_once(out[k] + block * lanes);
    for (int i = 0; i < Points; ++i) {
      const Lanes b = load(row + i * lanes);
      for (int k = 0; k < Count; ++k) sum[i][k] += b * adjoint[k];
    }
  }
  for (int k = 0; k < Count; ++k)
    for (int i = 0; i < Points; ++i) store(sums[k] + (point + i) * lanes, sum[i][k]);
}

template <int Points>
FATHOM_INLINE void sample_adjoint_columns(const Table& table, int point, const double* const* out, int count,
                                          double* const* sums) {
  for (; count >= 4; count -= 4, out += 4, sums += 4) sample_adjoint_points<4, Points>(table, point, out, sums);
  switch (count) {
    case 3: return sample_adjoint_points<3, Points>(table, point, out, sums);
    case 2: return sample_adjoint_points<2, Points>(table, point, out, sums);
    case 1: return sample_adjoint_points<1, Points>(table, point, out, sums);
  }
}

void sample_adjoint(const Table& table, const double* const* out, int count, double* const* sums) {
  constexpr int many = FATHOM_WIDTH == 64 ? 3 : 1;
  int point = 0;
  for (; point + many <= table.points; point += many)
    sample_adjoint_columns<many>(table, point, out, count, sums);
  for (; point < table.points; ++point) sample_adjoint_columns<1>(table, point, out, count, sums);
}

}  // namespace
}  // namespace fathom::excite::internal
