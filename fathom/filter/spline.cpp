#include "fathom/filter/spline.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/filter/internal/golden_section.hpp"
#include "fathom/filter/internal/spline_system.hpp"

namespace fathom::filter {
namespace {

using internal::SplineSystem;

constexpr int least_decade = -3, most_decade = 13;  // beyond, the equations lose their digits

void check(const Eigen::VectorXd& t, const Eigen::VectorXd& y, const Eigen::VectorXd& weights,
           const SplineOptions& options) {
  if (options.order != 2 && options.order != 3)
    reject("spline", fmt::format("order = {}, must be 2 or 3", options.order), "2 gives a cubic, 3 a quintic");
  if (y.size() != t.size() || weights.size() != t.size())
    reject("spline", fmt::format("{} times, {} values, {} weights", t.size(), y.size(), weights.size()),
           "as many of each");
  if (t.size() < 2 * options.order + 1)
    reject("spline", fmt::format("{} samples, at least {} are needed", t.size(), 2 * options.order + 1),
           "a longer log");
  for (Eigen::Index i = 0; i < t.size(); ++i) {
    if (!std::isfinite(t[i]) || !std::isfinite(y[i]))
      reject("spline", fmt::format("sample {} is not a number", i), "leave it out");
    if (!(weights[i] > 0 && std::isfinite(weights[i])))
      reject("spline", fmt::format("weight {} = {}, must be > 0", i, weights[i]), "leave the sample out");
    if (i > 0 && !(t[i] > t[i - 1]))
      reject("spline", fmt::format("t[{}] = {} does not come after {}", i, t[i], t[i - 1]),
             "average samples of one time");
  }
  if (options.smoothing && !(*options.smoothing > 0 && std::isfinite(*options.smoothing)))
    reject("spline", fmt::format("smoothing = {}, must be > 0", *options.smoothing), "");
}

/// The smoothing of the least score: over decades first, then golden section about the best of them.
double chosen_smoothing(const SplineSystem& system) {
  const double scale = system.scale();
  const auto score = [&](double decade) {
    const auto solution = system.solve(scale * std::pow(10.0, decade));
    return solution ? solution->gcv : infinity;
  };
  int best = least_decade;
  double least = infinity;
  for (int decade = least_decade; decade <= most_decade; ++decade)
    if (const double value = score(decade); value < least) {
      least = value;
      best = decade;
    }
  constexpr int golden_steps = 24;  // to 1e-5 of a decade
  const auto bracket = internal::golden_section(score, best - 1, best + 1, golden_steps);
  return scale * std::pow(10.0, bracket.best());
}

/// The coefficients order .. 2 order - 1 of one interval, from g^(order) at its ends (and middle).
void put_highest(const SplineSystem& system, const Eigen::VectorXd& gamma, const Eigen::VectorXd& t, int order,
                 Eigen::Index i, Eigen::Ref<Eigen::VectorXd> piece) {
  const double h = t[i + 1] - t[i];
  const double left = system.highest(gamma, i, t[i]), right = system.highest(gamma, i, t[i + 1]);
  if (order == 2) {
    piece[2] = left / 2;
    piece[3] = (right - left) / h / 6;
    return;
  }
  const double middle = system.highest(gamma, i, 0.5 * (t[i] + t[i + 1]));
  piece[3] = left / 6;
  piece[4] = (4 * middle - 3 * left - right) / h / 24;
  piece[5] = 2 * (left + right - 2 * middle) / (h * h) / 60;
}

/// What the coefficients from `order` on make of a piece at s.
double tail(const Eigen::Ref<const Eigen::VectorXd>& piece, int order, double s) {
  double sum = 0;
  for (Eigen::Index k = piece.size() - 1; k >= order; --k) sum = sum * s + piece[k];
  return sum * std::pow(s, order);
}

/// A quintic's first and second coefficient at each knot, from the values of its neighbours: local, so that
/// nothing drifts along the log.
void put_lowest_quintic(const Eigen::VectorXd& t, const Eigen::VectorXd& g, Eigen::MatrixXd& pieces) {
  for (Eigen::Index i = pieces.cols() - 1; i >= 0; --i) {
    auto piece = pieces.col(i);
    const double h = t[i + 1] - t[i], ahead = (g[i + 1] - g[i] - tail(piece, 3, h)) / h;  // c1 + c2 h
    if (i == 0) {
      const double c3 = piece[3], c4 = piece[4], c5 = piece[5];
      piece[2] = pieces(2, 1) - h * (3 * c3 + h * (6 * c4 + h * 10 * c5));
    } else {
      const auto before = pieces.col(i - 1);  // about t_i instead of t_(i-1)
      const double b = t[i] - t[i - 1], c5 = before[5], c4 = before[4] + 5 * b * c5,
                   c3 = before[3] + b * (4 * before[4] + 10 * b * c5);
      const double back = (g[i] - g[i - 1] + b * b * b * (-c3 + b * (c4 - b * c5))) / b;  // c1 - c2 b
      piece[2] = (ahead - back) / (h + b);
    }
    piece[1] = ahead - piece[2] * h;
  }
}

void put_lowest(const Eigen::VectorXd& t, const Eigen::VectorXd& g, int order, Eigen::MatrixXd& pieces) {
  pieces.row(0) = g.head(pieces.cols()).transpose();
  if (order == 3) return put_lowest_quintic(t, g, pieces);
  for (Eigen::Index i = 0; i < pieces.cols(); ++i) {
    const double h = t[i + 1] - t[i];
    pieces(1, i) = (g[i + 1] - g[i] - tail(pieces.col(i), 2, h)) / h;
  }
}

}  // namespace

Spline::Spline(const Eigen::Ref<const Eigen::VectorXd>& t, const Eigen::Ref<const Eigen::VectorXd>& y,
               const Eigen::Ref<const Eigen::VectorXd>& weights, const SplineOptions& options)
    : order_(options.order), t_(t) {
  const Eigen::VectorXd values = y;
  Eigen::VectorXd w = weights;
  if (w.size() == 0) w.setOnes(t.size());
  check(t_, values, w, options);
  const SplineSystem system(t_, values, w, order_);
  smoothing_ = options.smoothing ? *options.smoothing : chosen_smoothing(system);
  const auto solution = system.solve(smoothing_);
  if (!solution)
    reject("spline", fmt::format("smoothing = {} leaves the equations singular", smoothing_), "less smoothing");
  freedom_ = solution->freedom;
  gcv_ = solution->gcv;
  pieces_.resize(2 * order_, t_.size() - 1);
  for (Eigen::Index i = 0; i < pieces_.cols(); ++i)
    put_highest(system, solution->gamma, t_, order_, i, pieces_.col(i));
  put_lowest(t_, solution->g, order_, pieces_);
}

double Spline::at(double t, int derivative) const {
  const auto after = std::upper_bound(t_.begin(), t_.end(), t) - t_.begin();
  const Eigen::Index i = std::clamp<Eigen::Index>(after - 1, 0, pieces_.cols() - 1);
  Eigen::VectorXd c = pieces_.col(i);
  double s = t - t_[i];
  if (t > t_[t_.size() - 1]) {  // the piece about its end, without its higher powers
    const double h = t_[i + 1] - t_[i];
    for (Eigen::Index k = 0; k < order_; ++k)
      for (Eigen::Index j = c.size() - 2; j >= k; --j) c[j] += h * c[j + 1];
    s -= h;
  }
  const Eigen::Index degree = t < t_[0] || t > t_[t_.size() - 1] ? order_ - 1 : c.size() - 1;
  double value = 0;
  for (Eigen::Index k = degree; k >= derivative; --k) {
    double factor = 1;
    for (int d = 0; d < derivative; ++d) factor *= static_cast<double>(k - d);
    value = value * s + factor * c[k];
  }
  return value;
}

Eigen::VectorXd Spline::at(const Eigen::Ref<const Eigen::VectorXd>& t, int derivative) const {
  return t.unaryExpr([&](double one) { return at(one, derivative); });
}

}  // namespace fathom::filter
