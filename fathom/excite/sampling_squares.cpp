// Sums of squares of derivatives along a path: the matrix that a barrier's curvature is made of. A sample
// depends on the control points of its piece alone, so that sums are small and dense until they are handed
// over.
#include <algorithm>

#include "fathom/excite/internal/kernel.hpp"
#include "fathom/excite/sampling.hpp"

namespace fathom::excite {
namespace {

using Eigen::Index;

/// The free numbers that the points of one piece depend on: [first, end).
struct FreeRange {
  Index first = 0, end = 0;
};
FreeRange free_range(const trajectory::Basis& basis, Index first_point) {
  FreeRange range{basis.size(), 0};
  for (Index i = first_point; i <= first_point + basis.degree; ++i)
    for (trajectory::SparseRows::InnerIterator it(basis.points.rows, i); it; ++it) {
      range.first = std::min<Index>(range.first, it.col());
      range.end = std::max<Index>(range.end, it.col() + 1);
    }
  return range.first < range.end ? range : FreeRange{};
}

void add_scaled(double* __restrict y, double a, const double* __restrict x, Index n) {
  for (Index j = 0; j < n; ++j) y[j] += a * x[j];
}

/// S += V'V, upper triangle, V of `count` rows.
void add_gram(const double* V, Index count, Index n, double* S) {
  for (Index k = 0; k < count; ++k, V += n)
    for (Index i = 0; i < n; ++i)
      if (V[i] != 0) add_scaled(S + i * n + i, V[i], V + i, n - i);
}

}  // namespace

Index Sampling::reach(const trajectory::Basis& basis) {
  Index reach = 0;
  for (Index point = 0; point < basis.points.rows.rows(); point += basis.degree + 1) {
    const FreeRange range = free_range(basis, point);
    reach = std::max(reach, range.end - range.first);
  }
  return reach;
}

void Sampling::prepare_squares() {
  const Index points = basis_.degree + 1, n = points * static_cast<Index>(coordinates_.size());
  int blocks = 0;
  for (Piece& piece : pieces_) {
    const FreeRange range = free_range(basis_, piece.first_point);
    piece.first_free = range.first;
    piece.free = Eigen::MatrixXd(basis_.points.rows.middleRows(piece.first_point, points))
                     .middleCols(range.first, range.end - range.first);
    blocks = std::max(blocks, piece.blocks);
  }
  squares_ = Eigen::MatrixXd::Zero(n * n, static_cast<Index>(pieces_.size()));
  rows_.resize(static_cast<std::size_t>(blocks * internal::lanes * n));
  const auto most = static_cast<std::size_t>(std::max(reach(basis_), points)) * coordinates_.size();
  half_.resize(most * most);
  whole_.resize(most * most);
}

/// rows_: v by the piece's points and coordinates, of samples where it is not zero; how many.
Index Sampling::fill_rows(const Piece& piece, const Samples& slope) {
  const Eigen::ArrayXXd* const levels[3] = {&slope.pose, &slope.rate, &slope.acceleration};
  const Index points = basis_.degree + 1, moving = static_cast<Index>(coordinates_.size()), n = points * moving;
  Index count = 0;
  for (Index k = 0; k < piece.blocks * internal::lanes; ++k) {
    double* v = rows_.data() + count * n;
    std::fill_n(v, n, 0.0);
    bool is_zero = true;
    for (int level = 0; level < 3; ++level)
      for (Index c = 0; c < moving; ++c) {
        const double d = (*levels[level])(piece.first_row + k, coordinates_[static_cast<std::size_t>(c)]);
        if (d == 0) continue;
        is_zero = false;
        const double* b = tables_[piece.table].values[level].data() +
                          (k / internal::lanes * points) * internal::lanes + k % internal::lanes;
        for (Index i = 0; i < points; ++i) v[i * moving + c] += d * b[i * internal::lanes];
      }
    if (!is_zero) ++count;
  }
  return count;
}

void Sampling::add_squares(const Samples& at, Samples& slope) {
  to_world(at, slope, internal::Onto::what_is_there);
  const Index n = (basis_.degree + 1) * static_cast<Index>(coordinates_.size());
  for (std::size_t p = 0; p < pieces_.size(); ++p)
    add_gram(rows_.data(), fill_rows(pieces_[p], slope), n, squares_.col(static_cast<Index>(p)).data());
}

/// whole_ = T' S T, T = piece.free by coordinate.
void Sampling::transform(const Piece& piece, const double* square) {
  const Index points = basis_.degree + 1, moving = static_cast<Index>(coordinates_.size()), n = points * moving;
  const Index free = piece.free.cols(), m = free * moving;
  std::fill_n(half_.data(), m * n, 0.0);
  std::fill_n(whole_.data(), m * m, 0.0);
  for (Index i = 0; i < points; ++i)
    for (Index j = 0; j < free; ++j)
      if (piece.free(i, j) != 0)
        add_scaled(half_.data() + j * moving * n, piece.free(i, j), square + i * moving * n, moving * n);
  for (Index row = 0; row < m; ++row)
    for (Index i = 0; i < points; ++i)
      for (Index j = 0; j < free; ++j)
        if (piece.free(i, j) != 0)
          add_scaled(whole_.data() + row * m + j * moving, piece.free(i, j),
                     half_.data() + row * n + i * moving, moving);
}

void Sampling::give_squares(solve::Curvature& to) {
  const Index n = (basis_.degree + 1) * static_cast<Index>(coordinates_.size());
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const Piece& piece = pieces_[p];
    if (piece.free.cols() == 0) continue;
    double* square = squares_.col(static_cast<Index>(p)).data();
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) square[i * n + j] = square[j * n + i];
    transform(piece, square);
    to.add(piece.first_free, piece.free.cols(), whole_.data());
  }
  squares_.setZero();
}

}  // namespace fathom::excite
