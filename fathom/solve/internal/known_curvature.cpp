#include "fathom/solve/internal/known_curvature.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::solve::internal {
namespace {

using Index = Eigen::Index;

}  // namespace

KnownCurvature::KnownCurvature(const BlockProgram& program)
    : blocks_(static_cast<Index>(program.blocks.size())),
      size_(blocks_ == 0 ? 0 : program.blocks[0].A.cols()),
      reach_(std::min(program.curvature_reach, size_)),
      width_(reach_ * blocks_),
      band_(width_ == 0 ? BlockBand({}, {}) : BlockBand({size_ * blocks_}, {width_})) {}

void KnownCurvature::clear() {
  band_.set_diagonal(0);
  empty_ = true;
}

void KnownCurvature::add(Index first, Index count, const double* matrix) {
  if (first < 0 || count > reach_ || first + count > size_)
    reject("curvature", fmt::format("on unknowns {} to {}, must be at most {} neighbours of {}", first,
                                    first + count - 1, reach_, size_));
  empty_ = false;
  const Index n = count * blocks_;
  for (Index i = 0; i < n; ++i) {
    double* __restrict to = band_.block(0).row(first * blocks_ + i);
    const double* __restrict from = matrix + i * n + i;
    for (Index j = 0; j < n - i; ++j) to[j] += from[j];
  }
}

void KnownCurvature::multiply(const Eigen::VectorXd& x, Eigen::VectorXd& Hx) const {
  Hx.setZero();
  const Index n = size_ * blocks_;
  const auto at = [this](Index i) { return i % blocks_ * size_ + i / blocks_; };
  for (Index i = 0; i < n; ++i) {
    const double* row = band_.block(0).row(i);
    const Index width = std::min(width_, n - i), to = at(i);
    Hx[to] += row[0] * x[to];
    for (Index j = 1; j < width; ++j) {
      const Index other = at(i + j);
      Hx[to] += row[j] * x[other];
      Hx[other] += row[j] * x[to];
    }
  }
}

BlockBand KnownCurvature::make_band(const BlockBand& others) const {
  if (!is_possible()) return {{}, {}};
  Index width = width_;
  for (std::size_t k = 0; k < others.blocks(); ++k)
    width = std::max(width, (others.block(k).width - 1) * blocks_ + 1);
  return {{size_ * blocks_}, {width}};
}

void KnownCurvature::add_to(const BlockBand& blocks, BlockBand& sum) const {
  sum.set_diagonal(0);
  for (Index i = 0; i < size_ * blocks_; ++i) std::copy_n(band_.block(0).row(i), width_, sum.block(0).row(i));
  for (std::size_t k = 0; k < blocks.blocks(); ++k) {
    const BlockBand::Block& block = blocks.block(k);
    for (Index i = 0; i < size_; ++i) {
      double* to = sum.block(0).row(position(k, i));
      for (Index j = 0; j < block.width; ++j) to[j * blocks_] += block.row(i)[j];
    }
  }
}

}  // namespace fathom::solve::internal
