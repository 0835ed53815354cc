#include "fathom/solve/internal/step_matrix.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/solve/internal/add_four.hpp"

namespace fathom::solve::internal {

namespace {

using Index = Eigen::Index;

constexpr Index most_columns = 2 * CompactBfgs::most_pairs + 2;

Index to_multiple_of_four(Index n) { return (n + 3) / 4 * 4; }

using Index = Eigen::Index;

}  // namespace

StepMatrix::StepMatrix(const RowPanels& rows, const KnownCurvature& H)
    : blocks_(rows.make_band()),
      tied_(H.make_band(blocks_)),
      r_(rows.unknowns()),
      Q_(to_multiple_of_four(rows.unknowns()) * most_columns),
      G_(most_columns * most_columns) {
  for (std::size_t k = 0; k < blocks_.blocks(); ++k)
    for (Index i = 0; i < blocks_.block(k).size; ++i) places_.push_back(H.position(k, i));
}

void StepMatrix::factor(const RowPanels& rows, double sigma, const Eigen::ArrayXd& theta,
                        const KnownCurvature& H) {
  blocks_.set_diagonal(sigma);
  rows.add_gram(theta, blocks_);
  is_tied_ = !H.empty();
  if (is_tied_) H.add_to(blocks_, tied_);
  factored().factor();
}

void StepMatrix::fill_Q(const CompactBfgs& B, const Eigen::VectorXd& r) {
  const Index n = B.columns();
  columns_ = n + 2;
  for (Index k = 0; k < r.size(); ++k) {
    const double* v = B.row(k);
    double* q = Q_.data() + place(k) * columns_;
    q[0] = r[k];
    for (Index c = 0; c < n; c += 2) {
      q[1 + c] = B.sigma() * v[c];
      q[2 + c] = v[c + 1];
    }
    q[1 + n] = 0;
  }
  std::fill_n(Q_.data() + r.size() * columns_, (to_multiple_of_four(r.size()) - r.size()) * columns_, 0.0);
}

void StepMatrix::form_gram() {
  std::fill_n(G_.data(), columns_ * columns_, 0.0);
  const double* end = Q_.data() + to_multiple_of_four(factored().size()) * columns_;
  for (const double* q = Q_.data(); q != end; q += 4 * columns_) {
    const FourRows rows = {q, q + columns_, q + 2 * columns_, q + 3 * columns_};
    for (Index i = 0; i < columns_; ++i)
      add_four(G_.data() + i * columns_, rows, {rows[0][i], rows[1][i], rows[2][i], rows[3][i]}, (i | 1) + 1);
  }
}

void StepMatrix::solve(const CompactBfgs& B, Eigen::VectorXd& r) {
  const Index n = B.columns();
  if (n == 0) {
    for (Index k = 0; k < r.size(); ++k) r_[place(k)] = r[k];
    factored().solve_lower(r_.data(), 1, 1);
    return solve_upper(r);
  }
  fill_Q(B, r);
  factored().solve_lower(Q_.data(), columns_, columns_);
  form_gram();
  C_ = B.M();
  c_.resize(n);
  for (Index i = 0; i < n; ++i) {
    const double* g = G_.data() + (1 + i) * columns_;
    c_[i] = g[0];
    for (Index j = 0; j <= i; ++j) {
      C_(i, j) -= g[1 + j];
      C_(j, i) = C_(i, j);
    }
  }
  lu_.compute(C_);
  c_ = lu_.solve(c_).eval();
  const double* q = Q_.data();
  for (Index k = 0; k < r.size(); ++k, q += columns_)
    r_[k] = q[0] + Eigen::Map<const CompactBfgs::SmallVector>(q + 1, n).dot(c_);
  solve_upper(r);
}

void StepMatrix::solve_upper(Eigen::VectorXd& r) {
  factored().solve_upper(r_);
  for (Index k = 0; k < r.size(); ++k) r[k] = r_[place(k)];
}

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
