#include <algorithm>
#include <cmath>

#include "fathom/base/median.hpp"
#include "fathom/identify/arm/run_guard.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index half_window = 25;      // samples
constexpr double steps_of_a_jump = 4;  // times the ninth decile of the steps nearby
constexpr double noise_of_a_jump = 20;

double quantile_of(std::vector<double>& values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

/// From third differences, which a smooth motion hardly has.
double noise_of(const VectorXd& y) {
  std::vector<double> sizes;
  for (Index k = 3; k < y.size(); ++k) sizes.push_back(std::abs(y[k] - 3 * y[k - 1] + 3 * y[k - 2] - y[k - 3]));
  return sizes.empty() ? 0 : sigmas_of_mad * median(sizes) / std::sqrt(20.0);
}

/// For each sample the ninth decile of the steps within half a window; one for each tenth of a window.
VectorXd steps_around(const VectorXd& y) {
  constexpr Index every = 5;
  VectorXd around(y.size());
  std::vector<double> sizes;
  for (Index k = 0; k < y.size(); k += every) {
    sizes.clear();
    for (Index i = std::max<Index>(1, k - half_window); i < std::min(y.size(), k + half_window); ++i)
      sizes.push_back(std::abs(y[i] - y[i - 1]));
    around.segment(k, std::min(every, y.size() - k)).setConstant(sizes.empty() ? 0 : quantile_of(sizes, 0.9));
  }
  return around;
}

/// Returns how many samples at the begin are off the rest, at most `longest`: 0 where there is no jump. Only
/// one side of them is known, so the jump must also stand out from the largest step that follows, and from the
/// quantum of an encoder that begins to turn.
Index wrong_at_begin(const VectorXd& y, Index longest, double noise) {
  constexpr double quanta_of_a_jump = 10;
  double quantum = 0;
  for (Index k = 1; k < y.size(); ++k)
    if (const double step = std::abs(y[k] - y[k - 1]); step > 0 && (quantum == 0 || step < quantum))
      quantum = step;
  for (Index good = std::min(longest, y.size() / 4); good >= 1; --good) {
    double largest = 0;
    for (Index k = good + 1; k < std::min(y.size(), good + half_window); ++k)
      largest = std::max(largest, std::abs(y[k] - y[k - 1]));
    const double limit =
        std::max({noise_of_a_jump * noise, steps_of_a_jump * largest, quanta_of_a_jump * quantum});
    if (std::abs(y[good] - y[good - 1]) > limit + 1e-12) return good;
  }
  return 0;
}

/// Adds the samples at both ends that are off the rest, with the line through the two beside them.
void add_ends(const VectorXd& times, const VectorXd& y, Index longest, double noise,
              std::vector<Spike>& spikes) {
  const auto add = [&](Index first, Index end, Index good, Index next) {
    const double slope = (y[next] - y[good]) / std::max(std::abs(times[next] - times[good]), 1e-12);
    for (Index k = first; k < end; ++k)
      spikes.push_back({k, y[good] - slope * std::abs(times[k] - times[good])});
  };
  const Index n = y.size(), ahead = wrong_at_begin(y, longest, noise),
              behind = wrong_at_begin(y.reverse(), longest, noise);
  add(0, ahead, ahead, ahead + 1);
  add(n - behind, n, n - 1 - behind, n - 2 - behind);
}

}  // namespace

std::vector<Spike> motion_spikes(const VectorXd& times, const VectorXd& series, Index longest) {
  std::vector<Spike> spikes;
  const Index n = series.size();
  if (n < 8) return spikes;
  const VectorXd around = steps_around(series);
  const double noise = noise_of(series);
  const auto limit = [&](Index k) {
    return std::max(noise_of_a_jump * noise, steps_of_a_jump * around[k]) + 1e-12;
  };
  for (Index good = 0; good + 1 < n; ++good) {
    const Index first = good + 1;
    if (std::abs(series[first] - series[good]) <= limit(first)) continue;
    for (Index back = first + 1; back <= std::min(n - 1, first + longest); ++back) {
      const double gone = static_cast<double>(back - good);
      // What is back is where steps like those around would have led.
      if (std::abs(series[back] - series[good]) > std::min(gone, 3.0) * around[first] + 0.5 * limit(first))
        continue;
      const auto on_line = [&](Index k) {
        return series[good] +
               (series[back] - series[good]) * (times[k] - times[good]) / (times[back] - times[good]);
      };
      bool all_off = std::abs(series[back] - series[back - 1]) > 0.5 * limit(first);
      for (Index k = first; k < back; ++k)
        all_off = all_off && std::abs(series[k] - on_line(k)) > 0.5 * limit(first);
      if (!all_off) break;
      for (Index k = first; k < back; ++k) spikes.push_back({k, on_line(k)});
      good = back - 1;
      break;
    }
  }
  VectorXd mended = series;
  for (const Spike& spike : spikes) mended[spike.at] = spike.expected;
  add_ends(times, mended, longest, noise, spikes);
  return spikes;
}

std::vector<Spike> noise_spikes(const VectorXd& series, double sigmas, double share) {
  constexpr Index beside = 3;
  std::vector<Spike> spikes;
  const Index n = series.size();
  if (n < 2 * half_window) return spikes;
  VectorXd middle(n), off(n);
  std::vector<double> values;
  for (Index k = 0; k < n; ++k) {
    values.clear();
    for (Index i = std::max<Index>(0, k - beside); i <= std::min(n - 1, k + beside); ++i)
      if (i != k) values.push_back(series[i]);
    middle[k] = median(values);
    off[k] = std::abs(series[k] - middle[k]);
  }
  values.assign(off.begin(), off.end());
  const double usual = sigmas_of_mad * median(values);
  values.assign(series.begin(), series.end());
  const double high = quantile_of(values, 0.99), low = quantile_of(values, 0.01);
  for (Index k = 0; k < n; ++k) {
    if (!(off[k] > share * (high - low) && off[k] > sigmas * usual)) continue;
    values.clear();
    for (Index i = std::max<Index>(0, k - half_window); i < std::min(n, k + half_window); ++i)
      values.push_back(off[i]);
    if (!(off[k] > sigmas * sigmas_of_mad * median(values))) continue;
    // Off to one side of all that is beside it: the edge of a step is on the level of one of its neighbours.
    int like_it = 0;
    for (Index i = std::max<Index>(0, k - beside); i <= std::min(n - 1, k + beside); ++i)
      if (i != k) like_it += std::abs(series[i] - series[k]) < 0.5 * off[k];
    if (like_it <= 1) spikes.push_back({k, middle[k]});
  }
  return spikes;
}

}  // namespace fathom::identify::internal
