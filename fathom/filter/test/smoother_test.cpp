#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"
#include "fathom/filter/internal/smooth_in_windows.hpp"
#include "fathom/filter/test/motion.hpp"
#include "fathom/filter/track.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::filter::smoother_test {
namespace {

using namespace testing;

/// What a pool has: fiducials 15 Hz, AHRS 50 Hz, gyro 100 Hz, depth 20 Hz.
Measurements pool(const Motion& motion, std::uint64_t seed) {
  Measurements m;
  m.position.push_back(positions(motion, 15, 0.004, 0.005, Vec3(0.2, -0.1, 0.15), seed));
  m.attitude.push_back(attitudes(motion, 50, 0, Vec3(0.004, 0.004, 0.008), seed + 1));
  m.rate.push_back(rates(motion, 100, 0, 0.005, Vec3(0.02, -0.01, 0.03), seed + 2));
  m.depth.push_back(depths(motion, 20, 0.01, 0.004, Vec3(-0.2, 0, -0.1), seed + 3));
  return m;
}

double rms(const Smoothed& smoothed, const Motion& motion, int row) {
  double sum = 0;
  for (Eigen::Index k = 0; k < smoothed.track.size(); ++k)
    sum += std::pow(smoothed.track.nu_b(row, k) - twist_at(motion, smoothed.track.t(k))[row], 2);
  return std::sqrt(sum / static_cast<double>(smoothed.track.size()));
}

TEST(Smoother, FindsTheMotionOfAPoolLog) {
  const Motion motion = wavy_motion(30);
  const Smoothed smoothed = smooth(pool(motion, 5));
  for (int row = 0; row < 6; ++row) EXPECT_LT(rms(smoothed, motion, row), row < 3 ? 0.008 : 0.002) << row;
  EXPECT_LT((smoothed.rate_bias_b.at(0) - Vec3(0.02, -0.01, 0.03)).norm(), 1e-3);
  ASSERT_EQ(smoothed.counts.size(), 4U);
  EXPECT_EQ(smoothed.counts[0].name, "attitude 0");
  EXPECT_EQ(smoothed.counts[3].name, "depth 0");
  for (const Smoothed::Count& count : smoothed.counts) {
    EXPECT_NEAR(count.innovation_rms, 1, 0.05) << count.name;
    EXPECT_EQ(count.missing, 0U);
    EXPECT_LE(count.outliers, 3U);
  }
  EXPECT_NEAR(smoothed.track.t0, 0.02, 1e-12);  // the first multiple of dt with a position
  for (const char measured : smoothed.track.measured) EXPECT_TRUE(measured);
  Vec6 worst = Vec6::Zero();
  for (Eigen::Index k = 50; k + 50 < smoothed.track.size(); ++k)
    worst = worst.cwiseMax(
        (smoothed.track.nu_dot_b.col(k) - twist_rate_at(motion, smoothed.track.t(k))).cwiseAbs());
  EXPECT_LT(worst.maxCoeff(), 0.12);
}

/// The squares of the errors in their sigmas, at times half a second apart, which hardly remember each other.
TEST(Smoother, ItsSigmasAreThoseOfItsErrors) {
  Vec6 sum = Vec6::Zero();
  int count = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Motion motion = white_jerk_motion(8, 0.2, 0.3, seed);
    Measurements m = pool(motion, 100 * seed);
    m.attitude[0] = attitudes(motion, 50, 0, Vec3(0.001, 0.001, 0.002), 100 * seed + 1);
    SmootherOptions options;
    options.jerk = 0.2;
    options.angular_jerk = 0.3;
    const Smoothed smoothed = smooth(m, options);
    for (Eigen::Index k = 10; k < smoothed.track.size(); k += 25) {
      const Vec6 error = smoothed.track.nu_b.col(k) - twist_at(motion, smoothed.track.t(k));
      sum.array() += (error.array() / smoothed.track.nu_sigma_b.col(k).array()).square();
      ++count;
    }
  }
  // chi-square of 3 axes x count: 99.9 % within 3.3 sqrt(2 / n) of one
  const double bound = 3.3 * std::sqrt(2 / (3.0 * count));
  EXPECT_NEAR(sum.head<3>().mean() / count, 1, bound);
  EXPECT_NEAR(sum.tail<3>().mean() / count, 1, bound);
  EXPECT_LT(bound, 0.25);
}

TEST(Smoother, LikelihoodFindsTheDensityThatDrewTheMotion) {
  for (const double density : {0.05, 0.5}) {
    const Motion motion = white_jerk_motion(10, density, 2 * density, 21);
    const Smoothed smoothed = smooth(pool(motion, 7));
    EXPECT_NEAR(std::log2(smoothed.jerk / density), 0, 1) << smoothed.jerk;
    EXPECT_NEAR(std::log2(smoothed.angular_jerk / (2 * density)), 0, 1) << smoothed.angular_jerk;
    SmootherOptions given;  // and a density an octave away is less likely
    given.angular_jerk = smoothed.angular_jerk;
    for (const double factor : {0.5, 2.0}) {
      given.jerk = smoothed.jerk * factor;
      EXPECT_LT(smooth(pool(motion, 7), given).log_likelihood, smoothed.log_likelihood);
    }
  }
}

/// Straight and evenly turning, without noise: nothing to smooth away.
TEST(Smoother, EvenMotionIsExact) {
  const Vec3 v_n(0.4, -0.2, 0.1), omega_b(0.1, -0.2, 0.3);
  Motion motion = white_jerk_motion(6, 0, 0, 1);
  for (Eigen::Index i = 0; i < motion.size(); ++i) {
    const double t = Motion::h * static_cast<double>(i);
    motion.p_n.col(i) = t * v_n;
    motion.v_n.col(i) = v_n;
    motion.omega_b.col(i) = omega_b;
    motion.q_nb[static_cast<std::size_t>(i)] = exp_rotation(t * omega_b);
  }
  Measurements m;
  m.position.push_back(positions(motion, 15, 0, 0, Vec3(0.5, 0.3, -0.2), 1));
  m.attitude.push_back(attitudes(motion, 50, 0, Vec3::Zero(), 1));
  m.position[0].sigma.setConstant(1e-3);
  m.attitude[0].sigma.setConstant(1e-3);
  SmootherOptions options;
  options.jerk = options.angular_jerk = 0.1;
  const Smoothed smoothed = smooth(m, options);
  for (Eigen::Index k = 0; k < smoothed.track.size(); ++k) {
    EXPECT_LT((smoothed.track.nu_b.col(k) - twist_at(motion, smoothed.track.t(k))).norm(), 2e-6);
    EXPECT_LT((smoothed.track.nu_dot_b.col(k) - twist_rate_at(motion, smoothed.track.t(k))).norm(), 2e-5);
    EXPECT_LT((smoothed.track.p_nb_n.col(k) - smoothed.track.t(k) * v_n).norm(), 2e-6);
  }
}

/// A DVL ahead and a depth sensor astern, no position: the lever arms are in omega x l and in the tilt.
TEST(Smoother, VelocityServesWithoutPosition) {
  const Motion motion = wavy_motion(12);
  Measurements m;
  m.velocity.push_back(velocities(motion, 10, 0.003, 0.005, Vec3(1.5, 0.5, -0.5), 1));
  m.attitude.push_back(attitudes(motion, 50, 0, Vec3::Constant(0.002), 2));
  m.rate.push_back(rates(motion, 100, 0, 0.002, Vec3::Zero(), 3));
  m.depth.push_back(depths(motion, 20, 0, 0.003, Vec3(-2, 0, 0), 4));
  const Smoothed smoothed = smooth(m);
  for (int row = 0; row < 3; ++row) EXPECT_LT(rms(smoothed, motion, row), 0.006) << row;
  for (Eigen::Index k = 0; k < smoothed.track.size(); k += 10) {
    const auto i = static_cast<Eigen::Index>(std::lround(smoothed.track.t(k) / Motion::h));
    EXPECT_NEAR(smoothed.track.p_nb_n(2, k), motion.p_n(2, i), 0.02);
  }
  m.velocity[0].lever_b.setZero();  // the wrong place must show
  EXPECT_GT(rms(smooth(m), motion, 0), 0.1);
}

TEST(Smoother, GapsAreNotMeasured) {
  const Motion motion = wavy_motion(12);
  Measurements m = pool(motion, 3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::size_t gone = 0;
  for (std::size_t i = 0; i < m.position[0].t.size(); ++i)
    if (const double t = m.position[0].t[i]; (t > 4 && t < 5) || (t > 7 && t < 7.3)) {
      m.position[0].values(1, static_cast<Eigen::Index>(i)) = nan;
      ++gone;
    }
  const Smoothed smoothed = smooth(m);
  EXPECT_EQ(smoothed.counts[2].missing, gone);
  EXPECT_EQ(smoothed.counts[2].used + smoothed.counts[2].outliers + gone, m.position[0].t.size());
  for (Eigen::Index k = 0; k < smoothed.track.size(); ++k) {
    const double t = smoothed.track.t(k);
    EXPECT_TRUE(smoothed.track.nu_b.col(k).allFinite());
    const bool measured = smoothed.track.measured[static_cast<std::size_t>(k)];
    EXPECT_TRUE(measured || (t > 3.92 && t < 5.08)) << t;
    EXPECT_TRUE(!measured || t < 4.07 || t > 4.93) << t;
  }
}

TEST(Smoother, OutliersAreLeftOutAndCounted) {
  const Motion motion = wavy_motion(20);
  Measurements m = pool(motion, 4);
  std::size_t moved = 0;
  for (std::size_t i = 60; i < m.position[0].t.size(); i += 17) {
    m.position[0].values.col(static_cast<Eigen::Index>(i)) += Vec3(0.3, -0.2, 0);
    ++moved;
  }
  const Smoothed smoothed = smooth(m);
  EXPECT_NEAR(static_cast<double>(smoothed.counts[2].outliers), static_cast<double>(moved), 1);
  for (int row = 0; row < 3; ++row) EXPECT_LT(rms(smoothed, motion, row), 0.008) << row;
  SmootherOptions believing;
  believing.outlier = 1e6;
  EXPECT_GT(rms(smooth(m, believing), motion, 0), 0.03);  // so they did matter
}

TEST(Smoother, ASigmaThatIsStatedTooSmallShows) {
  const Motion motion = wavy_motion(15);
  Measurements m = pool(motion, 4);
  m.depth[0].sigma *= 0.1;
  SmootherOptions options;
  options.jerk = 0.2;
  const Smoothed smoothed = smooth(m, options);
  EXPECT_EQ(smoothed.counts[3].outliers, 0U);
  EXPECT_EQ(smoothed.counts[3].used, m.depth[0].t.size());
  EXPECT_GT(smoothed.counts[3].innovation_rms, 3);
  EXPECT_GT(smoothed.counts[3].believed, m.depth[0].t.size() / 5);
}

TEST(Smoother, WindowsDoNotChangeTheOutcome) {
  const Motion motion = wavy_motion(20);
  Measurements m = pool(motion, 9);
  m.position[0].values.col(100) += Vec3(1, 0, 0);
  m.rate.push_back(rates(motion, 70, 0.005, 0.01, Vec3(0, 0.1, 0), 3));
  SmootherOptions options;
  options.jerk = options.angular_jerk = 0.3;
  const Smoothed whole = internal::smooth_in_windows(m, options, 1e9);
  const Smoothed parts = internal::smooth_in_windows(m, options, 1.3);
  EXPECT_EQ((whole.track.nu_b - parts.track.nu_b).norm(), 0);
  EXPECT_EQ((whole.track.nu_dot_b - parts.track.nu_dot_b).norm(), 0);
  EXPECT_EQ((whole.track.nu_sigma_b - parts.track.nu_sigma_b).norm(), 0);
  EXPECT_EQ((whole.track.p_nb_n - parts.track.p_nb_n).norm(), 0);
  EXPECT_EQ(whole.rate_bias_b, parts.rate_bias_b);
  EXPECT_LT((whole.rate_bias_b.at(1) - Vec3(0, 0.1, 0)).norm(), 2e-3);
}

std::string rejection(const Measurements& m, const SmootherOptions& options = {}) {
  try {
    smooth(m, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// As if the vehicle had lain still from `from` on for `pause` seconds, and then gone on; or, without samples,
/// as if nothing had been logged.
Readings paused(const Readings& all, double from, double pause, bool with_samples) {
  Readings out = all;
  const auto at = static_cast<Eigen::Index>(std::lower_bound(all.t.begin(), all.t.end(), from) - all.t.begin());
  const double step = all.t[1] - all.t[0];
  const auto more = with_samples ? static_cast<Eigen::Index>(pause / step) : 0;
  const Eigen::Index after = all.values.cols() - at;
  out.values.resize(all.values.rows(), all.values.cols() + more);
  out.values.leftCols(at) = all.values.leftCols(at);
  out.values.rightCols(after) = all.values.rightCols(after);
  out.t.assign(all.t.begin(), all.t.begin() + at);
  RandomStream random(11, "paused");
  for (Eigen::Index k = 0; k < more; ++k) {
    out.t.push_back(from + step * static_cast<double>(k));
    out.values.col(at + k) = all.values.col(at);
    for (Eigen::Index row = 0; row < out.values.rows(); ++row)
      out.values(row, at + k) += all.sigma[0] * random.normal();
  }
  for (Eigen::Index k = at; k < all.values.cols(); ++k)
    out.t.push_back(all.t[static_cast<std::size_t>(k)] + pause);
  return out;
}

/// A rest, or a gap, of most of the log must not pass for its motion.
TEST(Smoother, APauseDoesNotSetTheDensity) {
  const Motion motion = wavy_motion(20);
  Measurements m;
  m.position.push_back(positions(motion, 15, 0, 0.005, Vec3::Zero(), 1));
  m.attitude.push_back(attitudes(motion, 20, 0, Vec3::Constant(0.004), 2));
  const Smoothed moving = smooth(m);
  for (const bool with_samples : {true, false}) {
    Measurements resting;
    resting.position.push_back(paused(m.position[0], 10, 80, with_samples));
    resting.attitude.push_back(paused(m.attitude[0], 10, 80, with_samples));
    const Smoothed smoothed = smooth(resting);
    EXPECT_NEAR(std::log2(smoothed.jerk / moving.jerk), 0, 1.5) << smoothed.jerk << " of " << moving.jerk;
    EXPECT_NEAR(std::log2(smoothed.angular_jerk / moving.angular_jerk), 0, 1.5) << smoothed.angular_jerk;
    EXPECT_FALSE(smoothed.jerk_at_limit);
  }
}

TEST(Smoother, ALogAtRestHasNoDensity) {
  const Motion still = white_jerk_motion(20, 0, 0, 1);
  Measurements m;
  m.position.push_back(positions(still, 15, 0, 0.005, Vec3::Zero(), 1));
  m.attitude.push_back(attitudes(still, 20, 0, Vec3::Constant(0.004), 2));
  const Smoothed smoothed = smooth(m);
  EXPECT_TRUE(smoothed.jerk_at_limit);
  EXPECT_TRUE(smoothed.angular_jerk_at_limit);
}

/// Wherever a bad sample is: the first, one while the filter settles, at the start of what the likelihood sees.
TEST(Smoother, OneBadSampleDoesNoHarmAnywhere) {
  const Motion motion = wavy_motion(12);
  const Measurements good = pool(motion, 5);
  const Smoothed undisturbed = smooth(good);
  for (const Eigen::Index bad : {0, 1, 20, 40}) {
    for (const double off : {0.3, 1e300}) {
      Measurements m = good;
      m.position[0].values(0, bad) += off;
      m.attitude[0].values.col(3 * bad) = Eigen::Vector4d(0, 1, 0, 0);
      m.rate[0].values(1, 6 * bad) += 1e3 * off;
      const Smoothed smoothed = smooth(m);
      EXPECT_NEAR(smoothed.jerk / undisturbed.jerk, 1, 0.1) << bad << " by " << off;
      EXPECT_NEAR(smoothed.angular_jerk / undisturbed.angular_jerk, 1, 0.1) << bad << " by " << off;
      for (int row = 0; row < 6; ++row)
        EXPECT_LT(rms(smoothed, motion, row), 1.1 * rms(undisturbed, motion, row)) << bad << " by " << off;
      EXPECT_EQ(smoothed.counts[2].outliers, undisturbed.counts[2].outliers + 1) << bad << " by " << off;
    }
  }
}

TEST(Smoother, AClockThatJumpsIsRefusedBeforeMemoryEnds) {
  Measurements m = pool(wavy_motion(10), 1);
  m.attitude[0].t.back() += 1e9;
  EXPECT_NE(rejection(m).find("does a clock jump"), std::string::npos) << rejection(m);
}

TEST(Smoother, RefusesWhatItCannotSmooth) {
  const Measurements good = pool(wavy_motion(5), 1);
  Measurements m = good;
  std::swap(m.depth[0].t[7], m.depth[0].t[8]);
  EXPECT_NE(rejection(m).find("depth 0[8] t = 0.36 comes after t = 0.41"), std::string::npos) << rejection(m);
  m = good;
  m.attitude.clear();
  EXPECT_NE(rejection(m).find("attitude has no samples to smooth"), std::string::npos) << rejection(m);
  m = good;
  m.position.clear();
  EXPECT_NE(rejection(m).find("position nothing measures position or velocity"), std::string::npos)
      << rejection(m);
  m = good;
  for (double& t : m.position[0].t) t += 100;
  EXPECT_NE(rejection(m).find("are the clocks the same?"), std::string::npos) << rejection(m);
  m = good;
  m.rate.resize(3, m.rate[0]);
  EXPECT_NE(rejection(m).find("rate has 3 series, at most 2"), std::string::npos) << rejection(m);
  m = good;
  m.position[0].sigma[1] = 0;
  EXPECT_NE(rejection(m).find("position 0.sigma = 0, must be > 0"), std::string::npos) << rejection(m);
  m = good;
  m.position[0].sigma.conservativeResize(2);
  EXPECT_NE(rejection(m).find("position 0.sigma has 2 numbers, must have 3"), std::string::npos)
      << rejection(m);
  m = good;
  m.rate[0].values = good.rate[0].values.topRows(2).eval();
  EXPECT_NE(rejection(m).find("rate 0 has 2 rows, must have 3"), std::string::npos) << rejection(m);
  m = good;
  m.depth[0].t.pop_back();
  EXPECT_NE(rejection(m).find("a time for each column"), std::string::npos) << rejection(m);
  m = good;
  m.position[0].t.resize(2);
  m.position[0].values = good.position[0].values.leftCols(2).eval();
  m.depth.clear();
  EXPECT_NE(rejection(m).find("6 numbers measured, at least 9 are needed"), std::string::npos) << rejection(m);
  m = good;
  m.attitude[0].values.setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_NE(rejection(m).find("attitude has no samples to smooth"), std::string::npos) << rejection(m);
  SmootherOptions options;
  options.dt = 0;
  EXPECT_NE(rejection(good, options).find("smoother.dt = 0, must be > 0"), std::string::npos);
}

}  // namespace
}  // namespace fathom::filter::smoother_test
