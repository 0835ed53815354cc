#include "fathom/trajectory/basis.hpp"

#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/trajectory/bezier.hpp"

namespace fathom::trajectory {
namespace {

using Eigen::Index;

constexpr int max_intervals = 100'000;  // of a spline, in all

void check_durations(std::span<const double> durations) {
  if (durations.empty()) reject("durations", "has no entry, at least one segment is needed");
  for (std::size_t j = 0; j < durations.size(); ++j)
    if (!(durations[j] > 0) || !std::isfinite(durations[j]))
      reject(fmt::format("durations[{}]", j), fmt::format("= {} s, must be > 0 and finite", durations[j]));
}

// A knot that rounding puts upon the one before would make a piece without duration.
void check_growth(const std::vector<double>& knots) {
  for (std::size_t k = 1; k < knots.size(); ++k)
    if (!(knots[k] > knots[k - 1]) || !std::isfinite(knots[k]))
      reject("durations", fmt::format("make knots of {} and {} s, must grow", knots[k - 1], knots[k]));
}

// Rows of an AffineRows, entry by entry.
class Rows {
 public:
  explicit Rows(Index count) : count_(count), start_(Eigen::VectorXd::Zero(count)), end_(start_) {}

  void free(Index row, Index column, double weight) {
    if (weight != 0) entries_.emplace_back(row, column, weight);
  }
  void start(Index row, double weight) { start_[row] += weight; }
  void end(Index row, double weight) { end_[row] += weight; }

  AffineRows take(Index columns) {
    SparseRows rows(count_, columns);
    rows.setFromTriplets(entries_.begin(), entries_.end());
    return {rows, std::move(start_), std::move(end_)};
  }

 private:
  Index count_;
  std::vector<Eigen::Triplet<double, Index>> entries_;
  Eigen::VectorXd start_, end_;
};

// Weights of the last three control points of a piece, last first, in point `i` < 3 of the next, whose duration
// is `ratio` times as long; Panetsos, eq. 13.
std::array<double, 3> continuation(int i, double ratio) {
  if (i == 0) return {1, 0, 0};
  if (i == 1) return {1 + ratio, -ratio, 0};
  return {(1 + ratio) * (1 + ratio), -2 * ratio * (1 + ratio), ratio * ratio};
}

// Knots of the B-spline: three more on either side, at the spacing of the outermost intervals. They are single,
// so the first three coefficients alone make value, rate and acceleration at the begin.
std::vector<double> extended(const std::vector<double>& knots) {
  std::vector<double> all;
  const std::size_t last = knots.size() - 1;
  for (int k = 3; k > 0; --k) all.push_back(knots[0] - k * (knots[1] - knots[0]));
  all.insert(all.end(), knots.begin(), knots.end());
  for (int k = 1; k <= 3; ++k) all.push_back(knots[last] + k * (knots[last] - knots[last - 1]));
  return all;
}

// Weights of the coefficients d_s-3 .. d_s in the blossom of the spline's polynomial on [x_s, x_s+1]: de Boor's
// recurrence with another argument at each level.
Eigen::RowVector4d blossom(const std::vector<double>& x, std::size_t s,
                           const std::array<double, 3>& arguments) {
  Eigen::Matrix4d d = Eigen::Matrix4d::Identity();
  for (std::size_t level = 1; level <= 3; ++level)
    for (std::size_t i = 3; i >= level; --i) {
      const double low = x[s - 3 + i], high = x[s + 1 + i - level];
      const double alpha = (arguments[level - 1] - low) / (high - low);
      d.row(i) = (1 - alpha) * d.row(i - 1) + alpha * d.row(i);
    }
  return d.row(3);
}

int check_intervals(std::span<const double> durations, std::span<const int> intervals) {
  if (intervals.size() != durations.size())
    reject("intervals", fmt::format("has {} entries for {} segments", intervals.size(), durations.size()));
  long total = 0;
  for (std::size_t j = 0; j < intervals.size(); ++j) {
    if (intervals[j] < 1)
      reject(fmt::format("intervals[{}]", j), fmt::format("= {}, must be >= 1", intervals[j]));
    total += intervals[j];
  }
  if (total < 4)
    reject("intervals", fmt::format("make {} in all, must be >= 4", total),
           "rest at both ends takes six coefficients");
  if (total > max_intervals)
    reject("intervals", fmt::format("make {} in all, must be <= {}", total, max_intervals));
  return static_cast<int>(total);
}

}  // namespace

Basis bezier_basis(std::span<const double> durations, int degree) {
  check_durations(durations);
  if (degree < 5 || degree > max_degree)
    reject("degree", fmt::format("= {}, must be 5 to {}", degree, max_degree),
           "three control points at either end of a piece go to continuity or rest");
  const Index m = durations.size(), n = degree;
  if (m == 1 && degree == 5)
    reject("degree", "= 5, must be >= 6 for one segment", "rest at both ends fixes six points");

  Basis basis;
  basis.degree = degree;
  basis.knots.assign(1, 0.0);
  for (const double time : durations) basis.knots.push_back(basis.knots.back() + time);
  check_growth(basis.knots);
  basis.segment.resize(durations.size());
  std::iota(basis.segment.begin(), basis.segment.end(), 0);

  // Free are points 3 .. n of each segment, but 3 .. n - 3 of the last, in the order of time.
  const auto column = [n](Index j, Index i) { return j * (n - 2) + i - 3; };
  const auto duration = [&basis](Index j) { return basis.knots[j + 1] - basis.knots[j]; };
  Rows rows(m * (n + 1));
  for (Index j = 0; j < m; ++j) {
    const double ratio = j > 0 ? duration(j) / duration(j - 1) : 0;
    for (Index i = 0; i <= n; ++i) {
      const Index row = j * (n + 1) + i;
      if (j == 0 && i < 3) {
        rows.start(row, 1);  // Panetsos, eq. 14
      } else if (j == m - 1 && i > n - 3) {
        rows.end(row, 1);
      } else if (i >= 3) {
        rows.free(row, column(j, i), 1);
      } else {
        const auto weights = continuation(static_cast<int>(i), ratio);
        for (Index k = 0; k < 3; ++k) rows.free(row, column(j - 1, n - k), weights[k]);
      }
    }
  }
  basis.points = rows.take(column(m - 1, n - 2));
  return basis;
}

Basis spline_basis(std::span<const double> durations, std::span<const int> intervals) {
  check_durations(durations);
  const Index pieces = check_intervals(durations, intervals);
  Basis basis;
  basis.degree = 3;
  basis.knots.assign(1, 0.0);
  for (std::size_t j = 0; j < durations.size(); ++j) {
    const double begin = basis.knots.back(), end = begin + durations[j];
    for (int k = 1; k <= intervals[j]; ++k)
      basis.knots.push_back(k == intervals[j] ? end : begin + durations[j] * k / intervals[j]);
    basis.segment.insert(basis.segment.end(), intervals[j], static_cast<int>(j));
  }
  check_growth(basis.knots);

  // Coefficients 0 1 2 are the start, the last three the end; the others are free.
  const std::vector<double> x = extended(basis.knots);
  Rows rows(4 * pieces);
  for (Index piece = 0; piece < pieces; ++piece) {
    const std::size_t s = piece + 3;
    const double a = x[s], b = x[s + 1];
    // A blossom does not care about the order of its arguments; in this one, weights that are zero come out so.
    const std::array<std::array<double, 3>, 4> arguments = {{{a, a, a}, {a, b, a}, {a, b, b}, {b, b, b}}};
    for (Index i = 0; i < 4; ++i) {
      const Eigen::RowVector4d weights = blossom(x, s, arguments[i]);
      const Index row = 4 * piece + i;
      for (Index k = 0; k < 4; ++k) {
        const Index coefficient = piece + k;
        if (coefficient < 3)
          rows.start(row, weights[k]);
        else if (coefficient >= pieces)
          rows.end(row, weights[k]);
        else
          rows.free(row, coefficient - 3, weights[k]);
      }
    }
  }
  basis.points = rows.take(pieces - 3);
  return basis;
}

}  // namespace fathom::trajectory
