#include "fathom/simulate/disturbance.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"

namespace fathom::simulate::disturbance_test {
namespace {

// sigma^2 exp(-lag / time), whatever the step.
TEST(Disturbance, HasTheAutocorrelationOfAFirstOrderProcess) {
  constexpr double time = 0.5;
  constexpr std::size_t n = 200000;
  for (const double dt : {0.1, 0.25}) {
    DisturbanceSpec spec{.time = time};
    spec.sigma_b << 3, 0, 1, 0.2, 0, 0.5;
    Disturbance disturbance(spec, 7, "a");
    std::vector<double> x(n);
    double z_sum = 0;
    for (double& value : x) {
      value = disturbance.wrench_b()[0] / 3;
      EXPECT_EQ(disturbance.wrench_b()[1], 0);
      z_sum += std::pow(disturbance.wrench_b()[5] / 0.5, 2);
      disturbance.advance(dt);
    }
    const std::size_t lag = static_cast<std::size_t>(std::lround(0.5 / dt));
    double variance = 0, shifted = 0;
    for (std::size_t k = 0; k + lag < n; ++k) {
      variance += x[k] * x[k];
      shifted += x[k] * x[k + lag];
    }
    const double a = std::exp(-dt / time), independent = static_cast<double>(n) * (1 - a * a) / (1 + a * a);
    const double four_sigma = 4 * std::sqrt(2 / independent);
    EXPECT_NEAR(variance / n, 1, four_sigma);
    EXPECT_NEAR(z_sum / n, 1, four_sigma);
    EXPECT_NEAR(shifted / n, std::exp(-0.5 / time), four_sigma);
  }
}

TEST(Disturbance, FollowsSeedAndPurpose) {
  DisturbanceSpec spec;
  spec.sigma_b.setOnes();
  EXPECT_EQ(Disturbance(spec, 1, "a").wrench_b(), Disturbance(spec, 1, "a").wrench_b());
  EXPECT_NE(Disturbance(spec, 1, "a").wrench_b(), Disturbance(spec, 2, "a").wrench_b());
  EXPECT_NE(Disturbance(spec, 1, "a").wrench_b(), Disturbance(spec, 1, "b").wrench_b());
}

TEST(Disturbance, RefusesWhatIsNoDeviation) {
  DisturbanceSpec spec{.time = 0};
  spec.sigma_b[4] = -1;
  try {
    check(spec);
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.findings().size(), 2u);
    EXPECT_EQ(error.findings()[0].text(), "torque[1] = -1, must be >= 0 and finite (a standard deviation)");
    EXPECT_EQ(error.findings()[1].text(), "time = 0 s, must be > 0 and finite");
  }
}

}  // namespace
}  // namespace fathom::simulate::disturbance_test
