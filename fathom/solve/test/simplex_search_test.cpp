#include "fathom/solve/simplex_search.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

namespace fathom::solve::simplex_search_test {
namespace {

double rosenbrock(const Eigen::VectorXd& x) {
  return 100 * std::pow(x[1] - x[0] * x[0], 2) + std::pow(1 - x[0], 2);
}

double powell(const Eigen::VectorXd& x) {
  return std::pow(x[0] + 10 * x[1], 2) + 5 * std::pow(x[2] - x[3], 2) + std::pow(x[1] - 2 * x[2], 4) +
         10 * std::pow(x[0] - x[3], 4);
}

Eigen::MatrixXd valley() { return (Eigen::MatrixXd(2, 3) << -1.2, -1, -1.2, 1, 1, 1.3).finished(); }

/// SciPy 1.17.1: minimize(f, x0, method='Nelder-Mead', options=dict(initial_simplex=..., maxfev=..., xatol=...,
/// fatol=...)) gives these points after so many evaluations.
TEST(SimplexSearch, GoesTheWayOfScipy) {
  const SimplexResult early = simplex_search(rosenbrock, valley(), {.evaluations = 41});
  EXPECT_EQ(early.evaluations, 41);
  EXPECT_FALSE(early.converged);
  EXPECT_NEAR(early.x[0], -0.37126465, 1e-8);
  EXPECT_NEAR(early.x[1], 0.10721436, 1e-8);
  const SimplexResult late = simplex_search(rosenbrock, valley());
  EXPECT_EQ(late.evaluations, 199);
  EXPECT_TRUE(late.converged);
  EXPECT_NEAR(late.x[0], 1.0000038, 1e-7);
  EXPECT_NEAR(late.x[1], 1.00000899, 1e-7);
  Eigen::MatrixXd corners = Eigen::Vector4d(3, -1, 0, 1).replicate(1, 5);
  corners.rightCols(4) += 0.5 * Eigen::Matrix4d::Identity();
  const SimplexResult four = simplex_search(powell, corners, {100, 1e-6, 1e-10});
  EXPECT_NEAR(four.value, 0.0007788758419612354, 1e-9);
}

TEST(SimplexSearch, KeepsOutOfWhereValuesAreInfinite) {
  const auto wall = [](const Eigen::VectorXd& x) { return x[0] < 0.5 ? infinity : x.squaredNorm(); };
  const SimplexResult found =
      simplex_search(wall, (Eigen::MatrixXd(2, 3) << 2, 3, 2, 1, 1, 2).finished(), {2000, 1e-7, 1e-9});
  EXPECT_GE(found.x[0], 0.5);
  EXPECT_NEAR(found.x[0], 0.5, 1e-3);
  EXPECT_NEAR(found.x[1], 0, 1e-2);
}

TEST(SimplexSearch, Refuses) {
  EXPECT_THROW(simplex_search(rosenbrock, Eigen::MatrixXd::Zero(2, 2)), InputError);
  EXPECT_THROW(simplex_search(rosenbrock, valley(), {.evaluations = 3}), InputError);
  EXPECT_THROW(simplex_search([](const Eigen::VectorXd&) { return nan; }, valley()), InputError);
}

}  // namespace
}  // namespace fathom::solve::simplex_search_test
