#include "fathom/solve/internal/block_band.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/solve/internal/add_four.hpp"

namespace fathom::solve::internal {
namespace {

using Index = Eigen::Index;

/// A pivot below this share of its diagonal entry is rounding error; it is raised, so that the factor exists.
constexpr double smallest_pivot = 1e-14;

/// y -= a x
inline void subtract(double* __restrict y, double a, const double* __restrict x, Index n) {
  for (Index j = 0; j < n; ++j) y[j] -= a * x[j];
}

void factor_block(BlockBand::Block& block, std::vector<double>& diagonal) {
  for (Index k = 0; k < block.size; ++k) diagonal[k] = block.row(k)[0];
  for (Index k = 0; k < block.size; ++k) {
    double* u = block.row(k);
    const Index width = std::min(block.width, block.size - k);
    u[0] = std::sqrt(std::max(u[0], smallest_pivot * diagonal[k]));
    const double scale = 1 / u[0];
    for (Index i = 1; i < width; ++i) u[i] *= scale;
    for (Index i = 1; i < width; ++i) subtract(block.row(k + i), u[i], u + i, width - i);
  }
}

}  // namespace

BlockBand::BlockBand(const std::vector<Index>& sizes, const std::vector<Index>& widths) {
  Index longest = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    blocks_.push_back({size_, sizes[k], widths[k], std::vector<double>(sizes[k] * widths[k])});
    size_ += sizes[k];
    longest = std::max(longest, sizes[k]);
  }
  diagonal_.resize(longest);
}

void BlockBand::set_diagonal(double sigma) {
  for (Block& block : blocks_) {
    std::fill(block.entries.begin(), block.entries.end(), 0.0);
    for (Index i = 0; i < block.size; ++i) block.row(i)[0] = sigma;
  }
}

void BlockBand::factor() {
  for (Block& block : blocks_) factor_block(block, diagonal_);
}

void BlockBand::solve_lower(double* V, Index stride, Index columns) const {
  for (const Block& block : blocks_) {
    for (Index k = 0; k < block.size; ++k) {
      double* v = V + (block.first + k) * stride;
      const auto u = [&block, k](Index i) { return block.row(k - i)[i]; };  // U(k - i, k)
      const Index width = std::min(block.width - 1, k);
      Index i = 1;
      for (; i + 3 <= width; i += 4)
        add_four(v, {v - i * stride, v - (i + 1) * stride, v - (i + 2) * stride, v - (i + 3) * stride},
                 {-u(i), -u(i + 1), -u(i + 2), -u(i + 3)}, columns);
      for (; i <= width; ++i) subtract(v, u(i), v - i * stride, columns);
      const double scale = 1 / u(0);
      for (Index c = 0; c < columns; ++c) v[c] *= scale;
    }
  }
}

void BlockBand::solve_upper(Eigen::VectorXd& v) const {
  for (const Block& block : blocks_) {
    for (Index k = block.size - 1; k >= 0; --k) {
      const double* u = block.row(k);
      double* x = v.data() + block.first + k;
      double sum = x[0];
      const Index width = std::min(block.width, block.size - k);
      for (Index i = 1; i < width; ++i) sum -= u[i] * x[i];
      x[0] = sum / u[0];
    }
  }
}

}  // namespace fathom::solve::internal
