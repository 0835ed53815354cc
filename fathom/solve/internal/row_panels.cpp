#include "fathom/solve/internal/row_panels.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/solve/internal/add_four.hpp"

namespace fathom::solve::internal {

namespace {

using Index = Eigen::Index;

/// Where a row's unknowns lie: [first, end).
struct Range {
  Index row = 0, first = 0, end = 0;
};

std::vector<Range> ranges_of(const SparseRows& A) {
  std::vector<Range> ranges;
  for (Index i = 0; i < A.outerSize(); ++i) {
    Range range{i, A.cols(), 0};
    for (SparseRows::InnerIterator entry(A, i); entry; ++entry) {
      if (entry.value() == 0) continue;
      range.first = std::min<Index>(range.first, entry.col());
      range.end = std::max<Index>(range.end, entry.col() + 1);
    }
    if (range.end > 0) ranges.push_back(range);
  }
  std::stable_sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return a.first != b.first ? a.first < b.first : a.end < b.end;
  });
  return ranges;
}

bool same(const SparseRows& A, const SparseRows& B) {
  return A.rows() == B.rows() && A.cols() == B.cols() && A.nonZeros() == B.nonZeros() && (A - B).norm() == 0;
}

FourRows rows_at(const double* values, Index width) {
  return {values, values + width, values + 2 * width, values + 3 * width};
}

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

RowPanels::RowPanels(const BlockProgram& program) {
  for (std::size_t k = 0; k < program.blocks.size(); ++k) {
    const SparseRows& A = program.blocks[k].A;
    std::size_t twin = 0;
    while (twin < k && !same(program.blocks[twin].A, A)) ++twin;
    if (twin < k)
      repeat_block(twin, k);
    else
      add_block(k, A);
    sizes_.push_back(A.cols());
    unknowns_ += A.cols();
  }
}

void RowPanels::repeat_block(std::size_t twin, std::size_t k) {
  const std::size_t panels = panels_.size();
  for (std::size_t p = 0; p < panels; ++p) {
    if (panels_[p].block != twin) continue;
    panels_.push_back({k, panels_[p].first, panels_[p].width, panels_[p].values, unknowns_});
    for (std::size_t i = 0; i < height; ++i) rows_.push_back({k, rows_[p * height + i].row});
  }
  widths_.push_back(widths_[twin]);
}

void RowPanels::add_block(std::size_t k, const SparseRows& A) {
  const std::vector<Range> ranges = ranges_of(A);
  Index width = 1;
  for (const Range& range : ranges) width = std::max(width, range.end - range.first);
  std::size_t next = 0;
  while (next < ranges.size()) {
    // Rows join as long as the panel stays no wider than the block's widest row: the band must not grow.
    const Index first = ranges[next].first;
    Index end = ranges[next].end;
    std::size_t last = next + 1;
    while (last < ranges.size() && last < next + height && std::max(end, ranges[last].end) - first <= width)
      end = std::max(end, ranges[last++].end);
    panels_.push_back({k, first, end - first, values_.size(), unknowns_});
    values_.resize(values_.size() + height * (end - first));
    double* values = values_.data() + panels_.back().values;
    for (std::size_t i = next; i < next + height; ++i, values += end - first) {
      rows_.push_back({k, i < last ? ranges[i].row : -1});
      if (i >= last) continue;
      for (SparseRows::InnerIterator entry(A, ranges[i].row); entry; ++entry)
        if (entry.value() != 0) values[entry.col() - first] = entry.value();
    }
    next = last;
  }
  widths_.push_back(width);
}

void RowPanels::multiply(const Eigen::VectorXd& x, Eigen::ArrayXd& Ax) const {
  using Lanes = Eigen::Array2d;  // even and odd unknowns apart: sums in the two lanes of a register
  double* out = Ax.data();
  for (const Panel& panel : panels_) {
    const double* v = x.data() + panel.offset + panel.first;
    const FourRows c = rows_at(values_.data() + panel.values, panel.width);
    Lanes sum[height] = {Lanes::Zero(), Lanes::Zero(), Lanes::Zero(), Lanes::Zero()};
    Index j = 0;
    for (; j + 1 < panel.width; j += 2) {
      const Lanes pair = Eigen::Map<const Lanes>(v + j);
      for (Index i = 0; i < height; ++i) sum[i] += Eigen::Map<const Lanes>(c[i] + j) * pair;
    }
    for (Index i = 0; i < height; ++i) out[i] = sum[i].sum() + (j < panel.width ? c[i][j] * v[j] : 0.0);
    out += height;
  }
}

void RowPanels::multiply_transposed(const Eigen::ArrayXd& y, Eigen::VectorXd& At_y) const {
  At_y.setZero();
  const double* weights = y.data();
  for (const Panel& panel : panels_) {
    const FourRows c = rows_at(values_.data() + panel.values, panel.width);
    add_four(At_y.data() + panel.offset + panel.first, c, {weights[0], weights[1], weights[2], weights[3]},
             panel.width);
    weights += height;
  }
}

void RowPanels::add_gram(const Eigen::ArrayXd& theta, BlockBand& H) const {
  const double* t = theta.data();
  for (const Panel& panel : panels_) {
    BlockBand::Block& block = H.block(panel.block);
    FourRows c = rows_at(values_.data() + panel.values, panel.width);
    for (Index i = 0; i < panel.width; ++i) {
      add_four(block.row(panel.first + i), c, {t[0] * *c[0], t[1] * *c[1], t[2] * *c[2], t[3] * *c[3]},
               panel.width - i);
      for (const double*& row : c) ++row;
    }
    t += height;
  }
}

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
