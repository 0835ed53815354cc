#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"

namespace fathom::random_stream_test {
namespace {

// The numbers below come from a Python transcription of xoshiro256++, splitmix64 and FNV-1a that was first held
// against their authors' test vectors. If they change, every seeded result of Fathom changes.
TEST(RandomStream, KeepsItsFirstValues) {
  RandomStream imu(1, "imu");
  EXPECT_EQ(imu.next(), 0xf26912acc3144aceu);
  EXPECT_EQ(imu.next(), 0x17d4dc98d5f9d1d5u);
  EXPECT_EQ(imu.next(), 0x6c9dcfa0471773fbu);
  EXPECT_EQ(imu.next(), 0x7712e4c87f82c4a6u);
  EXPECT_EQ(RandomStream(1, "dvl").next(), 0xbb3711377ba914d3u);
  EXPECT_EQ(RandomStream(2, "imu").next(), 0xb44c84a5e421208bu);
  EXPECT_EQ(RandomStream(0, "").next(), 0x96bb3c9cab98ed3fu);
}

TEST(RandomStream, KeepsItsFirstUniformAndNormalNumbers) {
  RandomStream uniform(1, "imu");
  EXPECT_EQ(uniform.uniform(), 0.9469157859594627);
  EXPECT_EQ(uniform.uniform(), 0.0930917618879683);
  EXPECT_EQ(uniform.uniform(), 0.4242830053618414);
  RandomStream normal(1, "imu");
  EXPECT_DOUBLE_EQ(normal.normal(),
                   -2.4314694203875606);  // log() may differ in the last digit between libraries
  EXPECT_DOUBLE_EQ(normal.normal(), -1.1197006347253153);
  EXPECT_DOUBLE_EQ(normal.normal(), -0.9222655423347599);
  EXPECT_DOUBLE_EQ(normal.normal(), 0.5212703900355528);
}

TEST(RandomStream, DoesNotDependOnWhatAnotherStreamDraws) {
  RandomStream alone(7, "tether"), disturbed(7, "tether"), other(7, "current");
  for (int k = 0; k < 100; ++k) {
    for (int draws = 0; draws < k % 5; ++draws) other.normal();
    ASSERT_EQ(alone.normal(), disturbed.normal());
  }
}

TEST(RandomStream, OfACopyGoesOnWithTheSpareNormal) {
  RandomStream original(3, "copy");
  original.normal();
  RandomStream copy = original;
  for (int k = 0; k < 10; ++k) ASSERT_EQ(original.normal(), copy.normal());
}

double correlation(RandomStream a, RandomStream b, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += a.normal() * b.normal();
  return sum / n;
}

// The product of two independent standard normals has variance 1, so the mean of n has standard error
// 1/sqrt(n).
TEST(RandomStream, OfAnotherPurposeOrSeedIsUncorrelated) {
  constexpr int n = 200000;
  const double bound = 5 / std::sqrt(n);
  EXPECT_LT(std::abs(correlation({1, "imu"}, {1, "dvl"}, n)), bound);
  EXPECT_LT(std::abs(correlation({1, "thruster0"}, {1, "thruster1"}, n)), bound);
  EXPECT_LT(std::abs(correlation({1, "imu"}, {2, "imu"}, n)), bound);
  EXPECT_LT(std::abs(correlation({0, "a"}, {1, "a"}, n)), bound);
  EXPECT_NEAR(correlation({1, "imu"}, {1, "imu"}, n), 1, 5 * std::sqrt(2.0 / n));  // the yardstick itself
}

/// Mean of f over n draws.
template <class Draw, class Function>
double mean(Draw draw, int n, Function f) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += f(draw());
  return sum / n;
}

constexpr int many = 1000000;

// Raw moments of U(0,1) are 1/(k+1), and the mean of x^k has variance (1/(2k+1) - 1/(k+1)^2) / n.
TEST(RandomStream, HasTheMomentsOfAUniformNumber) {
  for (int power = 1; power <= 4; ++power) {
    RandomStream random(1, "uniform moments");
    const double got =
        mean([&] { return random.uniform(); }, many, [&](double x) { return std::pow(x, power); });
    const double expected = 1.0 / (power + 1);
    const double error = std::sqrt((1.0 / (2 * power + 1) - expected * expected) / many);
    EXPECT_NEAR(got, expected, 5 * error) << "power " << power;
  }
}

// E x^(2k) = (2k-1)!!, and the variance of x^k is E x^(2k) - (E x^k)^2.
TEST(RandomStream, HasTheMomentsOfANormalNumber) {
  const double even[] = {1, 1, 3, 15, 105};  // E x^0, x^2, x^4, x^6, x^8
  for (int power = 1; power <= 4; ++power) {
    RandomStream random(1, "normal moments");
    const double got =
        mean([&] { return random.normal(); }, many, [&](double x) { return std::pow(x, power); });
    const double expected = power % 2 ? 0 : even[power / 2];
    const double error = std::sqrt((even[power] - expected * expected) / many);
    EXPECT_NEAR(got, expected, 5 * error) << "power " << power;
  }
}

TEST(RandomStream, HasTheTailsOfANormalNumber) {
  RandomStream random(1, "normal tails");
  std::vector<int> beyond(4);
  for (int k = 0; k < many; ++k) {
    const double size = std::abs(random.normal());
    for (int limit = 1; limit <= 3; ++limit) beyond[static_cast<std::size_t>(limit)] += size > limit;
  }
  for (int limit = 1; limit <= 3; ++limit) {
    const double p = std::erfc(limit / std::numbers::sqrt2);
    EXPECT_NEAR(beyond[static_cast<std::size_t>(limit)], many * p, 5 * std::sqrt(many * p * (1 - p))) << limit;
  }
}

TEST(RandomStream, StaysInsideTheRangeAndReachesBothEnds) {
  RandomStream random(1, "range");
  double smallest = 1e9, largest = -1e9;
  for (int k = 0; k < many; ++k) {
    const double x = random.uniform(-3, 5);
    ASSERT_GE(x, -3);
    ASSERT_LT(x, 5);
    smallest = std::min(smallest, x);
    largest = std::max(largest, x);
  }
  // All draws miss a strip of relative width 2e-5 with probability exp(-20).
  EXPECT_LT(smallest, -3 + 8 * 2e-5);
  EXPECT_GT(largest, 5 - 8 * 2e-5);
}

// Pearson's statistic over 100 cells has mean 99 and standard deviation sqrt(2 * 99).
TEST(RandomStream, FillsAllCellsEvenly) {
  RandomStream random(1, "cells");
  std::vector<double> count(100);
  for (int k = 0; k < many; ++k) ++count[static_cast<std::size_t>(100 * random.uniform())];
  double statistic = 0;
  for (const double c : count) statistic += (c - many / 100.0) * (c - many / 100.0) / (many / 100.0);
  EXPECT_NEAR(statistic, 99, 5 * std::sqrt(2 * 99.0));
}

}  // namespace
}  // namespace fathom::random_stream_test
