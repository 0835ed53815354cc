#include "fathom/solve/runge_kutta.hpp"

#include <cmath>

#include <Eigen/Core>
#include <gtest/gtest.h>

namespace fathom::solve::runge_kutta_test {
namespace {

TEST(RungeKuttaStep, IsTheSeriesOfTheExponentialUpToOrderFour) {
  const double h = 0.25, series = 1 + h + h * h / 2 + h * h * h / 6 + h * h * h * h / 24;
  const auto growth = [](double x) { return x; };
  EXPECT_NEAR(runge_kutta_step(growth, 3.0, h), 3 * series, 1e-15);
  const auto swing = [](const Eigen::Vector2d& x) { return Eigen::Vector2d(x[1], -x[0]); };
  Eigen::Vector2d x(1, 0);
  for (int k = 0; k < 100; ++k) x = runge_kutta_step(swing, x, 0.01);
  EXPECT_LT((x - Eigen::Vector2d(std::cos(1.0), -std::sin(1.0))).norm(), 1e-10);
}

}  // namespace
}  // namespace fathom::solve::runge_kutta_test
