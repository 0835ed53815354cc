#include "fathom/solve/internal/row_panels.hpp"

#include <algorithm>

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

using FourRows = std::array<const double*, RowPanels::height>;

FourRows rows_at(const double* values, Index width) {
  return {values, values + width, values + 2 * width, values + 3 * width};
}

/// y += w0 c0 + w1 c1 + w2 c2 + w3 c3
inline void add_four(double* __restrict y, const FourRows& c, const double* w, Index n) {
  const double w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
  const double* __restrict c0 = c[0], * __restrict c1 = c[1], * __restrict c2 = c[2], * __restrict c3 = c[3];
  for (Index j = 0; j < n; ++j) y[j] += (w0 * c0[j] + w1 * c1[j]) + (w2 * c2[j] + w3 * c3[j]);
}

}  // namespace

RowPanels::RowPanels(const BlockProgram& program) {
  for (std::size_t k = 0; k < program.blocks.size(); ++k) add_block(k, program.blocks[k]);
}

void RowPanels::add_block(std::size_t k, const Block& block) {
  const std::vector<Range> ranges = ranges_of(block.A);
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
      for (SparseRows::InnerIterator entry(block.A, ranges[i].row); entry; ++entry)
        if (entry.value() != 0) values[entry.col() - first] = entry.value();
    }
    next = last;
  }
  sizes_.push_back(block.A.cols());
  widths_.push_back(std::min(width, std::max<Index>(block.A.cols(), 1)));
  unknowns_ += block.A.cols();
}

void RowPanels::multiply(const Eigen::VectorXd& x, Eigen::ArrayXd& Ax) const {
  using Pair = Eigen::Array2d;  // even and odd unknowns apart: sums in the two lanes of a register
  double* out = Ax.data();
  for (const Panel& panel : panels_) {
    const double* v = x.data() + panel.offset + panel.first;
    const FourRows c = rows_at(values_.data() + panel.values, panel.width);
    Pair sum[height] = {Pair::Zero(), Pair::Zero(), Pair::Zero(), Pair::Zero()};
    Index j = 0;
    for (; j + 1 < panel.width; j += 2) {
      const Pair pair = Eigen::Map<const Pair>(v + j);
      for (Index i = 0; i < height; ++i) sum[i] += Eigen::Map<const Pair>(c[i] + j) * pair;
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
    add_four(At_y.data() + panel.offset + panel.first, c, weights, panel.width);
    weights += height;
  }
}

void RowPanels::add_gram(const Eigen::ArrayXd& theta, BlockBand& H) const {
  const double* t = theta.data();
  for (const Panel& panel : panels_) {
    BlockBand::Block& block = H.block(panel.block);
    FourRows c = rows_at(values_.data() + panel.values, panel.width);
    for (Index i = 0; i < panel.width; ++i) {
      const double weights[height] = {t[0] * *c[0], t[1] * *c[1], t[2] * *c[2], t[3] * *c[3]};
      add_four(block.row(panel.first + i), c, weights, panel.width - i);
      for (const double*& row : c) ++row;
    }
    t += height;
  }
}

}  // namespace fathom::solve::internal
