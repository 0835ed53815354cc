#include "fathom/filter/delay.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"

namespace fathom::filter::delay_test {
namespace {

constexpr double dt = 0.02;

/// Sums of sines: known at any time.
double wave(int channel, double t) {
  double sum = 0;
  for (int k = 1; k <= 6; ++k) sum += std::sin((0.7 * k + 0.31 * channel) * t + k * k + channel) / k;
  return sum;
}

struct Pair {
  Eigen::MatrixXd x, y;
};

/// Two channels, the second with a negative gain.
Pair clean(double delay, int n = 1500) {
  Pair pair{Eigen::MatrixXd(2, n), Eigen::MatrixXd(2, n)};
  for (int c = 0; c < 2; ++c)
    for (int k = 0; k < n; ++k) {
      pair.x(c, k) = wave(c, dt * k);
      pair.y(c, k) = (c == 0 ? 2 : -0.5) * wave(c, dt * k - delay) + 0.3;
    }
  return pair;
}

/// With the noise of an AR(1) that remembers `memory` samples, twice as large in the second channel.
Pair noisy(Pair pair, double noise, double memory, std::uint64_t seed) {
  RandomStream random(seed, "delay");
  const double rho = std::exp(-1 / memory), push = noise * std::sqrt(1 - rho * rho);
  for (int c = 0; c < 2; ++c) {
    double state = noise * random.normal();
    for (Eigen::Index k = 0; k < pair.y.cols(); ++k) {
      pair.y(c, k) += (c + 1) * state;
      state = rho * state + push * random.normal();
    }
  }
  return pair;
}

TEST(Delay, IsFoundBetweenSamples) {
  for (const double truth : {0.0731, 0.2, 0.51, -0.0457}) {
    const Pair pair = clean(truth);
    const Delay delay = delay_between(pair.x, pair.y, dt, {-0.3, 1});
    EXPECT_NEAR(delay.seconds, truth, 1e-4);  // what cubic convolution leaves
    EXPECT_NEAR(delay.gains[0], 2, 1e-3);
    EXPECT_NEAR(delay.gains[1], -0.5, 1e-3);
    EXPECT_NEAR(delay.correlations[1], -1, 1e-4);
    EXPECT_FALSE(delay.at_limit);
  }
}

TEST(Delay, TwoSigmaHoldAsOftenAsTheyShould) {
  for (const double memory : {0.1, 15.0}) {
    const Pair without = clean(0.113, 700);
    int held = 0;
    double squares = 0;
    constexpr int draws = 200;
    for (std::uint64_t seed = 0; seed < draws; ++seed) {
      const Pair pair = noisy(without, 0.3, memory, seed);
      const Delay delay = delay_between(pair.x, pair.y, dt, {0, 0.2});
      const double error = delay.seconds - 0.113;
      held += std::abs(error) < 2 * delay.sigma;
      squares += error * error / (delay.sigma * delay.sigma);
    }
    EXPECT_GE(held, 0.90 * draws) << memory;
    EXPECT_LE(held, 0.99 * draws) << memory;
    EXPECT_LT(squares / draws, 1.6) << memory;
  }
}

TEST(Delay, SaysWhereTheRangeEnds) {
  const Pair pair = noisy(clean(0.4), 0.01, 1, 1);
  EXPECT_TRUE(delay_between(pair.x, pair.y, dt, {0, 0.3}).at_limit);
  EXPECT_FALSE(delay_between(pair.x, pair.y, dt, {0, 0.6}).at_limit);
}

TEST(Delay, AChannelAtRestSaysNothing) {
  Pair pair = noisy(clean(0.2), 0.01, 1, 1);
  pair.x.row(0).setZero();
  const Delay delay = delay_between(pair.x, pair.y, dt, {0, 0.5});
  EXPECT_NEAR(delay.seconds, 0.2, 4 * delay.sigma);
  EXPECT_EQ(delay.gains[0], 0);
}

TEST(Delay, Refuses) {
  const auto rejection = [](const Eigen::MatrixXd& x, const Eigen::MatrixXd& y, double most) -> std::string {
    try {
      delay_between(x, y, dt, {0, most});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Pair pair = noisy(clean(0.2, 100), 0.01, 1, 1);
  EXPECT_NE(rejection(pair.x, pair.y.leftCols(50), 0.3).find("input is 2 x 100, response 2 x 50"),
            std::string::npos);
  EXPECT_NE(rejection(pair.x, pair.y, 1.5).find("too short"), std::string::npos);
  EXPECT_NE(rejection(pair.x, pair.y, -0.1).find("from 0 to -0.1 s"), std::string::npos);
  EXPECT_NE(rejection(0 * pair.x, pair.y, 0.3).find("no channel has both"), std::string::npos);
  pair.y(1, 3) = std::nan("");
  EXPECT_NE(rejection(pair.x, pair.y, 0.3).find("not a number"), std::string::npos);
}

}  // namespace
}  // namespace fathom::filter::delay_test
