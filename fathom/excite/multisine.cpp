#include "fathom/excite/multisine.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

namespace fathom::excite {
namespace {

using Eigen::Index;

constexpr double inside = 0.99;  // of the way to the first limit
constexpr int fewest_tones = 3, most_tones = 8;
constexpr int phase_draws = 8;  // of which the one with the largest amplitude is kept: a low crest factor
constexpr int samples_per_number = 3;  // of a piece, by its control points: enough for a well-posed fit

/// Bernstein polynomials of a degree at u.
Eigen::VectorXd bernstein(int degree, double u) {
  Eigen::VectorXd b = Eigen::VectorXd::Zero(degree + 1);
  b[0] = 1;
  for (int n = 1; n <= degree; ++n)
    for (int i = n; i >= 0; --i) b[i] = (i < n ? (1 - u) * b[i] : 0) + (i > 0 ? u * b[i - 1] : 0);
  return b;
}

/// The angular frequency of a sine that reaches its limits of acceleration and of speed, or of pose where that
/// is narrow, together (eq. 6); `usual` where a limit is missing.
double corner_of(const Limits& limits, int coordinate, double usual) {
  const auto c = static_cast<std::size_t>(coordinate);
  const Range &pose = limits.pose[c], &rate = limits.rate[c], &acceleration = limits.acceleration[c];
  const double v = std::min(-rate.min, rate.max), a = std::min(-acceleration.min, acceleration.max);
  const double room = (pose.max - pose.min) / 2;
  const bool is_limited = std::isfinite(v) && std::isfinite(a) && v > 0 && a > 0;
  return is_limited ? std::min(usual, std::max(a / v, std::sqrt(a / room))) : usual;
}

/// Begins and ends at rest: a quintic over the first and the last part.
double fade(double t, double duration) {
  const double part = 0.1 * duration, s = std::clamp(std::min(t, duration - t) / part, 0.0, 1.0);
  return s * s * s * (10 + s * (6 * s - 15));
}

}  // namespace

Multisines::Multisines(const Problem& problem, const Bounds& bounds, const Eigen::VectorXd& centre)
    : problem_(problem), bounds_(bounds), centre_(centre) {
  const trajectory::Basis& basis = bounds.basis;
  const Index points = basis.degree + 1, pieces = static_cast<Index>(basis.knots.size()) - 1;
  const Index each = samples_per_number * points;
  std::vector<Eigen::Triplet<double>> entries;
  times_.resize(pieces * each);
  double shortest = problem.duration();
  for (Index piece = 0; piece < pieces; ++piece) {
    const auto k = static_cast<std::size_t>(piece);
    const double begin = basis.knots[k], length = basis.knots[k + 1] - begin;
    shortest = std::min(shortest, length);
    for (Index i = 0; i < each; ++i) {
      const double u = (static_cast<double>(i) + 0.5) / static_cast<double>(each);
      const Eigen::VectorXd b = bernstein(basis.degree, u);
      times_[piece * each + i] = begin + u * length;
      for (Index j = 0; j < points; ++j)
        entries.emplace_back(static_cast<int>(piece * each + i), static_cast<int>(piece * points + j), b[j]);
    }
  }
  trajectory::SparseRows values(times_.size(), pieces * points);
  values.setFromTriplets(entries.begin(), entries.end());
  curve_ = values * basis.points.rows;
  const Eigen::MatrixXd normal = Eigen::MatrixXd(trajectory::SparseRows(curve_.transpose()) * curve_);
  normal_.compute(normal);
  // A cubic needs two pieces for half a wave, a piece of degree n can turn n - 1 times.
  const double half_wave = basis.degree == 3 ? 2 * shortest : 2 * shortest / (basis.degree - 1);
  fastest_ = std::numbers::pi / half_wave;
}

Eigen::VectorXd Multisines::fitted(const Eigen::VectorXd& values) const {
  return normal_.solve(curve_.transpose() * values);
}

double Multisines::reach(std::size_t block, const Eigen::VectorXd& swing) const {
  const solve::Block& box = bounds_.program.blocks[block];
  const Index n = bounds_.basis.size();
  const Eigen::VectorXd at = box.A * centre_.segment(static_cast<Index>(block) * n, n), by = box.A * swing;
  double scale = infinity;
  for (Index row = 0; row < by.size(); ++row) {
    if (by[row] > 0) scale = std::min(scale, (box.upper[row] - at[row]) / by[row]);
    if (by[row] < 0) scale = std::min(scale, (box.lower[row] - at[row]) / by[row]);
  }
  return std::isfinite(scale) ? scale : 0;
}

Eigen::VectorXd Multisines::swing(std::size_t block, const Segment& segment, double begin, const Tones& tones,
                                  RandomStream& random) const {
  // A path of few pieces cannot follow even two waves.
  const double slowest = std::min(4 * std::numbers::pi / segment.duration, fastest_);
  const double corner = corner_of(segment.limits, problem_.coordinates()[block], fastest_);
  // Coordinates have tones of their own, or they would look alike.
  const double high =
      std::clamp(tones.share * corner, slowest, fastest_) * (1 - 0.06 * static_cast<double>(block));
  const double low = std::max(high / tones.span, std::min(slowest, high));
  Eigen::VectorXd best;
  double largest = 0;
  for (int draw = 0; draw < phase_draws; ++draw) {
    Eigen::VectorXd values = Eigen::VectorXd::Zero(times_.size());
    for (int tone = 0; tone < tones.count; ++tone) {
      const double w = low * std::pow(high / low, static_cast<double>(tone) / (tones.count - 1));
      const double phase = random.uniform(0, 2 * std::numbers::pi), size = std::pow(high / w, tones.falls);
      values.array() += size * (w * (times_.array() - begin) + phase).sin();
    }
    for (Index k = 0; k < values.size(); ++k) values[k] *= fade(times_[k] - begin, segment.duration);
    const Eigen::VectorXd one = fitted(values);
    const double scale = reach(block, one);
    if (scale <= largest) continue;
    largest = scale;
    best = scale * one;
  }
  return best.size() > 0 ? best : Eigen::VectorXd::Zero(bounds_.basis.size());
}

Eigen::VectorXd Multisines::path(std::uint64_t seed, int number) const {
  RandomStream random(seed, fmt::format("excitation multi-sine {}", number));
  Tones tones;
  tones.count = fewest_tones + static_cast<int>(random.uniform() * (most_tones - fewest_tones + 1));
  tones.span = random.uniform(2, 12);
  tones.share = std::exp(random.uniform(std::log(0.3), std::log(2.0)));
  tones.falls = random.uniform(0, 2);
  Eigen::VectorXd x = centre_;
  const Index n = bounds_.basis.size();
  for (std::size_t block = 0; block < bounds_.program.blocks.size(); ++block) {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(n);
    double begin = bounds_.basis.knots.front();
    for (const Segment& segment : problem_.segments) {
      sum += swing(block, segment, begin, tones, random);
      begin += segment.duration;
    }
    x.segment(static_cast<Index>(block) * n, n) += inside * reach(block, sum) * sum;
  }
  return x;
}

}  // namespace fathom::excite
