#include "fathom/filter/delay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/filter/internal/cubic_convolution.hpp"
#include "fathom/filter/internal/golden_section.hpp"

namespace fathom::filter {
namespace {

/// Samples that every shift of the range can serve.
struct Range {
  Eigen::Index first, count;
};

Range range_of(Eigen::Index size, double least, double most) {
  const auto first = static_cast<Eigen::Index>(std::ceil(std::max(0.0, most))) + 2;
  const auto last = size - 3 - static_cast<Eigen::Index>(std::ceil(std::max(0.0, -least)));
  return {first, last - first + 1};
}

struct Fit {
  double gain = 0, correlation = 0;
  Eigen::VectorXd residual, slope;  // slope: of the residual by the shift, clear of gain and constant
};

/// One channel at one shift: y on x and a constant.
Fit fit(const Eigen::Ref<const Eigen::MatrixXd>& input, const Eigen::Ref<const Eigen::MatrixXd>& response,
        Eigen::Index channel, const Range& range, double shift) {
  Eigen::VectorXd x(range.count), d(range.count);
  Eigen::VectorXd y = response.row(channel).segment(range.first, range.count).transpose();
  for (Eigen::Index i = 0; i < range.count; ++i) {
    const auto at = internal::between_columns(input, channel, static_cast<double>(range.first + i) - shift);
    x[i] = at.value;
    d[i] = at.slope;
  }
  x.array() -= x.mean();
  y.array() -= y.mean();
  d.array() -= d.mean();
  const double xx = x.squaredNorm(), xy = x.dot(y);
  Fit out;
  if (xx > 0) {
    out.gain = xy / xx;
    out.correlation = y.squaredNorm() > 0 ? xy / std::sqrt(xx * y.squaredNorm()) : 0;
    d -= d.dot(x) / xx * x;
  }
  out.residual = y - out.gain * x;
  out.slope = out.gain * d;
  return out;
}

/// Sum of the logarithms of the channels' squares: likelihood with a variance of its own for each.
double score(const Eigen::Ref<const Eigen::MatrixXd>& input, const Eigen::Ref<const Eigen::MatrixXd>& response,
             const std::vector<Eigen::Index>& channels, const Range& range, double shift) {
  double sum = 0;
  for (const Eigen::Index channel : channels)
    sum += std::log(fit(input, response, channel, range, shift).residual.squaredNorm() +
                    std::numeric_limits<double>::min());
  return sum;
}

/// Parzen's window of a lag, by its share of the bandwidth.
double parzen(double share) {
  return share < 0.5 ? 1 - 6 * share * share * (1 - share) : 2 * std::pow(1 - share, 3);
}

/// The bandwidth in samples that suits residuals (a row per channel) of AR(1) with their first autocorrelation:
/// Andrews 1991, eqs. 6.2 and 6.4.
double bandwidth_of(const Eigen::MatrixXd& residuals) {
  const Eigen::Index n = residuals.cols();
  const double rho = std::clamp(
      residuals.leftCols(n - 1).cwiseProduct(residuals.rightCols(n - 1)).sum() / residuals.squaredNorm(), -0.97,
      0.97);
  return 2.6614 * std::pow(4 * rho * rho / std::pow(1 - rho, 4) * static_cast<double>(n), 0.2);
}

/// Variance of sum_t slopes_t' residuals_t for residuals that remember but do not know the slopes: the products
/// of both autocovariances, lag by lag; eq. 20. It is positive, for Parzen's window and the autocovariances
/// are.
double variance_of_moment(const Eigen::MatrixXd& slopes, const Eigen::MatrixXd& residuals) {
  const Eigen::Index n = residuals.cols();
  const double bandwidth = bandwidth_of(residuals);
  double sum = 0;
  for (Eigen::Index lag = 0; lag < n && static_cast<double>(lag) <= bandwidth; ++lag) {
    const Eigen::MatrixXd of_slopes = slopes.leftCols(n - lag) * slopes.rightCols(n - lag).transpose();
    const Eigen::MatrixXd of_residuals = residuals.leftCols(n - lag) * residuals.rightCols(n - lag).transpose();
    const double weight = lag == 0 ? 1 : 2 * parzen(static_cast<double>(lag) / bandwidth);
    sum += weight * of_slopes.cwiseProduct(of_residuals).sum() / static_cast<double>(n - 3);
  }
  return sum;
}

void check(const Eigen::Ref<const Eigen::MatrixXd>& input, const Eigen::Ref<const Eigen::MatrixXd>& response,
           double dt, const DelayOptions& options) {
  if (input.rows() != response.rows() || input.cols() != response.cols() || input.rows() == 0)
    reject("delay",
           fmt::format("input is {} x {}, response {} x {}", input.rows(), input.cols(), response.rows(),
                       response.cols()),
           "a row per channel, on one clock");
  if (!input.allFinite() || !response.allFinite())
    reject("delay", "a value is not a number", "give a stretch without gaps");
  if (!(dt > 0 && options.least < options.most))
    reject("delay", fmt::format("dt = {}, from {} to {} s", dt, options.least, options.most),
           "dt > 0 and least < most");
  const double duration = dt * static_cast<double>(input.cols());
  if (!(options.most - options.least < 0.5 * duration && std::abs(options.most) < 0.5 * duration &&
        std::abs(options.least) < 0.5 * duration) ||
      range_of(input.cols(), options.least / dt, options.most / dt).count < 10)
    reject("delay",
           fmt::format("a series of {} s is too short for delays from {} to {} s", duration, options.least,
                       options.most),
           "a longer log or a narrower range");
}

std::vector<Eigen::Index> moving_channels(const Eigen::Ref<const Eigen::MatrixXd>& input,
                                          const Eigen::Ref<const Eigen::MatrixXd>& response) {
  std::vector<Eigen::Index> channels;
  for (Eigen::Index c = 0; c < input.rows(); ++c)
    if (input.row(c).maxCoeff() > input.row(c).minCoeff() &&
        response.row(c).maxCoeff() > response.row(c).minCoeff())
      channels.push_back(c);
  if (channels.empty()) reject("delay", "no channel has both an input and a response that change", "");
  return channels;
}

/// The shift in samples of the least score: whole samples first, then golden section about the best.
template <class Score>
double best_shift(const Score& at, double least, double most) {
  double best = least, lowest = infinity;
  const int count = std::max(1, static_cast<int>(std::ceil(most - least)));
  const double step = (most - least) / count;
  for (int i = 0; i <= count; ++i)
    if (const double value = at(least + i * step); value < lowest) {
      lowest = value;
      best = least + i * step;
    }
  constexpr int golden_steps = 20;  // two samples to 1e-4 of one
  const auto bracket =
      internal::golden_section(at, std::max(least, best - step), std::min(most, best + step), golden_steps);
  return 0.5 * (bracket.a + bracket.d);
}

}  // namespace

Delay delay_between(const Eigen::Ref<const Eigen::MatrixXd>& input,
                    const Eigen::Ref<const Eigen::MatrixXd>& response, double dt, const DelayOptions& options) {
  check(input, response, dt, options);
  const std::vector<Eigen::Index> channels = moving_channels(input, response);
  const double least = options.least / dt, most = options.most / dt;
  const Range range = range_of(input.cols(), least, most);
  const double shift =
      best_shift([&](double at) { return score(input, response, channels, range, at); }, least, most);

  Delay delay;
  delay.seconds = shift * dt;
  delay.at_limit = shift < least + 1e-3 || shift > most - 1e-3;
  delay.gains = delay.correlations = Eigen::VectorXd::Zero(input.rows());
  Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(input.rows(), range.count), residuals = slopes;
  for (const Eigen::Index channel : channels) {
    const Fit at = fit(input, response, channel, range, shift);
    const double sigma = std::sqrt(at.residual.squaredNorm() / static_cast<double>(range.count));
    delay.gains[channel] = at.gain;
    delay.correlations[channel] = at.correlation;
    if (!(sigma > 0)) continue;
    slopes.row(channel) = at.slope.transpose() / sigma;
    residuals.row(channel) = at.residual.transpose() / sigma;
  }
  if (const double information = slopes.squaredNorm(); information > 0)
    delay.sigma = dt * std::sqrt(variance_of_moment(slopes, residuals)) / information;
  return delay;
}

}  // namespace fathom::filter
