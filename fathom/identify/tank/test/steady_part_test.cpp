#include "fathom/identify/tank/steady_part.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"

namespace fathom::identify::steady_part_test {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using fathom::test::error_text;

/// Rest to 3 s, ramp to 5 s, hold to 15 s, brake to 17 s, rest; the force is 10 N at the full speed of .5 m/s.
TowingRecord record_of(double noise, RandomStream& random, double hold = 10, double rate_hz = 50) {
  const auto n = static_cast<Index>((9 + hold) * rate_hz);
  TowingRecord record{VectorXd(n), VectorXd(n), VectorXd(n)};
  for (Index k = 0; k < n; ++k) {
    const double t = static_cast<double>(k) / rate_hz;
    const double share = std::clamp(std::min((t - 3) / 2, (7 + hold - t) / 2), 0.0, 1.0);
    record.t[k] = t;
    record.speed[k] = 0.5 * share + 0.001 * random.normal();
    record.force[k] = 10 * share * share + noise * random.normal();
  }
  return record;
}

void expect_inside_the_hold(const TowingRecord& record, const SteadySearch& search, double slack) {
  ASSERT_TRUE(search.part) << search.why_not;
  const double from = record.t[search.part->from], until = record.t[search.part->from + search.part->count - 1];
  EXPECT_GE(from, 5 - slack);
  EXPECT_LE(until, 15 + slack);
  EXPECT_GT(until - from, 8);
}

TEST(SteadyPart, LiesInTheHold) {
  RandomStream random(1, "steady");
  const TowingRecord record = record_of(0.5, random);
  const SteadySearch search = find_steady_part(record);
  expect_inside_the_hold(record, search, 0);
  EXPECT_NEAR(search.part->speed, 0.5, 3e-4);
  EXPECT_NEAR(search.part->force.value, 10, 4 * std::sqrt(search.part->force.variance));
  EXPECT_NEAR(std::sqrt(search.part->force.variance), 0.5 / std::sqrt(450.0), 0.008);
}

TEST(SteadyPart, IsFoundByTheForceAlone) {
  RandomStream random(2, "steady");
  TowingRecord record = record_of(0.3, random);
  record.speed.resize(0);
  const SteadySearch search = find_steady_part(record);
  expect_inside_the_hold(record, search, 0.15);
  EXPECT_TRUE(std::isnan(search.part->speed));
  EXPECT_NEAR(search.part->force.value, 10, 0.08);
}

TEST(SteadyPart, BackwardsIsTheMirrorImage) {
  RandomStream random(3, "steady");
  TowingRecord record = record_of(0.5, random);
  const SteadySearch ahead = find_steady_part(record);
  record.speed = -record.speed;
  record.force = -record.force;
  const SteadySearch astern = find_steady_part(record);
  ASSERT_TRUE(ahead.part && astern.part);
  EXPECT_EQ(astern.part->from, ahead.part->from);
  EXPECT_EQ(astern.part->count, ahead.part->count);
  EXPECT_DOUBLE_EQ(astern.part->force.value, -ahead.part->force.value);
}

TEST(SteadyPart, LeavesOutWhatTheForceTakesToSettle) {
  RandomStream random(4, "steady");
  TowingRecord record = record_of(0.2, random);
  for (Index k = 0; k < record.t.size(); ++k)
    if (record.t[k] > 5) record.force[k] += 6 * std::exp(-(record.t[k] - 5) / 0.8);
  const SteadySearch search = find_steady_part(record);
  ASSERT_TRUE(search.part) << search.why_not;
  EXPECT_GT(record.t[search.part->from], 6.5);
  EXPECT_NEAR(search.part->force.value, 10, 0.1);
}

TEST(SteadyPart, OneGlitchOfTheSpeedDoesNotEndIt) {
  RandomStream random(5, "steady");
  TowingRecord record = record_of(0.5, random);
  record.speed.segment(500, 3).setZero();
  expect_inside_the_hold(record, find_steady_part(record), 0);
}

TEST(SteadyPart, SaysWhyThereIsNone) {
  RandomStream random(6, "steady");
  TowingRecord record = record_of(0.5, random, 1);
  EXPECT_NE(find_steady_part(record).why_not.find("must be for 2 s"), std::string::npos);
  record.speed *= 0;
  EXPECT_NE(find_steady_part(record).why_not.find("does not move"), std::string::npos);
  TowingRecord noisy = record_of(40, random);
  noisy.speed.resize(0);
  EXPECT_NE(find_steady_part(noisy).why_not.find("noise"), std::string::npos);
  const TowingRecord brief{VectorXd::LinSpaced(10, 0, 1), VectorXd::Ones(10), {}};
  EXPECT_NE(find_steady_part(brief).why_not.find("10 samples"), std::string::npos);
}

TEST(SteadyPart, RefusesWhatIsNoRecord) {
  RandomStream random(7, "steady");
  TowingRecord record = record_of(0.5, random);
  TowingRecord bad = record;
  bad.force[7] = nan;
  EXPECT_NE(error_text([&] { find_steady_part(bad); }).find("not finite"), std::string::npos);
  bad = record;
  bad.t[7] = bad.t[6];
  EXPECT_NE(error_text([&] { find_steady_part(bad); }).find("do not rise"), std::string::npos);
  bad = record;
  bad.force.conservativeResize(5);
  EXPECT_NE(error_text([&] { find_steady_part(bad); }).find("5 forces"), std::string::npos);
}

TEST(SamplesAtRest, EndBeforeTheRamp) {
  RandomStream random(8, "steady");
  TowingRecord record = record_of(0.2, random);
  EXPECT_NEAR(static_cast<double>(samples_at_rest(record)), 150, 12);
  record.speed.resize(0);
  const Index by_force = samples_at_rest(record);
  EXPECT_GT(by_force, 100);
  EXPECT_LT(by_force, 190);  // the force rises with the square of the ramp
}

/// Of an AR(1) series the variance of the mean is sigma^2 / n (1 + a) / (1 - a), but for terms of 1 / n^2.
TEST(SerialMean, HasTheVarianceOfAnAutoregression) {
  constexpr double a = 0.8;
  constexpr Index n = 1500;
  RandomStream random(9, "steady");
  double said = 0, square = 0;
  constexpr int times = 200;
  for (int k = 0; k < times; ++k) {
    VectorXd series(n);
    double state = random.normal();
    for (double& x : series) x = state = a * state + std::sqrt(1 - a * a) * random.normal();
    const SerialMean mean = serial_mean(series);
    said += mean.variance / times;
    square += mean.value * mean.value / times;
  }
  const double truth = (1 + a) / (1 - a) / static_cast<double>(n);
  EXPECT_NEAR(said / truth, 1, 0.06);
  EXPECT_NEAR(square / truth, 1, 0.3);  // the sample itself
}

TEST(SerialMean, OfWhiteNoiseIsThatOfTheTextbook) {
  RandomStream random(10, "steady");
  VectorXd series(4000);
  for (double& x : series) x = 3 + 2 * random.normal();
  const SerialMean mean = serial_mean(series);
  EXPECT_NEAR(mean.variance, 4.0 / 4000, 0.15 * 4.0 / 4000);
  EXPECT_NE(error_text([] { serial_mean(VectorXd::Ones(3)); }).find("8 or more"), std::string::npos);
}

}  // namespace
}  // namespace fathom::identify::steady_part_test
