#include <algorithm>
#include <cmath>

#include <Eigen/Core>
#include <Eigen/LU>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/filter/internal/clock_graph.hpp"

namespace fathom::filter::internal {
namespace {

/// A value and its slope by columns.
struct Interpolated {
  double value = nan, slope = nan;
};

/// Row `row` of x at a place between columns: cubic convolution (Keys 1981), smooth in the place. NaN where a
/// neighbour on either side is missing.
inline Interpolated between_columns(const Eigen::Ref<const Eigen::MatrixXd>& x, Eigen::Index row,
                                    double place) {
  const double floor = std::floor(place);
  if (!(floor >= 1 && floor + 2 < static_cast<double>(x.cols()))) return {};
  const auto k = static_cast<Eigen::Index>(floor);
  const double s = place - floor, a = x(row, k - 1), b = x(row, k), c = x(row, k + 1), d = x(row, k + 2);
  const double m0 = 0.5 * (c - a), m1 = 0.5 * (d - b), c2 = 3 * (c - b) - 2 * m0 - m1,
               c3 = m0 + m1 - 2 * (c - b);
  return {b + s * (m0 + s * (c2 + s * c3)), m0 + s * (2 * c2 + 3 * s * c3)};
}

constexpr double least_blur = 0.1;          // s
constexpr Eigen::Index per_blur = 4;        // grid points: cubic convolution then errs by less than 1e-4
constexpr Eigen::Index fewest_points = 30;  // a blur apart
constexpr double least_correlation = 0.6;
constexpr double least_evidence = 8;  // log likelihood by which the best offset beats any other
using Mat2 = Eigen::Matrix2d;
using Vec2 = Eigen::Vector2d;

/// One row of both series where both are known: y at times a blur apart, x earlier by an offset.
struct Compared {
  Eigen::VectorXd x, y, slope_x, slope_y, tau;  ///< slopes per second; tau = t - t0
  std::vector<Eigen::Index> place;              ///< which of the times: those without a number are not there
};

class Pair {
 public:
  Pair(const MotionSeries& from, const MotionSeries& to, double t0, const AlignmentOptions& options)
      : options_(options), t0_(t0) {
    blur_ = std::max({least_blur, usual_step(from), usual_step(to)});
    const double begin = std::max(from.t.front(), to.t.front()) - options.most;
    const double end = std::min(from.t.back(), to.t.back()) + options.most;
    grid_ = {begin, blur_ / static_cast<double>(per_blur), 0};
    grid_.size = std::max<Eigen::Index>(0, static_cast<Eigen::Index>((end - begin) / grid_.dt));
    shared_ = end - begin - 2 * options.most;
    x_ = sample_motion(from, grid_, blur_);
    y_ = sample_motion(to, grid_, blur_);
  }

  PairOffset estimate() {
    PairOffset result;
    if (!(shared_ > static_cast<double>(fewest_points) * blur_ && shared_ > 4 * options_.most)) {
      result.why_not = fmt::format("{:.3g} s in common, too short to seek offsets up to {:.3g} s",
                                   std::max(0.0, shared_), options_.most);
      return result;
    }
    scan(result);
    if (!result.why_not.empty()) return result;
    result.has_drift = shared_ >= options_.drift_from;
    refine(result.has_drift);
    settle(result);
    return result;
  }

 private:
  Compared compare(Eigen::Index row, const Vec2& offset) const {
    const Eigen::Index most = grid_.size / per_blur;
    Compared both;
    std::vector<std::array<double, 5>> points;
    for (Eigen::Index i = 0; i < most; ++i) {
      const Eigen::Index k = i * per_blur;
      const double tau = grid_.t(k) - t0_, shift = (offset[0] + offset[1] * tau) / grid_.dt;
      const Interpolated y = between_columns(y_, row, static_cast<double>(k)),
                         x = between_columns(x_, row, static_cast<double>(k) - shift);
      if (!std::isfinite(x.value + x.slope + y.value + y.slope)) continue;
      points.push_back({x.value, y.value, x.slope / grid_.dt, y.slope / grid_.dt, tau});
      both.place.push_back(i);
    }
    const Eigen::Map<const Eigen::Matrix<double, 5, Eigen::Dynamic>> all(
        points.empty() ? nullptr : points[0].data(), 5, static_cast<Eigen::Index>(points.size()));
    both.x = all.row(0), both.y = all.row(1), both.slope_x = all.row(2), both.slope_y = all.row(3);
    both.tau = all.row(4);
    return both;
  }

  static double correlation(const Compared& both) {
    if (both.x.size() < fewest_points) return 0;
    const Eigen::VectorXd x = both.x.array() - both.x.mean(), y = both.y.array() - both.y.mean();
    const double both_squares = x.squaredNorm() * y.squaredNorm();
    return both_squares > 0 ? x.dot(y) / std::sqrt(both_squares) : 0;
  }

  /// Sums of squares and products of a row with x `shift` columns earlier, about their means.
  struct Products {
    double count = 0, xx = 0, xy = 0, yy = 0;

    double correlation() const { return xx * yy > 0 ? xy / std::sqrt(xx * yy) : 0; }
  };
  Products products_at(Eigen::Index row, Eigen::Index shift) const {
    double n = 0, x1 = 0, y1 = 0, xx = 0, xy = 0, yy = 0;
    const Eigen::Index first = (std::max<Eigen::Index>(0, shift) + per_blur - 1) / per_blur * per_blur;
    const Eigen::Index end = grid_.size + std::min<Eigen::Index>(0, shift);
    for (Eigen::Index k = first; k < end; k += per_blur) {
      const double x = x_(row, k - shift), y = y_(row, k);
      if (std::isnan(x + y)) continue;
      n += 1, x1 += x, y1 += y, xx += x * x, xy += x * y, yy += y * y;
    }
    if (n < static_cast<double>(fewest_points)) return {};
    return {n, xx - x1 * x1 / n, xy - x1 * y1 / n, yy - y1 * y1 / n};
  }

  /// Of rows that move alike: the same quantity has a positive gain.
  double log_likelihood(Eigen::Index shift) const {
    double sum = 0;
    for (Eigen::Index row = 0; row < x_.rows(); ++row) {
      const Products of = products_at(row, shift);
      const double r = std::clamp(of.correlation(), 0.0, 1 - 1e-12);
      sum -= 0.5 * of.count * std::log(1 - r * r);
    }
    return sum;
  }

  /// Of all rows together: at a wrong offset one row alone may look alike by chance.
  double pooled_correlation(Eigen::Index shift) const {
    Products all;
    for (Eigen::Index row = 0; row < x_.rows(); ++row) {
      const Products of = products_at(row, shift);
      all.xx += of.xx, all.xy += of.xy, all.yy += of.yy;
    }
    return all.correlation();
  }

  /// Every offset a grid step apart; beyond the range too, because there the best within it is a mistake.
  void scan(PairOffset& result) {
    constexpr double memory = 3;  // blurs that the noise of neighbours is alike, at least
    constexpr double doubt = memory * least_evidence;
    const auto most = static_cast<Eigen::Index>(options_.most / grid_.dt);
    const auto looked = static_cast<Eigen::Index>(std::min(3 * options_.most, 0.25 * shared_) / grid_.dt);
    Eigen::VectorXd likelihood(2 * looked + 1);
    for (Eigen::Index i = 0; i <= 2 * looked; ++i) likelihood[i] = log_likelihood(i - looked);
    const auto range = likelihood.segment(looked - most, 2 * most + 1);
    Eigen::Index best = 0, anywhere = 0;
    const double highest = range.maxCoeff(&best);
    const auto seconds = [&](Eigen::Index i) { return grid_.dt * static_cast<double>(i - most); };
    offset_ = {seconds(best), 0};
    result.correlation = pooled_correlation(best - most);
    if (result.correlation < least_correlation)
      result.why_not = fmt::format("no motion that both show: correlation {:.2f} at most", result.correlation);
    else if (likelihood.maxCoeff(&anywhere) > highest + doubt || best == 0 || best == 2 * most)
      result.why_not = fmt::format("the best offset is beyond the range, {:.3g} s or more",
                                   seconds(anywhere - (looked - most)));
    for (Eigen::Index i = 1; i < 2 * most && result.why_not.empty(); ++i)
      if (std::abs(i - best) > 4 * per_blur && range[i] >= range[i - 1] && range[i] >= range[i + 1] &&
          highest - range[i] < doubt)
        result.why_not =
            fmt::format("the motion repeats: {:.3g} s fits as well as {:.3g} s", seconds(i), offset_[0]);
  }

  /// y - gain x - constant of a row, what offset and drift do to it, and what the same is seen in y; over its
  /// own spread.
  struct Weighed {
    Eigen::VectorXd residual;  ///< zero where there is no number
    Eigen::Matrix<double, Eigen::Dynamic, 2> by_x, by_y;
    Eigen::VectorXd known;  ///< 1 where there is a number
  };
  Weighed weigh(Eigen::Index row, bool with_drift) const {
    const Compared both = compare(row, offset_);
    const Eigen::Index n = both.x.size(), all = grid_.size / per_blur;
    Weighed out{Eigen::VectorXd::Zero(all), Eigen::Matrix<double, Eigen::Dynamic, 2>::Zero(all, 2),
                Eigen::Matrix<double, Eigen::Dynamic, 2>::Zero(all, 2), Eigen::VectorXd::Zero(all)};
    if (correlation(both) < least_correlation) return out;  // a row that does not move would add noise only
    const Eigen::VectorXd x = both.x.array() - both.x.mean();
    const Eigen::VectorXd y = both.y.array() - both.y.mean();
    const double gain = x.dot(y) / x.squaredNorm();
    const Eigen::VectorXd residual = y - gain * x;
    const double spread = std::sqrt(residual.squaredNorm() / static_cast<double>(n)) + 1e-9 * y.norm();
    const auto clear = [&](Eigen::VectorXd v) {
      v.array() -= v.mean();
      return Eigen::VectorXd(v - v.dot(x) / x.squaredNorm() * x);
    };
    Eigen::MatrixXd columns(n, 5);
    columns.col(0) = residual;
    columns.col(1) = clear(gain * both.slope_x);
    columns.col(2) = clear(both.slope_y);
    columns.col(3) = with_drift ? clear(gain * both.slope_x.cwiseProduct(both.tau)) : Eigen::VectorXd::Zero(n);
    columns.col(4) = with_drift ? clear(both.slope_y.cwiseProduct(both.tau)) : Eigen::VectorXd::Zero(n);
    columns /= spread;
    for (Eigen::Index i = 0; i < n; ++i) {
      const Eigen::Index k = both.place[static_cast<std::size_t>(i)];
      out.known[k] = 1;
      out.residual[k] = columns(i, 0);
      out.by_x.row(k) << columns(i, 1), columns(i, 3);
      out.by_y.row(k) << columns(i, 2), columns(i, 4);
    }
    return out;
  }

  /// 1 on the drift's place where it is not sought.
  static Mat2 solvable(Mat2 m, bool with_drift) {
    if (!with_drift) m(1, 1) = 1;
    return m;
  }

  void refine(bool with_drift) {
    constexpr int steps = 6;
    for (int step = 0; step < steps; ++step) {
      Mat2 information = Mat2::Zero();
      Vec2 moment = Vec2::Zero();
      for (Eigen::Index row = 0; row < x_.rows(); ++row) {
        const Weighed w = weigh(row, with_drift);
        information += w.by_x.transpose() * w.by_x;
        moment -= w.by_x.transpose() * w.residual;  // y - g x(t - d): its slope by d is +g x'
      }
      const Vec2 change = solvable(information, with_drift).inverse() * moment;
      offset_ += change.cwiseMax(-blur_).cwiseMin(blur_);
    }
  }

  /// Parzen's window over Andrews' bandwidth (1991) for residuals like AR(1).
  static double window(Eigen::Index lag, double bandwidth) {
    const double share = static_cast<double>(lag) / bandwidth;
    if (share >= 1) return 0;
    return share < 0.5 ? 1 - 6 * share * share * (1 - share) : 2 * std::pow(1 - share, 3);
  }

  /// Mean product of a row's residuals `lag` apart.
  static double memory_of(const Weighed& w, Eigen::Index lag) {
    const Eigen::Index n = w.residual.size() - lag;
    const double count = w.known.head(n).dot(w.known.tail(n));
    return count > 0 ? w.residual.head(n).dot(w.residual.tail(n)) / count : 0;
  }

  void settle(PairOffset& result) {
    Mat2 seen = Mat2::Zero(), moment = Mat2::Zero();
    for (Eigen::Index row = 0; row < x_.rows(); ++row) {
      const Weighed w = weigh(row, result.has_drift);
      const double count = w.known.sum();
      if (count < 1) continue;
      const double rho = std::clamp(memory_of(w, 1), -0.97, 0.97);
      const double bandwidth =
          std::clamp(2.6614 * std::pow(4 * rho * rho / std::pow(1 - rho, 4) * count, 0.2), 4.0, 0.2 * count);
      const double fitted =
          1 / std::max(0.2, 1 - 4 * (1 + rho) / ((1 - rho) * count));  // gain, constant, offset
      for (Eigen::Index lag = 0; static_cast<double>(lag) < bandwidth; ++lag) {
        const Eigen::Index n = w.residual.size() - lag;
        const Mat2 product = w.by_x.topRows(n).transpose() * w.by_x.bottomRows(n);
        const Mat2 even = lag == 0 ? product : Mat2(product + product.transpose());
        moment += fitted * window(lag, bandwidth) * memory_of(w, lag) * even;
      }
      const Mat2 crossed = w.by_x.transpose() * w.by_y;  // noise of x and noise of y do not know each other
      seen += 0.5 * (crossed + crossed.transpose());
    }
    const Mat2 inverse = solvable(seen, result.has_drift).inverse();
    const Mat2 covariance = inverse * moment * inverse;
    result.seconds = offset_[0];
    result.drift = offset_[1];
    result.sigma = std::sqrt(covariance(0, 0));
    result.drift_sigma = std::sqrt(covariance(1, 1));
    if (!(seen(0, 0) > 0 && std::isfinite(result.sigma) && result.sigma < 0.25 * options_.most))
      result.why_not = "too little motion to tell an offset";
    else if (std::abs(result.seconds) > options_.most)
      result.why_not = fmt::format("the offset is beyond the range, {:.3g} s", result.seconds);
  }

  AlignmentOptions options_;
  double t0_, blur_ = 0, shared_ = 0;
  EvenClock grid_;
  Eigen::MatrixXd x_, y_;
  Vec2 offset_ = Vec2::Zero();  ///< s at t0, and s/s
};

}  // namespace

PairOffset pair_offset(const MotionSeries& from, const MotionSeries& to, double t0,
                       const AlignmentOptions& options) {
  PairOffset result = Pair(from, to, t0, options).estimate();
  result.from = from.channel;
  result.to = to.channel;
  result.quantity = from.quantity;
  return result;
}

}  // namespace fathom::filter::internal
