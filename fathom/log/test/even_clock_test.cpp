// Times made even, against the clock that made the arrivals.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/log/internal/channel_converter.hpp"

namespace fathom::log::even_clock_test {
namespace {

using internal::even_clock;
using internal::EvenClock;

struct Recorded {
  std::vector<std::int64_t> taken, received;
};

/// Samples every `period` ns, of which some are lost; each arrives late, and those of a pause all at its end.
Recorded record(std::size_t count, double period, const std::vector<std::size_t>& lost, std::uint64_t seed) {
  RandomStream random(seed, "even clock");
  Recorded recorded;
  std::int64_t free = 0;  // when the receiver wakes up
  for (std::size_t k = 0; k < count; ++k) {
    const auto taken = 1669909203330211715 + std::llround(period * static_cast<double>(k));
    if (random.uniform() < 0.02)
      free = std::max<std::int64_t>(free, taken + std::llround(4e8 * random.uniform()));
    const auto arrival =
        std::max<std::int64_t>(taken + std::llround(3e5 * -std::log(1 - random.uniform())), free);
    free = arrival + 20000;
    if (std::find(lost.begin(), lost.end(), k) != lost.end()) continue;
    recorded.taken.push_back(taken);
    recorded.received.push_back(arrival);
  }
  return recorded;
}

double worst_ms(const Recorded& recorded, const EvenClock& clock) {
  double worst = 0;
  for (std::size_t k = 0; k < recorded.taken.size(); ++k)
    worst = std::max(worst, 1e-6 * std::abs(static_cast<double>(clock(k) - recorded.taken[k])));
  return worst;
}

TEST(EvenClock, FindsTheClockBehindBursts) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Recorded recorded = record(3000, 19696563.6, {}, seed);
    const EvenClock clock = even_clock(recorded.received);
    EXPECT_NEAR(clock.period_ns, 19696563.6, 100) << seed;  // 5e-6
    EXPECT_EQ(clock.starts.size(), 1u) << seed;
    EXPECT_LT(worst_ms(recorded, clock), 0.2) << seed;
    EXPECT_GT(clock.longest_delay, 0.1);
  }
}

TEST(EvenClock, BeginsAnewWhereSamplesAreLost) {
  std::vector<std::size_t> lost = {700, 1900};
  for (std::size_t k = 0; k < 30; ++k) lost.push_back(1200 + k);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Recorded recorded = record(3000, 2e7, lost, seed);
    const EvenClock clock = even_clock(recorded.received);
    EXPECT_NEAR(clock.period_ns, 2e7, 400) << seed;
    EXPECT_GE(clock.starts.size(), 2u) << seed;
    EXPECT_LT(worst_ms(recorded, clock), 20.5) << seed;  // a single loss inside a burst cannot be placed better
  }
}

TEST(EvenClock, GrowsWhateverTheSenderDoes) {
  RandomStream random(7, "unsteady sender");
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<std::int64_t> received = {0};
    double step = 2e7;
    for (int k = 1; k < 800; ++k) {
      if (random.uniform() < 0.05) step = 1e7 + 3e7 * random.uniform();
      received.push_back(received.back() + std::llround(random.uniform() < 0.02 ? 20 * step : step));
    }
    const EvenClock clock = even_clock(received);
    for (std::size_t k = 1; k < received.size(); ++k) {
      ASSERT_GT(clock(k), clock(k - 1)) << trial;
      ASSERT_LE(clock(k), received[k] + 1) << trial;  // never after it arrived, but for rounding
    }
  }
}

TEST(EvenClock, TakesARateThatIsKnown) {
  const Recorded recorded = record(400, 1e7, {}, 5);
  const EvenClock clock = even_clock(recorded.received, 100);
  EXPECT_EQ(clock.period_ns, 1e7);
  EXPECT_LT(worst_ms(recorded, clock), 0.05);
}

TEST(EvenClock, IsExactWithoutDelay) {
  const std::vector<std::int64_t> even = {5, 15, 25, 35};
  const EvenClock clock = even_clock(even);
  for (std::size_t k = 0; k < even.size(); ++k) EXPECT_EQ(clock(k), even[k]);
  const std::vector<std::int64_t> two = {5, 1000000005};
  EXPECT_EQ(even_clock(two)(1), 1000000005);
}

}  // namespace
}  // namespace fathom::log::even_clock_test
