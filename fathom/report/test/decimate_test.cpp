#include "fathom/report/internal/decimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace fathom::report::decimate_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> wave(std::size_t size) {
  std::vector<double> y(size);
  for (std::size_t i = 0; i < size; ++i) y[i] = std::sin(0.001 * static_cast<double>(i));
  return y;
}

bool has(const std::vector<std::size_t>& indices, std::size_t index) {
  return std::binary_search(indices.begin(), indices.end(), index);
}

TEST(Decimate, KeepsEverythingThatFits) {
  EXPECT_TRUE(internal::decimate(std::vector<double>{}).empty());
  EXPECT_EQ(internal::decimate(std::vector<double>{3, 1, 2}), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(internal::decimate(wave(4000)).size(), 4000u);
  EXPECT_EQ(internal::decimate(wave(8), 8).size(), 8u);
}

TEST(Decimate, KeepsEndsAndEveryLoneSpikeInOrder) {
  std::vector<double> y = wave(360001);
  y[12345] = 50;
  y[200000] = -50;
  const auto kept = internal::decimate(y);
  EXPECT_LE(kept.size(), internal::most_points);
  EXPECT_GT(kept.size(), internal::most_points / 2);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_EQ(std::adjacent_find(kept.begin(), kept.end()), kept.end());
  EXPECT_EQ(kept.front(), 0u);
  EXPECT_EQ(kept.back(), 360000u);
  EXPECT_TRUE(has(kept, 12345));
  EXPECT_TRUE(has(kept, 200000));
}

/// Of any stretch of samples, the picture reaches as high and as low as the samples do, but for a bucket at
/// each end.
TEST(Decimate, KeepsTheEnvelope) {
  const std::size_t size = 50000, most = 500, bucket = size / 249 + 1;
  std::vector<double> y(size);
  for (std::size_t i = 0; i < size; ++i) y[i] = std::fmod(7919.0 * static_cast<double>(i * i % 104729), 1000.0);
  const auto kept = internal::decimate(y, most);
  for (std::size_t from = bucket; from + 3 * bucket < size; from += 777) {
    double seen_least = 1e9, seen_greatest = -1e9;
    for (const std::size_t i : kept)
      if (i >= from - bucket && i < from + 3 * bucket) {
        seen_least = std::min(seen_least, y[i]);
        seen_greatest = std::max(seen_greatest, y[i]);
      }
    for (std::size_t i = from; i < from + 2 * bucket; ++i) {
      EXPECT_LE(seen_least, y[i]);
      EXPECT_GE(seen_greatest, y[i]);
    }
  }
}

TEST(Decimate, KeepsGaps) {
  std::vector<double> y = wave(100000);
  y[777] = nan;                                            // one sample
  for (std::size_t i = 40000; i < 60000; ++i) y[i] = nan;  // many buckets
  y[90000] = std::numeric_limits<double>::infinity();
  const auto kept = internal::decimate(y, 1000);
  EXPECT_LE(kept.size(), 1000u);
  EXPECT_TRUE(has(kept, 777));
  EXPECT_TRUE(has(kept, 90000));
  const auto in_gap =
      std::count_if(kept.begin(), kept.end(), [](std::size_t i) { return i >= 40000 && i < 60000; });
  EXPECT_GT(in_gap, 50);
}

TEST(Decimate, OfNothingButGapsIsNothingButGaps) {
  const auto kept = internal::decimate(std::vector<double>(10000, nan), 100);
  EXPECT_LE(kept.size(), 100u);
  EXPECT_EQ(kept.front(), 0u);
  EXPECT_EQ(kept.back(), 9999u);
}

TEST(Decimate, OfABandKeepsTheLeastOfLowAndTheGreatestOfHigh) {
  std::vector<double> low(20000, -1), high(20000, 1);
  low[5001] = -7;
  high[5003] = 9;
  const auto kept = internal::decimate(low, high, 100);
  EXPECT_LE(kept.size(), 100u);
  EXPECT_TRUE(has(kept, 5001));
  EXPECT_TRUE(has(kept, 5003));
}

TEST(Decimate, NeverGivesMoreThanAskedFor) {
  for (const std::size_t most : {8u, 9u, 10u, 11u, 50u, 999u})
    for (const std::size_t size : {7u, 8u, 9u, 12u, 100u, 1001u, 5000u}) {
      std::vector<double> y = wave(size);
      EXPECT_LE(internal::decimate(y, most).size(), most);
      y[size / 2] = nan;
      EXPECT_LE(internal::decimate(y, most).size(), most);
      EXPECT_LE(internal::decimate_evenly(size, most).size(), most);
    }
}

TEST(DecimateEvenly, KeepsEndsAndEqualDistances) {
  EXPECT_TRUE(internal::decimate_evenly(0).empty());
  EXPECT_EQ(internal::decimate_evenly(1), (std::vector<std::size_t>{0}));
  const auto kept = internal::decimate_evenly(100001, 1001);
  ASSERT_EQ(kept.size(), 1001u);
  EXPECT_EQ(kept.front(), 0u);
  EXPECT_EQ(kept.back(), 100000u);
  for (std::size_t k = 1; k < kept.size(); ++k) EXPECT_EQ(kept[k] - kept[k - 1], 100u);
}

}  // namespace
}  // namespace fathom::report::decimate_test
