#include "fathom/identify/tank/steady_part.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/median.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index most_blocks = 200;

/// Means of neighbours, under a running median of five: a glitch does not end a plateau.
struct Blocks {
  Index size = 1;  // samples each
  VectorXd level;
  double noise = 0;  // of one mean, from steps between neighbours

  explicit Blocks(const VectorXd& series) {
    size = std::max<Index>(1, series.size() / most_blocks);
    VectorXd means(series.size() / size);
    for (Index k = 0; k < means.size(); ++k) means[k] = series.segment(k * size, size).mean();
    std::vector<double> steps;
    for (Index k = 1; k < means.size(); ++k) steps.push_back(std::abs(means[k] - means[k - 1]));
    noise = sigmas_of_mad * median(steps) / std::sqrt(2.0);
    level.resize(means.size());
    for (Index k = 0; k < means.size(); ++k) {
      const Index from = std::max<Index>(0, k - 2), until = std::min(means.size(), k + 3);
      std::vector<double> near(means.begin() + from, means.begin() + until);
      level[k] = median(near);
    }
  }
  /// The magnitude that one block in twenty exceeds.
  double high() const {
    const VectorXd magnitudes = level.cwiseAbs();
    std::vector<double> sorted(magnitudes.begin(), magnitudes.end());
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(sorted.size()));
    std::nth_element(sorted.begin(), at, sorted.end());
    return *at;
  }
};

struct Stretch {
  Index from = 0, count = 0;
};

/// The longest stretch of blocks beyond `floor` that differ by no more than twice the tolerance.
Stretch longest_plateau(const VectorXd& level, double tolerance, double floor) {
  Stretch best;
  for (Index from = 0; from < level.size(); ++from) {
    double low = infinity, high = -infinity;
    Index end = from;
    for (; end < level.size() && std::abs(level[end]) > floor; ++end) {
      low = std::min(low, level[end]);
      high = std::max(high, level[end]);
      if (high - low > 2 * tolerance) break;
    }
    if (end - from > best.count) best = {from, end - from};
  }
  return best;
}

/// White 1997: how many blocks to leave out at the beginning so that the mean of the rest is best known. Noise
/// alone must not shorten a run, so less than a fifth gained is nothing.
Index unsettled_blocks(const VectorXd& force, Index size) {
  const Index n = force.size() / size;
  VectorXd means(n);
  for (Index k = 0; k < n; ++k) means[k] = force.segment(k * size, size).mean();
  const auto error = [&](Index left_out) {
    const auto rest = means.tail(n - left_out).array();
    return (rest - rest.mean()).square().sum() / std::pow(static_cast<double>(n - left_out), 2);
  };
  Index best = 0;
  for (Index k = 1; k <= n / 3; ++k)
    if (error(k) < error(best)) best = k;
  return error(best) < 0.8 * error(0) ? best : 0;
}

void check_record(const TowingRecord& record) {
  const Index n = record.t.size();
  if (record.force.size() != n || (record.speed.size() != 0 && record.speed.size() != n))
    reject("run",
           fmt::format("has {} times, {} forces and {} speeds", n, record.force.size(), record.speed.size()));
  if (!record.t.allFinite() || !record.force.allFinite() || !record.speed.allFinite())
    reject("run", "has a number that is not finite", "leave the row out");
  for (Index k = 1; k < n; ++k)
    if (!(record.t[k] > record.t[k - 1]))
      reject("run", fmt::format("has times that do not rise: {} s after {} s", record.t[k], record.t[k - 1]));
}

/// In samples, or nothing and why.
struct Plateau {
  Stretch stretch;
  std::string why_not;
};

Plateau plateau_of_speed(const TowingRecord& record, const SteadyOptions& options) {
  const Blocks blocks(record.speed);
  const double high = blocks.high();
  if (!(high > 6 * blocks.noise) || high == 0)
    return {{}, fmt::format("the carriage does not move: {:.3g} in noise of {:.2g}", high, blocks.noise)};
  const double tolerance = std::max(options.speed_tolerance * high, 3 * blocks.noise);
  const Stretch found = longest_plateau(blocks.level, tolerance, 0.5 * high);
  return {{found.from * blocks.size, found.count * blocks.size}, ""};
}

Plateau plateau_of_force(const TowingRecord& record, const SteadyOptions& options) {
  const Index rest = std::max<Index>(1, samples_at_rest(record));
  const Blocks blocks(record.force.array() - record.force.head(rest).mean());
  std::vector<double> large;
  for (const double level : blocks.level)
    if (std::abs(level) > 0.5 * blocks.high()) large.push_back(std::abs(level));
  if (large.empty()) return {{}, "the force is zero throughout"};
  const double typical = median(large);
  const double tolerance = std::max(options.force_tolerance * typical, 4 * blocks.noise);
  if (typical < 2 * tolerance)
    return {
        {},
        fmt::format("the force does not stand out of its noise: {:.3g} over {:.2g}", typical, blocks.noise)};
  const Stretch found = longest_plateau(blocks.level, tolerance, 0.3 * typical);
  return {{found.from * blocks.size, found.count * blocks.size}, ""};
}

/// Without the blocks at the edges, in which a ramp may begin or end, and without what the force takes to
/// settle.
Stretch settled(const TowingRecord& record, Stretch found) {
  const Index size = std::max<Index>(1, record.t.size() / most_blocks);
  found.from += std::min(2 * size, found.count);
  found.count = std::max<Index>(0, found.count - 4 * size);
  if (found.count < 20 * size) return found;
  const Index cut = size * unsettled_blocks(record.force.segment(found.from, found.count), size);
  return {found.from + cut, found.count - cut};
}

}  // namespace

SerialMean serial_mean(const Eigen::Ref<const VectorXd>& series) {
  if (series.size() < 8 || !series.allFinite())
    reject("series", fmt::format("has {} numbers, must have 8 or more, all finite", series.size()));
  const auto n = static_cast<double>(series.size());
  SerialMean mean;
  mean.value = series.mean();
  mean.integral_time = std::clamp(solve::integral_time(series), 1.0, n / 2);
  mean.effective_samples = n / mean.integral_time;
  // The scatter about a mean of its own is short by one independent sample.
  mean.variance = (series.array() - mean.value).square().mean() / (mean.effective_samples - 1);
  return mean;
}

Index samples_at_rest(const TowingRecord& record) {
  check_record(record);
  if (record.t.size() < 20) return 0;
  const VectorXd& series = record.speed.size() ? record.speed : record.force;
  const Blocks blocks(series);
  const Index first = std::min<Index>(3, blocks.level.size());
  std::vector<double> begin(blocks.level.begin(), blocks.level.begin() + first);
  const double zero = record.speed.size() ? 0 : median(begin);
  const double span = (blocks.level.array() - zero).abs().maxCoeff();
  // Noise of a force remembers: it wanders farther than from block to block.
  const double tolerance =
      record.speed.size() ? std::max(0.02 * span, 4 * blocks.noise) : std::max(0.05 * span, 6 * blocks.noise);
  Index end = 0;
  while (end < blocks.level.size() && std::abs(blocks.level[end] - zero) <= tolerance) ++end;
  // The running median is late by two blocks; and what never leaves its noise is no rest before anything.
  return end == blocks.level.size() ? 0 : blocks.size * std::max<Index>(0, end - 2);
}

SteadySearch find_steady_part(const TowingRecord& record, const SteadyOptions& options) {
  check_record(record);
  if (record.t.size() < options.fewest_samples)
    return {{},
            fmt::format("it has {} samples, must have {} or more", record.t.size(), options.fewest_samples)};
  const bool has_speed = record.speed.size() != 0;
  const Plateau found = has_speed ? plateau_of_speed(record, options) : plateau_of_force(record, options);
  if (!found.why_not.empty()) return {{}, found.why_not};
  const Stretch part = settled(record, found.stretch);
  const double duration = part.count < 2 ? 0 : record.t[part.from + part.count - 1] - record.t[part.from];
  if (duration < options.least_duration || part.count < 8)
    return {{},
            fmt::format("its {} is steady for {:.2g} s, must be for {:g} s", has_speed ? "speed" : "force",
                        duration, options.least_duration)};
  SteadyPart steady{part.from, part.count, nan, serial_mean(record.force.segment(part.from, part.count))};
  if (has_speed) steady.speed = record.speed.segment(part.from, part.count).mean();
  if (steady.force.effective_samples < options.effective_samples)
    return {{},
            fmt::format("the {:.2g} s of its steady part are worth {:.1f} independent samples, must be {:g}",
                        duration, steady.force.effective_samples, options.effective_samples)};
  return {steady, ""};
}

}  // namespace fathom::identify
