#include "fathom/trajectory/sinusoid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"

namespace fathom::trajectory::sinusoid_test {
namespace {

using Eigen::Index;
using Eigen::Vector4d;
using Eigen::VectorXd;
using Range = SinusoidBounds::Range;
using Segments = std::vector<SinusoidSegment>;

Range about(double middle, double half) { return {middle - half, middle + half}; }

// The problem of the excitation bench: each segment frees one of x, y, z, psi, the fifth all.
Segments bench() {
  Segments segments(5);
  const std::array<Range, 4> free = {about(0, 2.3), about(0, 1.1), about(0.8, 0.4), about(0, std::numbers::pi)};
  const std::array<Range, 4> held = {about(0, 0.15), about(0, 0.15), about(0.8, 0.1), about(0, 0.15)};
  for (std::size_t k = 0; k < 5; ++k) {
    segments[k].duration = 56;
    for (std::size_t c = 0; c < 4; ++c)
      segments[k].bounds.push_back(
          {k == c || k == 4 ? free[c] : held[c], about(0, c == 3 ? 0.5 : 0.3), about(0, c == 3 ? 0.3 : 0.2)});
  }
  return segments;
}

// Boxes off the middle, all with -.1 to .1 in them, of unequal durations and with unequal sides.
Segments random_segments(RandomStream& random) {
  Segments segments(4);
  for (auto& segment : segments) {
    segment.duration = random.uniform(25, 60);
    for (int c = 0; c < 3; ++c)
      segment.bounds.push_back({{-random.uniform(0.1, 1.5), random.uniform(0.1, 1.5)},
                                {-random.uniform(0.2, 0.6), random.uniform(0.2, 0.6)},
                                {-random.uniform(0.1, 0.4), random.uniform(0.1, 0.4)}});
  }
  return segments;
}

void expect_inside(const Range& range, double value, const char* what, double t) {
  EXPECT_GE(value, range.min - 1e-12) << what << " at " << t;
  EXPECT_LE(value, range.max + 1e-12) << what << " at " << t;
}

void expect_within_bounds(const Sinusoids& path, const Segments& segments, double step) {
  double begin = 0;
  for (const auto& segment : segments) {
    for (double t = begin; t <= begin + segment.duration; t += step) {
      const Bezier::Sample sample = path.at(t);
      for (Index c = 0; c < path.coordinates(); ++c) {
        const SinusoidBounds& bounds = segment.bounds[c];
        expect_inside(bounds.pose, sample.value[c], "pose", t);
        expect_inside(bounds.rate, sample.rate[c], "rate", t);
        expect_inside(bounds.acceleration, sample.acceleration[c], "acceleration", t);
      }
    }
    begin += segment.duration;
  }
}

TEST(Sinusoids, KeepTheBoundsOfTheBenchAndUseThem) {
  const Segments segments = bench();
  const Vector4d place(0, 0, 0.8, 0);
  const Sinusoids path(segments, place, place);
  EXPECT_EQ(path.duration(), 280);
  expect_within_bounds(path, segments, 0.00937);
  // Each swing comes near to one of its bounds.
  for (std::size_t k = 0; k < 5; ++k)
    for (Index c = 0; c < 4; ++c) {
      const SinusoidBounds& bounds = segments[k].bounds[c];
      double used = 0;
      for (double t = 56.0 * static_cast<double>(k); t < 56.0 * static_cast<double>(k + 1); t += 0.01) {
        const Bezier::Sample sample = path.at(t);
        used = std::max({used, std::abs(sample.value[c] - place[c]) / (bounds.pose.max - place[c]),
                         std::abs(sample.rate[c]) / bounds.rate.max,
                         std::abs(sample.acceleration[c]) / bounds.acceleration.max});
      }
      EXPECT_GT(used, 0.999);
      EXPECT_LT(used, 1);
    }
}

TEST(Sinusoids, KeepRandomBounds) {
  RandomStream random(1, "boxes");
  for (int k = 0; k < 10; ++k) {
    const Segments segments = random_segments(random);
    const Sinusoids path(segments, Eigen::Vector3d(0.05, -0.05, 0), Eigen::Vector3d(0.1, 0, -0.1));
    expect_within_bounds(path, segments, 0.0313);
    for (const auto& swings : path.swings())
      for (const auto& swing : swings) EXPECT_GT(swing.amplitude, 0.05);
  }
}

TEST(Sinusoids, RateAndAccelerationAreTheDerivativesAndContinuous) {
  RandomStream random(2, "boxes");
  const Segments segments = random_segments(random);
  const Eigen::Vector3d start(0.1, 0, -0.1), end = Eigen::Vector3d::Zero();
  const Sinusoids path(segments, start, end);
  const double h = 1e-4;
  for (double t = 2 * h; t < path.duration() - 2 * h; t += 0.0371) {
    const Bezier::Sample before = path.at(t - h), here = path.at(t), after = path.at(t + h);
    EXPECT_LT(((after.value - before.value) / (2 * h) - here.rate).norm(), 1e-8) << t;
    EXPECT_LT(((after.rate - before.rate) / (2 * h) - here.acceleration).norm(), 1e-7) << t;
  }
  // Where pieces meet: borders, ends of moves and of fades.
  for (const auto& swings : path.swings())
    for (const auto& swing : swings) {
      const double t0 = swing.begin + swing.move_in, t1 = swing.end - swing.move_out;
      for (const double t : {swing.begin, t0, t0 + swing.fade, t1 - swing.fade, t1, swing.end}) {
        const Bezier::Sample before = path.at(t - 1e-9), after = path.at(t + 1e-9);
        EXPECT_LT((after.value - before.value).norm(), 1e-8) << t;
        EXPECT_LT((after.rate - before.rate).norm(), 1e-8) << t;
        EXPECT_LT((after.acceleration - before.acceleration).norm(), 1e-8) << t;
      }
    }
}

TEST(Sinusoids, RestAtBothEnds) {
  RandomStream random(3, "boxes");
  const Eigen::Vector3d start(0.1, 0, -0.1), end(0, 0.1, 0);
  const Sinusoids path(random_segments(random), start, end);
  for (const double t : {-5.0, 0.0}) EXPECT_LT((path.at(t).value - start).norm(), 1e-14);
  for (const double t : {path.duration(), 1e9}) EXPECT_LT((path.at(t).value - end).norm(), 1e-14);
  for (const double t : {-5.0, 0.0, path.duration(), 1e9}) {
    EXPECT_LT(path.at(t).rate.norm(), 1e-14);
    EXPECT_LT(path.at(t).acceleration.norm(), 1e-13);
  }
}

TEST(Sinusoids, SwingAtFrequenciesThatAreApart) {
  const Vector4d place(0, 0, 0.8, 0);
  const Sinusoids path(bench(), place, place);
  for (const auto& swings : path.swings())
    for (std::size_t a = 0; a < swings.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b)
        EXPECT_GT(std::abs(std::log(swings[a].omega / swings[b].omega)), std::log(1.149));
      // Between the fades it is a harmonic motion.
      const auto& swing = swings[a];
      const double t = swing.begin + 26;
      EXPECT_NEAR(swing.at(t)[2], -swing.omega * swing.omega * (swing.at(t)[0] - swing.centre), 1e-12);
    }
  // Limits .3 and .2 meet at 2/3 rad/s, where a swing of .45 m has room; .15 m is swung by at sqrt(.2 / .15).
  EXPECT_NEAR(path.swings()[0][0].omega, 2.0 / 3, 1e-12);
  EXPECT_LT(path.swings()[0][0].amplitude, 0.45);
  EXPECT_GT(path.swings()[0][0].amplitude, 0.4) << "fading takes a tenth";
  EXPECT_NEAR(path.swings()[1][0].omega, std::sqrt(0.2 / 0.15), 1e-12);
}

TEST(Sinusoids, BoundsMayBeFreeOrClosed) {
  Segments segments = bench();
  for (auto& segment : segments) {
    segment.bounds[0].pose = {};
    segment.bounds[1].rate = {};
    segment.bounds[2].acceleration = {};
    segment.bounds[3] = {{0, 0}, {0, 0}, {0, 0}};
  }
  segments[1].bounds[1].acceleration = {};
  const Vector4d start(0, 0, 0.8, 0), end(1, 0.1, 0.9, 0);
  const Sinusoids path(segments, start, end);
  expect_within_bounds(path, segments, 0.0213);
  EXPECT_LT((path.at(280).value - end).norm(), 1e-14);
  for (double t = 0; t < 280; t += 1) EXPECT_EQ(path.at(t).value[3], 0);
}

std::string error_of(const Segments& segments, const VectorXd& start, const VectorXd& end) {
  try {
    Sinusoids(segments, start, end);
  } catch (const InputError& error) {
    return error.findings().at(0).text();
  }
  return "";
}

std::string error_with(void (*change)(Segments&)) {
  Segments segments = bench();
  change(segments);
  return error_of(segments, Vector4d(0, 0, 0.8, 0), Vector4d(0, 0, 0.8, 0));
}

TEST(Sinusoids, NameSegmentAndCoordinateThatLeaveNoWay) {
  EXPECT_EQ(error_with([](Segments& s) {
              s[1].bounds[2].rate = {0.1, 0.3};
            }),
            "segments[1].bounds[2].rate is 0.1 to 0.3, must hold 0 (the path begins and ends at rest)");
  EXPECT_EQ(
      error_with([](Segments& s) {
        s[1].bounds[2].pose = {2, 3};
      }),
      "segments[1].bounds[2].pose is 2 to 3, does not meet 0.7000000000000001 to 0.9 of the segment before");
  EXPECT_EQ(error_with([](Segments& s) {
              s[0].bounds[0].pose = {1, 2};
            }),
            "segments[1].bounds[0].pose is -0.15 to 0.15, does not meet 1 to 2 of the segment before");
  EXPECT_EQ(error_with([](Segments& s) {
              s[4].bounds[1].pose = {0.1, 1};
            }),
            "segments[4].bounds[1].pose is 0.1 to 1, end = 0 is outside");
  EXPECT_EQ(error_with([](Segments& s) {
              s[3].bounds[0].pose = {0.1, 0.2};
              s[4].bounds[0].rate = about(0, 1e-3);
            }),
            "segments[4].bounds[0].rate and acceleration need 187.5 s from 0.1 to 0, the segment has 56 s "
            "(a longer duration, or boxes that lie closer)");
  EXPECT_EQ(error_with([](Segments& s) { s[2].bounds[3] = {}; }),
            "segments[2].bounds[3].pose is free, and so are rate and acceleration: a swing needs a bound");
}

TEST(Sinusoids, RefuseWhatMakesNoSense) {
  const Vector4d place(0, 0, 0.8, 0);
  EXPECT_EQ(error_with([](Segments& s) { s.clear(); }), "segments has no entry, at least one is needed");
  EXPECT_EQ(error_with([](Segments& s) { s[1].duration = 0; }),
            "segments[1].duration = 0 s, must be > 0 and finite");
  EXPECT_EQ(error_with([](Segments& s) { s[1].bounds.pop_back(); }),
            "segments[1].bounds has 3 entries for 4 coordinates");
  EXPECT_EQ(error_with([](Segments& s) { s[0].bounds[0].pose.min = std::nan(""); }),
            "segments[0].bounds[0].pose is nan to 2.3, holds no number");
  EXPECT_EQ(error_of(bench(), VectorXd(), VectorXd()), "start has no entry, at least one coordinate is needed");
  EXPECT_EQ(error_of(bench(), place, VectorXd::Zero(3)), "end has 3 entries, start has 4");
  EXPECT_EQ(error_of(bench(), place, Vector4d::Constant(std::nan(""))), "end is not finite");
  EXPECT_THROW(Sinusoids(bench(), place, place).at(std::nan("")), InputError);
}

}  // namespace
}  // namespace fathom::trajectory::sinusoid_test
