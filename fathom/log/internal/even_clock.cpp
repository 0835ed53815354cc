#include "fathom/log/internal/even_clock.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fathom/base/constants.hpp"
#include "fathom/base/median.hpp"

namespace fathom::log::internal {
namespace {

/// Arrivals in seconds from the first, by the number of the sample.
using Arrivals = std::vector<double>;

/// Middle of the slopes over a stretch that is long against bursts, and short enough that most have no loss.
double rough_period(const Arrivals& arrivals) {
  const std::size_t stretch = std::max<std::size_t>(1, arrivals.size() / 8);
  std::vector<double> slopes;
  for (std::size_t k = 0; k + stretch < arrivals.size(); ++k)
    slopes.push_back((arrivals[k + stretch] - arrivals[k]) / static_cast<double>(stretch));
  return median(slopes);
}

/// The least of arrivals[k] - period k over [begin, end).
double lowest(const Arrivals& arrivals, double period, std::size_t begin, std::size_t end) {
  double least = infinity;
  for (std::size_t k = begin; k < end; ++k)
    least = std::min(least, arrivals[k] - period * static_cast<double>(k));
  return least;
}

/// Finds where samples were lost. Bursts end: within `reach` samples after a pause one is on time again.
class Losses {
 public:
  Losses(const Arrivals& arrivals, double period) : arrivals_(arrivals), period_(period) {
    constexpr double most = 1024;  // so that the work stays within bounds
    double pause = 0;
    for (std::size_t k = 1; k < arrivals.size(); ++k) pause = std::max(pause, step(k));
    reach_ = std::min(arrivals.size(), static_cast<std::size_t>(std::min(2 * pause / period, most)) + 16);
  }

  /// The rows at which runs without a loss begin.
  std::vector<std::size_t> starts() const {
    std::vector<std::size_t> starts = {0};
    for (std::size_t k = 1; k + reach_ / 2 <= arrivals_.size(); ++k) {
      if (k - starts.back() < reach_ / 2 || !is_loss(k, starts.back())) continue;
      // In a burst that was under way nothing tells where they are missing: most likely at its longest pause.
      const double level = lowest(arrivals_, period_, k, std::min(arrivals_.size(), k + reach_));
      std::size_t at = k;
      for (std::size_t j = k + 1; j < arrivals_.size(); ++j) {
        if (step(j) > step(at) && is_loss(j, starts.back())) at = j;
        if (late(j - 1) <= level + 0.25 * period_) break;
      }
      starts.push_back(at);
      k = at;
    }
    return starts;
  }

 private:
  double step(std::size_t k) const { return arrivals_[k] - arrivals_[k - 1]; }
  double late(std::size_t k) const { return arrivals_[k] - period_ * static_cast<double>(k); }
  bool is_loss(std::size_t k, std::size_t run) const {
    if (step(k) < 1.5 * period_) return false;
    const double before = lowest(arrivals_, period_, k - std::min(reach_, k - run), k);
    const double after = lowest(arrivals_, period_, k, std::min(arrivals_.size(), k + reach_));
    return after - before > 0.75 * period_;
  }

  const Arrivals& arrivals_;
  double period_;
  std::size_t reach_;
};

/// The rows of a run: from the first to behind the last.
std::pair<std::size_t, std::size_t> run_of(const Arrivals& arrivals, const std::vector<std::size_t>& starts,
                                           std::size_t s) {
  return {starts[s], s + 1 < starts.size() ? starts[s + 1] : arrivals.size()};
}

/// A loss leaves room for a sample at least. What does not was a sender that slowed down: it begins no run.
/// Returns whether there was one.
bool join_runs(const Arrivals& arrivals, double period, std::vector<std::size_t>& starts) {
  std::vector<std::size_t> kept = {0};
  double before = 0;
  for (std::size_t s = 0; s < starts.size(); ++s) {
    const auto [begin, end] = run_of(arrivals, starts, s);
    const double a = lowest(arrivals, period, begin, end);
    if (s > 0 && a - before > 0.5 * period) kept.push_back(begin);
    before = a;
  }
  const bool joined = kept.size() < starts.size();
  starts = std::move(kept);
  return joined;
}

/// Sum of how late all samples are, for the best line of each run.
double lateness(const Arrivals& arrivals, const std::vector<std::size_t>& starts, double period) {
  double sum = 0;
  for (std::size_t s = 0; s < starts.size(); ++s) {
    const auto [begin, end] = run_of(arrivals, starts, s);
    const double a = lowest(arrivals, period, begin, end);
    for (std::size_t k = begin; k < end; ++k) sum += arrivals[k] - period * static_cast<double>(k) - a;
  }
  return sum;
}

/// The bottom of a convex function, by golden sections.
template <class Function>
double minimum(double low, double high, const Function& f) {
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double x1 = high - golden * (high - low), x2 = low + golden * (high - low);
  double f1 = f(x1), f2 = f(x2);
  for (int step = 0; step < 60 && high - low > 1e-12 * high; ++step) {
    if (f1 <= f2) {
      high = x2, x2 = x1, f2 = f1;
      f1 = f(x1 = high - golden * (high - low));
    } else {
      low = x1, x1 = x2, f1 = f2;
      f2 = f(x2 = low + golden * (high - low));
    }
  }
  return (low + high) / 2;
}

}  // namespace

std::int64_t EvenClock::operator()(std::size_t row) const {
  const auto run = std::upper_bound(starts.begin(), starts.end(), row) - starts.begin() - 1;
  const auto k = static_cast<std::size_t>(run);
  return start_ns[k] + std::llround(period_ns * static_cast<double>(row - starts[k]));
}

EvenClock even_clock(std::span<const std::int64_t> receive_ns, double rate_hz) {
  Arrivals arrivals;
  arrivals.reserve(receive_ns.size());
  for (const std::int64_t ns : receive_ns)
    arrivals.push_back(1e-9 * static_cast<double>(ns - receive_ns.front()));
  const double rough = rate_hz > 0 ? 1 / rate_hz : rough_period(arrivals);
  double period = rough;
  EvenClock clock;
  clock.starts = rough > 0 ? Losses(arrivals, rough).starts() : std::vector<std::size_t>{0};
  do {
    if (rate_hz <= 0 && rough > 0)
      period = minimum(0.5 * rough, 2 * rough, [&](double b) { return lateness(arrivals, clock.starts, b); });
  } while (join_runs(arrivals, period, clock.starts));
  clock.period_ns = 1e9 * period;
  std::vector<double> delays;
  for (std::size_t s = 0; s < clock.starts.size(); ++s) {
    const auto [begin, end] = run_of(arrivals, clock.starts, s);
    const double a = lowest(arrivals, period, begin, end);
    const double start = a + period * static_cast<double>(begin);
    clock.start_ns.push_back(receive_ns.front() + std::llround(1e9 * start));
    for (std::size_t k = begin; k < end; ++k)
      delays.push_back(arrivals[k] - period * static_cast<double>(k) - a);
  }
  clock.longest_delay = *std::max_element(delays.begin(), delays.end());
  clock.median_delay = median(delays);
  return clock;
}

}  // namespace fathom::log::internal
