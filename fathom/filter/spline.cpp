#include "fathom/filter/spline.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/filter/internal/golden_section.hpp"

namespace fathom::filter {
namespace {

/// The banded equations of a smoothing spline (Reinsch 1967 for order 2; de Hoog and Hutchinson 1986):
/// docs/filters.md eqs. 13 to 15. Bands are rows: row k holds the k-th diagonal below the main one.
class SplineSystem {
 public:
  SplineSystem(const Eigen::VectorXd& t, const Eigen::VectorXd& y, const Eigen::VectorXd& weights, int order);

  struct Solution {
    Eigen::VectorXd g;      ///< at the samples
    Eigen::VectorXd gamma;  ///< of the B-splines of degree order - 1 that sum to g^(order)
    double freedom = 0, gcv = 0;
  };
  /// None where rounding made the equations singular.
  std::optional<Solution> solve(double smoothing) const;

  /// The smoothing at which penalty and data weigh the same; a scale to search on.
  double scale() const;

  /// g^(order) at t, in the interval that begins at sample i.
  double highest(const Eigen::VectorXd& gamma, Eigen::Index i, double t) const;

 private:
  double b_spline(Eigen::Index j, Eigen::Index interval, double t) const;
  void add_gram(Eigen::Index interval);

  Eigen::Index order_, n_, rows_;  // rows_ = n_ - order_: of the divided differences
  double factorial_;
  const Eigen::VectorXd &t_, &y_, &weights_;
  Eigen::MatrixXd Q_;      // a column per divided difference: its order + 1 coefficients
  Eigen::MatrixXd R_, K_;  // bands of the Gram matrix of B-splines, and of Q' W^-1 Q
};

/// L D L' of a symmetric positive matrix given by its bands: D in row 0, L below. False: not positive.
bool factor(Eigen::MatrixXd& bands) {
  const Eigen::Index p = bands.rows() - 1, n = bands.cols();
  for (Eigen::Index j = 0; j < n; ++j) {
    if (!(bands(0, j) > 0)) return false;
    const Eigen::Index last = std::min(p, n - 1 - j);
    for (Eigen::Index k = 1; k <= last; ++k) {
      const double l = bands(k, j) / bands(0, j);
      for (Eigen::Index m = k; m <= last; ++m) bands(m - k, j + k) -= l * bands(m, j);
    }
    for (Eigen::Index k = 1; k <= last; ++k) bands(k, j) /= bands(0, j);
  }
  return true;
}

Eigen::VectorXd solve_factored(const Eigen::MatrixXd& bands, Eigen::VectorXd x) {
  const Eigen::Index p = bands.rows() - 1, n = bands.cols();
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index k = 1; k <= std::min(p, n - 1 - j); ++k) x[j + k] -= bands(k, j) * x[j];
  for (Eigen::Index j = n; j-- > 0;) {
    x[j] /= bands(0, j);
    for (Eigen::Index k = 1; k <= std::min(p, n - 1 - j); ++k) x[j] -= bands(k, j) * x[j + k];
  }
  return x;
}

/// The inverse within the band, from the last column to the first (Hutchinson and de Hoog 1985).
Eigen::MatrixXd inverse_bands(const Eigen::MatrixXd& bands) {
  const Eigen::Index p = bands.rows() - 1, n = bands.cols();
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Zero(p + 1, n);
  const auto entry = [&](Eigen::Index i, Eigen::Index j) { return inverse(std::abs(i - j), std::min(i, j)); };
  for (Eigen::Index j = n; j-- > 0;) {
    const Eigen::Index last = std::min(p, n - 1 - j);
    for (Eigen::Index k = last; k >= 0; --k) {
      double sum = k == 0 ? 1 / bands(0, j) : 0;
      for (Eigen::Index m = 1; m <= last; ++m) sum -= bands(m, j) * entry(j + m, j + k);
      inverse(k, j) = sum;
    }
  }
  return inverse;
}

SplineSystem::SplineSystem(const Eigen::VectorXd& t, const Eigen::VectorXd& y, const Eigen::VectorXd& weights,
                           int order)
    : order_(order),
      n_(t.size()),
      rows_(t.size() - order),
      factorial_(order == 2 ? 2 : 6),
      t_(t),
      y_(y),
      weights_(weights) {
  Q_.resize(order_ + 1, rows_);
  for (Eigen::Index j = 0; j < rows_; ++j)
    for (Eigen::Index a = 0; a <= order_; ++a) {
      double product = 1;
      for (Eigen::Index b = 0; b <= order_; ++b)
        if (b != a) product *= t_[j + a] - t_[j + b];
      Q_(a, j) = 1 / product;
    }
  K_.setZero(order_ + 1, rows_);
  for (Eigen::Index j = 0; j < rows_; ++j)
    for (Eigen::Index k = 0; k <= std::min(order_, rows_ - 1 - j); ++k)
      for (Eigen::Index a = k; a <= order_; ++a) K_(k, j) += Q_(a, j) * Q_(a - k, j + k) / weights_[j + a];
  R_.setZero(order_ + 1, rows_);
  for (Eigen::Index i = 0; i + 1 < n_; ++i) add_gram(i);
}

/// B-spline of degree order - 1 on t_j .. t_(j + order) with integral one, at t in [t_i, t_(i+1)]; Cox and de
/// Boor.
double SplineSystem::b_spline(Eigen::Index j, Eigen::Index interval, double t) const {
  double values[3] = {};
  for (Eigen::Index k = 0; k < order_; ++k) values[k] = interval == j + k ? 1 / (t_[j + k + 1] - t_[j + k]) : 0;
  for (Eigen::Index degree = 1; degree < order_; ++degree)
    for (Eigen::Index k = 0; k + degree < order_; ++k) {
      const double left = t_[j + k], right = t_[j + k + degree + 1];
      values[k] = static_cast<double>(degree + 1) / static_cast<double>(degree) *
                  ((t - left) * values[k] + (right - t) * values[k + 1]) / (right - left);
    }
  return values[0];
}

/// One interval's share in the products of B-splines; Gauss' rule of three points is exact for them.
void SplineSystem::add_gram(Eigen::Index interval) {
  static const double nodes[] = {-std::sqrt(0.6), 0, std::sqrt(0.6)}, weights[] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  const double half = 0.5 * (t_[interval + 1] - t_[interval]), middle = t_[interval] + half;
  const Eigen::Index first = std::max<Eigen::Index>(0, interval - order_ + 1),
                     last = std::min(interval, rows_ - 1);
  for (int q = 0; q < 3; ++q)
    for (Eigen::Index j = first; j <= last; ++j) {
      const double weighted = weights[q] * half / factorial_ * b_spline(j, interval, middle + half * nodes[q]);
      for (Eigen::Index k = j; k <= last; ++k)
        R_(k - j, j) += weighted * b_spline(k, interval, middle + half * nodes[q]);
    }
}

double SplineSystem::scale() const { return R_.row(0).sum() / (factorial_ * K_.row(0).sum()); }

double SplineSystem::highest(const Eigen::VectorXd& gamma, Eigen::Index i, double t) const {
  double sum = 0;
  for (Eigen::Index j = std::max<Eigen::Index>(0, i - order_ + 1); j <= std::min(i, rows_ - 1); ++j)
    sum += gamma[j] * b_spline(j, i, t);
  return sum;
}

std::optional<SplineSystem::Solution> SplineSystem::solve(double smoothing) const {
  const double mu = factorial_ * smoothing;
  Eigen::MatrixXd bands = R_ + mu * K_;
  if (!factor(bands)) return std::nullopt;
  Eigen::VectorXd differences(rows_);
  for (Eigen::Index j = 0; j < rows_; ++j) differences[j] = Q_.col(j).dot(y_.segment(j, order_ + 1));
  Solution solution;
  solution.gamma = solve_factored(bands, differences);
  Eigen::VectorXd pull = Eigen::VectorXd::Zero(n_);
  for (Eigen::Index j = 0; j < rows_; ++j) pull.segment(j, order_ + 1) += solution.gamma[j] * Q_.col(j);
  const Eigen::VectorXd residual = mu * pull.cwiseQuotient(weights_);
  solution.g = y_ - residual;
  const Eigen::MatrixXd inverse = inverse_bands(bands);
  const double trace =  // of I - A
      mu * (inverse.row(0).dot(K_.row(0)) +
            2 * inverse.bottomRows(order_).cwiseProduct(K_.bottomRows(order_)).sum());
  const double n = static_cast<double>(n_);
  solution.freedom = n - trace;
  solution.gcv = residual.cwiseAbs2().dot(weights_) / n / std::pow(trace / n, 2);
  return solution;
}

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
