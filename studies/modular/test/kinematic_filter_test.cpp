#include "studies/modular/kinematic_filter.hpp"

#include <cmath>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "fathom/base/derivative.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"

namespace fathom::studies::kinematic_filter_test {
namespace {

const Eigen::Vector2d thesis_lever_b(0.2415, -0.165);  // Nielsen 2019, eq. 6.7

TEST(KinematicFilter, JacobianOfTheMarker) {
  Vec6 x;
  x << 1, -2, 0.7, 0.3, 0.2, -0.4;
  Eigen::Matrix<double, 3, 6> H;
  KinematicFilter::marker(x, thesis_lever_b, &H);
  const auto at = [](const Eigen::VectorXd& v) {
    return Eigen::VectorXd(KinematicFilter::marker(Vec6(v), thesis_lever_b));
  };
  const DerivativeCheck check = check_derivative(at, x, H);
  EXPECT_TRUE(check.ok) << check.text();
}

/// White acceleration as the filter assumes; 200 Hz, over several turns. Errors in their covariance are
/// chi-square of 6 per sample, innovations of 3.
TEST(KinematicFilter, IsConsistentOnSimulatedMotion) {
  constexpr double dt = 0.005;
  KinematicFilter::Options options;
  options.acceleration = Vec3(0.3, 0.3, 0.2);
  options.sigma = Vec3(0.004, 0.004, 0.008);
  options.lever_b = thesis_lever_b;
  double nees = 0, nis = 0, velocity_error = 0;
  int seen = 0, steps = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed, "kinematic");
    const auto draw = [&] {
      const double a = random.normal(), b = random.normal();
      return Vec3(a, b, random.normal());
    };
    Vec6 truth;
    truth << 0.5, -0.3, 3.0, 0.4, 0.1, 0.8;  // soon turns past pi
    const auto measured = [&] {
      Vec3 z = KinematicFilter::marker(truth, thesis_lever_b) + Vec3(options.sigma.cwiseProduct(draw()));
      z[2] = std::remainder(z[2], 2 * M_PI);
      return z;
    };
    KinematicFilter filter(measured(), options);
    for (int k = 1; k <= 1200; ++k) {
      const Vec3 push = options.acceleration.cwiseProduct(draw()) / std::sqrt(dt);
      truth.head<3>() += dt * truth.tail<3>() + dt * dt / 2 * push;
      truth.tail<3>() += dt * push;
      filter.predict(dt);
      nis += filter.correct(measured());
      ++steps;
      if (k < 200 || k % 100 != 0) continue;
      Vec6 error = filter.state() - truth;
      error[2] = std::remainder(error[2], 2 * M_PI);
      nees += error.dot(filter.covariance().inverse() * error);
      const double c = std::cos(truth[2]), s = std::sin(truth[2]);
      const Vec3 twist_b(c * truth[3] + s * truth[4], -s * truth[3] + c * truth[4], truth[5]);
      velocity_error = std::max(velocity_error, (filter.twist_b() - twist_b).norm());
      ++seen;
    }
  }
  EXPECT_NEAR(nis / steps, 3, 3.3 * std::sqrt(6.0 / steps));
  EXPECT_NEAR(nees / seen, 6, 3.3 * std::sqrt(12.0 / seen));
  EXPECT_LT(velocity_error, 0.35);
}

/// At rest, with little acceleration, the mean of n samples is what is left: sigma / sqrt(n).
TEST(KinematicFilter, BeginsWithTheCovarianceOfOneSample) {
  KinematicFilter::Options options;
  options.lever_b = Eigen::Vector2d(1, 0);
  const KinematicFilter filter(Vec3(2, 1, 0), options);
  EXPECT_NEAR(filter.pose().x(), 1, 1e-15);
  EXPECT_NEAR(filter.pose().y(), 1, 1e-15);
  EXPECT_NEAR(filter.covariance()(1, 1), 0.005 * 0.005 + 0.01 * 0.01, 1e-15);  // an arm of 1 m
  EXPECT_NEAR(filter.covariance()(1, 2), -0.01 * 0.01, 1e-15);
  options.sigma[1] = 0;
  EXPECT_THROW(KinematicFilter(Vec3::Zero(), options), InputError);
}

}  // namespace
}  // namespace fathom::studies::kinematic_filter_test
