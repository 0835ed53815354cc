// Constant errors of sensors: what a log shows of them is found with an honest sigma, and is not in the track.
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/filter/test/motion.hpp"
#include "fathom/filter/track.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::filter::constant_errors_test {
namespace {

using namespace testing;

constexpr double gravity = 9.81;

/// A torpedo at 1.7 m/s that turns, dives and rolls a little; `sway` and `heave` are amplitudes [m/s].
Motion cruise(double duration, double sway, double heave) {
  Motion m = wavy_motion(duration);
  Quat q = Quat::Identity();
  Vec3 p = Vec3::Zero();
  const double h = Motion::h;
  const auto v_b = [&](double t) {
    return Vec3(1.7 + 0.2 * std::sin(0.05 * t), sway * std::sin(0.31 * t), heave * std::sin(0.43 * t));
  };
  const auto omega_b = [](double t) {
    return Vec3(0.03 * std::cos(0.9 * t), 0.05 * std::cos(0.37 * t), 0.2 * std::sin(0.11 * t));
  };
  for (Eigen::Index i = 0; i < m.size(); ++i) {
    const double t = h * static_cast<double>(i);
    m.q_nb[static_cast<std::size_t>(i)] = q;
    m.v_n.col(i) = q * v_b(t);
    m.omega_b.col(i) = omega_b(t);
    m.alpha_b.col(i) = (omega_b(t + h / 2) - omega_b(t - h / 2)) / h;
    m.a_n.col(i) = q * Vec3((v_b(t + h / 2) - v_b(t - h / 2)) / h + omega_b(t).cross(v_b(t)));
    m.p_n.col(i) = p;
    const Quat half = q * exp_rotation(h / 2 * omega_b(t + h / 4));
    p += h * (half * v_b(t + h / 2));
    q = (q * exp_rotation(h * omega_b(t + h / 2))).normalized();
  }
  return m;
}

/// An AHRS that is off by e about its own axes and by `heading` about the vertical.
Readings off(Readings attitude, const Vec3& e, double heading) {
  for (Eigen::Index k = 0; k < attitude.values.cols(); ++k) {
    const Eigen::Vector4d q = attitude.values.col(k);
    const Quat wrong = exp_rotation(Vec3(0, 0, heading)) * Quat(q[0], q[1], q[2], q[3]) * exp_rotation(e);
    attitude.values.col(k) << wrong.w(), wrong.vec();
  }
  return attitude;
}

constexpr double prior = 1 * degree;

Readings stated(Readings attitude) {
  attitude.bias_covariance = Vec3(prior * prior, prior * prior, 0).asDiagonal();
  attitude.heading_bias_sigma = prior;
  return attitude;
}

/// AHRS 20 Hz, DVL 5 Hz and depth 10 Hz.
Measurements auv(const Motion& motion, const Vec3& e, double heading, std::uint64_t seed) {
  Measurements m;
  m.attitude.push_back(stated(off(attitudes(motion, 20, 0, Vec3::Constant(0.005), seed), e, heading)));
  m.velocity.push_back(velocities(motion, 5, 0.01, 0.006, Vec3(0.3, 0, 0.1), seed + 1));
  m.depth.push_back(depths(motion, 10, 0, 0.004, Vec3(0.5, 0, -0.1), seed + 2));
  return m;
}

Readings forces(const Motion& motion, double rate_hz, const Vec3& bias_b, std::uint64_t seed) {
  Readings r = sampled(
      motion, rate_hz, 0, Vec3::Constant(0.05),
      [&](const Motion& m, Eigen::Index i) {
        const Quat& q_nb = m.q_nb[static_cast<std::size_t>(i)];
        return Eigen::VectorXd(q_nb.conjugate() * Vec3(m.a_n.col(i) - Vec3(0, 0, gravity)) + bias_b);
      },
      seed);
  r.bias_covariance = 0.03 * 0.03 * Mat3::Identity();
  return r;
}

Vec6 mean_error(const Smoothed& smoothed, const Motion& motion) {
  Vec6 sum = Vec6::Zero();
  for (Eigen::Index k = 0; k < smoothed.track.size(); ++k)
    sum += smoothed.track.nu_b.col(k) - twist_at(motion, smoothed.track.t(k));
  return sum / static_cast<double>(smoothed.track.size());
}

const ConstantError& of(const Smoothed& smoothed, const std::string& series) {
  for (const ConstantError& error : smoothed.constant_errors)
    if (error.series == series) return error;
  throw std::logic_error("no error of " + series);
}

TEST(ConstantErrors, APitchErrorOfACruiseIsNotInItsHeave) {
  const Motion motion = cruise(60, 0, 0);
  const Measurements m = auv(motion, Vec3(0, 0.5 * degree, 0), 0, 1);
  const Smoothed smoothed = smooth(m);
  EXPECT_LT(std::abs(mean_error(smoothed, motion)[2]), 0.003);
  const ConstantError& found = of(smoothed, "attitude 0");
  EXPECT_NEAR(found.value[1], 0.5 * degree, 4 * found.sigma[1]);
  EXPECT_LT(found.sigma[1], 0.1 * prior);
  EXPECT_LT(smoothed.attitude_error_sigma_b[1], 0.1 * prior);
  // Nobody says that the AHRS may be off: then depth and DVL share the difference, as ever.
  EXPECT_GT(std::abs(mean_error(smooth(without({}, m)), motion)[2]), 0.005);
}

TEST(ConstantErrors, WhatALogDoesNotShowStaysAtItsPrior) {
  // Without sway the roll error moves no velocity, and nothing shows where north is.
  for (const double duration : {60.0, 240.0}) {
    const Motion motion = cruise(duration, 0, 0);
    Measurements m = auv(motion, Vec3(0.7 * degree, 0, 0), 0.8 * degree, 2);
    // With levers, a turn of the vehicle would show a little of it.
    m.velocity[0] = velocities(motion, 5, 0.01, 0.006, Vec3::Zero(), 3);
    m.depth[0] = depths(motion, 10, 0, 0.004, Vec3::Zero(), 4);
    const Smoothed smoothed = smooth(m);
    const ConstantError& found = of(smoothed, "attitude 0");
    EXPECT_GT(found.sigma[0], 0.9 * prior) << duration;
    EXPECT_NEAR(found.sigma[3], prior, 1e-12) << duration;
    EXPECT_NEAR(found.value[3], 0, 1e-12) << duration;
    EXPECT_GT(smoothed.attitude_error_sigma_b[0], 0.9 * prior) << duration;
  }
}

TEST(ConstantErrors, SpecificForceShowsRollUpToItsOwnBias) {
  const Motion motion = cruise(60, 0, 0);
  const Vec3 bias_b(0.02, -0.03, 0.04), e(1.2 * degree, -0.6 * degree, 0);
  Measurements m = auv(motion, e, 0, 3);
  m.force.push_back(forces(motion, 50, bias_b, 7));
  const ConstantError found = of(smooth(m), "attitude 0");
  EXPECT_NEAR(found.value[0], e[0], 2 * found.sigma[0]);
  EXPECT_LT(found.sigma[0], 0.3 * prior);
  EXPECT_GT(found.sigma[0], 0.001);  // an accelerometer's bias looks like roll
  EXPECT_NEAR(found.value[1], e[1], 4 * found.sigma[1]);
}

TEST(ConstantErrors, FixesShowHeadingAndDepthBias) {
  const Motion motion = cruise(60, 0.1, 0.1);
  Measurements m = auv(motion, Vec3::Zero(), -0.9 * degree, 4);
  m.position.push_back(positions(motion, 2, 0, 0.05, Vec3::Zero(), 9));
  m.depth[0].values.array() += 0.06;
  m.depth[0].bias_covariance = Eigen::MatrixXd::Constant(1, 1, 0.1 * 0.1);
  const Smoothed smoothed = smooth(m);
  const ConstantError &attitude = of(smoothed, "attitude 0"), &depth = of(smoothed, "depth 0");
  EXPECT_NEAR(attitude.value[3], -0.9 * degree, 4 * attitude.sigma[3]);
  EXPECT_LT(attitude.sigma[3], 0.2 * prior);
  EXPECT_NEAR(depth.value[0], 0.06, 4 * depth.sigma[0]);
  EXPECT_LT(depth.sigma[0], 0.02);
  for (const Smoothed::Count& count : smoothed.counts) EXPECT_LT(count.innovation_rms, 1.1) << count.name;
}

TEST(ConstantErrors, AGyroBesideAnAhrsThatIsOffHasNoOutliers) {
  const Motion motion = wavy_motion(40);
  Measurements m;
  const Vec3 e(2 * degree, -2 * degree, 0);
  m.attitude.push_back(stated(off(attitudes(motion, 50, 0, Vec3::Constant(0.005), 5), e, 0)));
  m.rate.push_back(rates(motion, 50, 0, 0.003, Vec3(0.02, -0.01, 0.03), 6));
  m.velocity.push_back(velocities(motion, 10, 0, 0.006, Vec3::Zero(), 7));
  const auto worst = [](const Smoothed& smoothed) {
    double rms = 0;
    for (const Smoothed::Count& count : smoothed.counts) rms = std::max(rms, count.innovation_rms);
    return rms;
  };
  EXPECT_GT(worst(smooth(without({}, m))), 1.5);
  const Smoothed smoothed = smooth(m);
  EXPECT_LT(worst(smoothed), 1.1);
  const ConstantError& found = of(smoothed, "attitude 0");
  for (int axis = 0; axis < 2; ++axis) EXPECT_NEAR(found.value[axis], e[axis], 4 * found.sigma[axis]);
  // A gyro that may itself be askew shows the sum of both.
  m.rate[0].bias_covariance = prior * prior * Mat3::Identity();
  const Smoothed shared = smooth(m);
  EXPECT_LT(worst(shared), 1.1);
  const Eigen::VectorXd sum = of(shared, "attitude 0").value.head(2) + of(shared, "rate 0").value.head(2);
  for (int axis = 0; axis < 2; ++axis) EXPECT_NEAR(sum[axis], e[axis], 0.002);
  EXPECT_GT(of(shared, "attitude 0").sigma[0], 0.3 * prior);
}

const Relation& relation_of(const Smoothed& smoothed, const std::vector<std::string>& series) {
  for (const Relation& relation : smoothed.relations)
    if (relation.series == series) return relation;
  throw std::logic_error("no such relation");
}

TEST(ConstantErrors, ARelationWithManyOutliersIsLeftOutAndNamed) {
  const Motion motion = cruise(60, 0, 0);
  Measurements m = auv(motion, Vec3(0, 0.5 * degree, 0), 0, 1);
  const std::vector<std::string> series{"velocity 0", "depth 0"};
  const Relation sound = relation_of(smooth(m), series);
  EXPECT_FALSE(sound.has_too_many_outliers);
  EXPECT_GT(sound.used, 200u);
  RandomStream random(1, "depth with another noise than stated");
  for (double& depth : m.depth[0].values.reshaped()) depth += 0.1 * random.normal();
  const Relation noisy = relation_of(smooth(m), series);
  EXPECT_TRUE(noisy.has_too_many_outliers);
  EXPECT_GT(noisy.outliers, noisy.used / 4);
}

TEST(ConstantErrors, ABadCovarianceIsNamedByItsSeries) {
  Measurements m = auv(cruise(10, 0, 0), Vec3::Zero(), 0, 1);
  m.velocity[0].bias_covariance = Eigen::MatrixXd::Identity(2, 2);
  EXPECT_EQ(test::error_text([&] { smooth(m); }).rfind("velocity 0.bias_covariance", 0), 0u);
}

/// Errors in their sigmas over many logs with errors drawn from the prior.
TEST(ConstantErrorsLong, SigmasAreThoseOfTheErrors) {
  const Motion motion = cruise(60, 0.15, 0.1);
  Eigen::Vector4d squares = Eigen::Vector4d::Zero();
  constexpr int logs = 40;
  for (std::uint64_t seed = 0; seed < logs; ++seed) {
    RandomStream random(seed, "errors");
    const Vec3 e(prior * random.normal(), prior * random.normal(), 0);
    const double heading = prior * random.normal(), velocity = 0.005 * random.normal();
    Measurements m = auv(motion, e, heading, 100 + 10 * seed);
    m.position.push_back(positions(motion, 2, 0, 0.1, Vec3::Zero(), 105 + 10 * seed));
    m.velocity[0].values.row(2).array() += velocity;
    m.velocity[0].bias_covariance = 0.005 * 0.005 * Mat3::Identity();
    SmootherOptions options;
    options.jerk = options.angular_jerk = 0.1;
    const Smoothed smoothed = smooth(m, options);
    const ConstantError& found = of(smoothed, "attitude 0");
    const Eigen::Vector4d truth(e[0], e[1], heading, velocity);
    Eigen::Vector4d value, sigma;
    value << found.value[0], found.value[1], found.value[3], of(smoothed, "velocity 0").value[2];
    sigma << found.sigma[0], found.sigma[1], found.sigma[3], of(smoothed, "velocity 0").sigma[2];
    squares.array() += ((value - truth).array() / sigma.array()).square();
  }
  // chi-square of 40: 99.9 % within .45 and 1.84 of its mean
  for (const double mean : Eigen::Vector4d(squares / logs)) {
    EXPECT_GT(mean, 0.35);  // sigmas grow with what residuals remember, never shrink
    EXPECT_LT(mean, 1.84);
  }
}

}  // namespace
}  // namespace fathom::filter::constant_errors_test
