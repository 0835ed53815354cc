#include "fathom/base/gaussian_taps.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace fathom::gaussian_taps_test {
namespace {

/// A series of samples around zero, through the taps.
double sum(const Eigen::VectorXd& weights, double dt, double (*series)(double)) {
  const Eigen::Index reach = weights.size() / 2;
  double out = 0;
  for (Eigen::Index k = 0; k < weights.size(); ++k)
    out += weights[k] * series(static_cast<double>(k - reach) * dt);
  return out;
}

TEST(GaussianTaps, AreExactOnConstantsAndLines) {
  for (const double offset : {0.0, 0.013}) {
    const GaussianTaps taps(0.4, 0.05, 32, offset);
    EXPECT_NEAR(sum(taps.value, 0.05, [](double) { return 1.0; }), 1, 1e-15);
    EXPECT_NEAR(sum(taps.rate, 0.05, [](double) { return 1.0; }), 0, 1e-15);
    EXPECT_NEAR(sum(taps.rate, 0.05, [](double t) { return t; }), 1, 1e-14);
  }
  EXPECT_NEAR(sum(GaussianTaps(0.4, 0.05, 32).value, 0.05, [](double t) { return t; }), 0, 1e-16);
}

TEST(GaussianTaps, DampASineByTheWindowsTransform) {
  constexpr double sigma = 0.4, omega = 3, offset = 0.021;
  const GaussianTaps taps(sigma, 0.02, 120, offset);  // six sigmas
  const double gain = std::exp(-0.5 * std::pow(omega * sigma, 2));
  const auto sine = [](double t) { return std::sin(3 * t + 0.2); };
  EXPECT_NEAR(sum(taps.value, 0.02, sine), gain * std::sin(omega * offset + 0.2), 1e-8);
  EXPECT_NEAR(sum(taps.rate, 0.02, sine), gain * omega * std::cos(omega * offset + 0.2), 1e-6);
}

}  // namespace
}  // namespace fathom::gaussian_taps_test
