#include "fathom/identify/small_fit.hpp"

#include <ceres/autodiff_cost_function.h>
#include <ceres/problem.h>
#include <gtest/gtest.h>

namespace fathom::identify::small_fit_test {
namespace {

/// The distance of (x, y) from (3, -4).
struct Distance {
  template <class T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = x[0] - 3.0;
    residual[1] = x[1] + 4.0;
    return true;
  }
};

struct Point {
  double x[2] = {1, 1};
  ceres::Problem problem;
  Point() {
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Distance, 2, 2>(new Distance), nullptr, x);
  }
};

TEST(SmallFit, FindsTheLeastSum) {
  Point point;
  const SmallFit fit = solve_small(point.problem, {});
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.cost, 0, 1e-12);
  EXPECT_NEAR(point.x[0], 3, 1e-6);
  EXPECT_NEAR(point.x[1], -4, 1e-6);
}

TEST(SmallFit, StaysWithinItsBounds) {
  Point point;
  keep_within(point.problem, point.x, 0, -infinity, 2);
  keep_within(point.problem, point.x, 1, 0, infinity);
  const SmallFit fit = solve_small(point.problem, {});
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.cost, 0.5 * (1 + 16), 1e-9) << "of the corner, the nearest point that is allowed";
  EXPECT_NEAR(point.x[0], 2, 1e-9);
  EXPECT_NEAR(point.x[1], 0, 1e-9);
}

TEST(SmallFit, SaysThatItHasNotConverged) {
  Point point;
  EXPECT_FALSE(solve_small(point.problem, {.function_tolerance = 0, .most_iterations = 1}).converged);
}

}  // namespace
}  // namespace fathom::identify::small_fit_test
