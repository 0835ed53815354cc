#include "fathom/identify/metrics.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

namespace fathom::identify {

namespace {

void check_series(const Eigen::Ref<const Eigen::VectorXd>& measured,
                  const Eigen::Ref<const Eigen::VectorXd>& predicted) {
  if (measured.size() != predicted.size())
    reject("prediction", fmt::format("has {} samples, the measurement {}", predicted.size(), measured.size()),
           "one for each");
  for (const auto* series : {&measured, &predicted})
    if (!series->allFinite())
      reject(series == &measured ? "measurement" : "prediction", "has a sample that is not finite",
             "leave out what cannot be compared");
}

bool is_constant(const Eigen::VectorXd& y) { return y.minCoeff() == y.maxCoeff(); }

using Ends = WarpOptions::Ends;
using Slope = WarpOptions::Slope;
using Eigen::Index;

/// The best path up to a pair: what it cost (squares, which are minimised), its sum of distances and its pairs.
struct Best {
  double squares = infinity, sum = 0, pairs = 0;
};

/// Which way a path came to a pair.
enum Way : unsigned char { diagonal, up, left };

/// Sakoe and Chiba's band |i - j| <= r of the table of pairs (i, j), row after row. Only one row is kept: the
/// place k = j - i + r of (i, j) held (i - 1, j - 1) before, k + 1 still holds (i - 1, j), k - 1 already
/// (i, j - 1).
class Table {
 public:
  Table(const Eigen::Ref<const Eigen::MatrixXd>& a, const Eigen::Ref<const Eigen::MatrixXd>& b,
        const WarpOptions& options, bool begins_anywhere)
      : a_(a), b_(b.transpose()), options_(options), r_(radius(options, a.cols(), b.cols())) {
    row_.resize(static_cast<std::size_t>(2 * r_ + 2));
    if (options.slope == Slope::symmetric) turned_.resize(row_.size());
    squares_.resize(2 * r_ + 1);
    // The row before the first holds the beginnings, one step along the diagonal before the first pair.
    const Index last = begins_anywhere ? std::min(2 * r_, r_ + b.cols() - 1) : r_;
    for (Index k = r_; k <= last; ++k) row_[static_cast<std::size_t>(k)].squares = 0;
    if (options.path) steps_.resize(static_cast<std::size_t>(a.cols() * (2 * r_ + 1)));
  }

  /// The best of the paths that end where they may.
  Warp solve(bool ends_with_a, bool ends_with_b) {
    const Index n = a_.cols(), m = b_.rows();
    for (Index i = 0; i < n; ++i) {
      const Index first = std::max<Index>(0, r_ - i), last = std::min(2 * r_, m - 1 - i + r_);
      if (first > last) break;
      if (options_.slope == Slope::symmetric)
        fill_row<true>(i, first, last);
      else
        fill_row<false>(i, first, last);
      const Index corner = m - 1 - i + r_;  // where b ends
      if (ends_with_b && corner >= first && corner == last) offer(i, corner);
      if (ends_with_a && i == n - 1)
        for (Index k = first; k <= last; ++k) offer(i, k);
      if (i == n - 1 && corner == last) offer(i, corner);
    }
    return result();
  }

 private:
  /// At least as wide as the lengths differ, or no path would join both ends.
  static Index radius(const WarpOptions& options, Index n, Index m) {
    const auto share =
        static_cast<Index>(std::ceil(options.window * static_cast<double>(std::max(n, m)) - 1e-9));
    return std::min(std::max(share, std::abs(n - m)), std::max(n, m) - 1);
  }

  void measure_row(Index i, Index first, Index count) {
    const Index j = first + i - r_;
    auto squares = squares_.segment(first, count);
    squares = (b_.col(0).segment(j, count).array() - a_(0, i)).square();
    for (Index d = 1; d < b_.cols(); ++d) squares += (b_.col(d).segment(j, count).array() - a_(d, i)).square();
  }

  /// Of equal ways the diagonal is taken, then up.
  template <bool symmetric>
  void fill_row(Index i, Index first, Index last) {
    measure_row(i, first, last - first + 1);
    Best* const row = row_.data();
    Best* const turned = turned_.data();
    unsigned char* const steps = options_.path ? steps_.data() + i * (2 * r_ + 1) : nullptr;
    Best before;  // what (i, j - 1) offers to a step to the left
    for (Index k = first; k <= last; ++k) {
      const double squares = squares_[k], distance = std::sqrt(squares);
      // With the slope condition, a step along one series follows a diagonal one: `turned` are the paths
      // that may take it.
      const Best above = symmetric ? turned[k + 1] : row[k + 1];
      Best best = row[k];
      const Best along = {best.squares + squares, best.sum + distance, best.pairs + 1};
      unsigned char step = diagonal;
      if (above.squares < best.squares) best = above, step = up;
      if (before.squares < best.squares) best = before, step = left;
      row[k] = {best.squares + squares, best.sum + distance, best.pairs + 1};
      if (symmetric) turned[k] = along;
      before = symmetric ? along : row[k];
      if (steps) steps[k] = step;
    }
  }

  void offer(Index i, Index k) {
    const Best& candidate = row_[static_cast<std::size_t>(k)];
    if (!(candidate.squares < best_.squares)) return;
    best_ = candidate;
    best_i_ = i;
    best_k_ = k;
  }

  Warp result() const {
    Warp warp;
    if (!std::isfinite(best_.squares)) return warp;
    warp.distance = std::sqrt(best_.squares);
    warp.mean = best_.sum / best_.pairs;
    warp.pairs = static_cast<std::size_t>(best_.pairs);
    if (options_.path) warp.path = walk_back(warp.pairs);
    return warp;
  }

  std::vector<std::array<int, 2>> walk_back(std::size_t pairs) const {
    std::vector<std::array<int, 2>> path(pairs);
    Index i = best_i_, k = best_k_;
    bool must_turn = false;
    for (std::size_t p = pairs; p-- > 0;) {
      path[p] = {static_cast<int>(i), static_cast<int>(k + i - r_)};
      const unsigned char step = must_turn ? static_cast<unsigned char>(diagonal)
                                           : steps_[static_cast<std::size_t>(i * (2 * r_ + 1) + k)];
      must_turn = options_.slope == Slope::symmetric && step != diagonal;
      if (step == left) {
        --k;
      } else {
        --i;
        if (step == up) ++k;
      }
    }
    return path;
  }

  const Eigen::Ref<const Eigen::MatrixXd>& a_;
  Eigen::MatrixXd b_;  // a row per sample, so that a row of the table reads along memory
  const WarpOptions& options_;
  Index r_;
  std::vector<Best> row_, turned_;
  Eigen::ArrayXd squares_;
  std::vector<unsigned char> steps_;
  Best best_;
  Index best_i_ = 0, best_k_ = 0;
};

void check_input(const Eigen::Ref<const Eigen::MatrixXd>& a, const Eigen::Ref<const Eigen::MatrixXd>& b,
                 const WarpOptions& options) {
  if (a.rows() != b.rows() || a.rows() == 0)
    reject("series", fmt::format("have {} and {} rows", a.rows(), b.rows()), "the same quantities in both");
  if (a.cols() == 0 || b.cols() == 0)
    reject("series", fmt::format("have {} and {} samples", a.cols(), b.cols()), "at least one");
  if (!a.allFinite() || !b.allFinite())
    reject("series", "have a sample that is not finite", "leave out what cannot be compared");
  if (!(options.window >= 0 && options.window <= 1))
    reject("window", fmt::format("= {}, must be a share from 0 to 1", options.window), "1 is no window");
}

}  // namespace

Metrics metrics(const Eigen::Ref<const Eigen::VectorXd>& measured,
                const Eigen::Ref<const Eigen::VectorXd>& predicted, double noise) {
  check_series(measured, predicted);
  Metrics result;
  result.samples = static_cast<std::size_t>(measured.size());
  if (result.samples == 0) return result;
  const auto n = static_cast<double>(result.samples);
  const Eigen::VectorXd error = measured - predicted;
  result.rmse = std::sqrt(error.squaredNorm() / n);
  result.mae = error.lpNorm<1>() / n;
  if (is_constant(measured)) return result;  // no variance to explain: a rounded mean must not feign one

  const Eigen::VectorXd y = measured.array() - measured.mean(), p = predicted.array() - predicted.mean();
  const double yy = y.squaredNorm(), yp = y.dot(p), pp = p.squaredNorm();
  if (std::sqrt(yy / n) < least_motion * noise) return result;  // its R2 would be that of the noise
  result.r2 = 1 - error.squaredNorm() / yy;
  result.nrmse = result.rmse / (measured.maxCoeff() - measured.minCoeff());
  result.slope = yp / yy;
  if (!is_constant(predicted)) result.pearson = yp / std::sqrt(yy * pp);
  return result;
}

Warp warp(const Eigen::Ref<const Eigen::MatrixXd>& a, const Eigen::Ref<const Eigen::MatrixXd>& b,
          const WarpOptions& options) {
  check_input(a, b, options);
  if (options.ends != Ends::open) {
    const bool is_open = options.ends == Ends::open_end;
    return Table(a, b, options, false).solve(is_open, is_open);
  }
  // Either series whole against a part of the other.
  Warp whole_a = Table(a, b, options, true).solve(true, false);
  Warp whole_b = Table(b, a, options, true).solve(true, false);
  if (whole_a.distance <= whole_b.distance) return whole_a;
  for (auto& pair : whole_b.path) std::swap(pair[0], pair[1]);
  return whole_b;
}

}  // namespace fathom::identify
