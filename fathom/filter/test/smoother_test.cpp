#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/filter/internal/smooth_in_windows.hpp"
#include "fathom/filter/test/motion.hpp"
#include "fathom/filter/track.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::filter {
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

TEST(Smoother, finds_the_motion_of_a_pool_log) {
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
TEST(Smoother, its_sigmas_are_those_of_its_errors) {
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

TEST(Smoother, likelihood_finds_the_density_that_drew_the_motion) {
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
TEST(Smoother, even_motion_is_exact) {
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
TEST(Smoother, velocity_serves_without_position) {
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

TEST(Smoother, gaps_are_not_measured) {
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

TEST(Smoother, outliers_are_left_out_and_counted) {
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

TEST(Smoother, a_sigma_that_is_stated_too_small_shows) {
  const Motion motion = wavy_motion(15);
  Measurements m = pool(motion, 4);
  m.depth[0].sigma *= 0.1;
  SmootherOptions options;
  options.jerk = 0.2;
  const Smoothed smoothed = smooth(m, options);
  EXPECT_EQ(smoothed.counts[3].outliers, 0U);
  EXPECT_EQ(smoothed.counts[3].used, m.depth[0].t.size());
  EXPECT_GT(smoothed.counts[3].innovation_rms, 3);
}

TEST(Smoother, windows_do_not_change_the_outcome) {
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

std::string refusal(const Measurements& m, const SmootherOptions& options = {}) {
  try {
    smooth(m, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Smoother, refuses_what_it_cannot_smooth) {
  const Measurements good = pool(wavy_motion(5), 1);
  Measurements m = good;
  std::swap(m.depth[0].t[7], m.depth[0].t[8]);
  EXPECT_NE(refusal(m).find("depth 0[8] t = 0.36 comes after t = 0.41"), std::string::npos) << refusal(m);
  m = good;
  m.attitude.clear();
  EXPECT_NE(refusal(m).find("attitude has no samples to smooth"), std::string::npos) << refusal(m);
  m = good;
  m.position.clear();
  EXPECT_NE(refusal(m).find("position nothing measures position or velocity"), std::string::npos) << refusal(m);
  m = good;
  for (double& t : m.position[0].t) t += 100;
  EXPECT_NE(refusal(m).find("are the clocks the same?"), std::string::npos) << refusal(m);
  m = good;
  m.rate.resize(3, m.rate[0]);
  EXPECT_NE(refusal(m).find("rate has 3 series, at most 2"), std::string::npos) << refusal(m);
  m = good;
  m.position[0].sigma[1] = 0;
  EXPECT_NE(refusal(m).find("position 0.sigma = 0, must be > 0"), std::string::npos) << refusal(m);
  m = good;
  m.position[0].t.resize(2);
  m.position[0].values = good.position[0].values.leftCols(2).eval();
  m.depth.clear();
  EXPECT_NE(refusal(m).find("6 numbers measured, at least 9 are needed"), std::string::npos) << refusal(m);
  m = good;
  m.attitude[0].values.setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_NE(refusal(m).find("attitude has no samples to smooth"), std::string::npos) << refusal(m);
  SmootherOptions options;
  options.dt = 0;
  EXPECT_NE(refusal(good, options).find("smoother.dt = 0, must be > 0"), std::string::npos);
}

}  // namespace
}  // namespace fathom::filter
