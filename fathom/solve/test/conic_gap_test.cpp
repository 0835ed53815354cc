// The bound on f - f* far from the optimum, against eq. 26 of docs/solvers.md written out with residuals.
#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/solve/internal/conic_cost.hpp"

namespace fathom::solve::conic_gap_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_matrix(int rows, int columns, RandomStream& random) {
  MatrixXd m(rows, columns);
  for (double& x : m.reshaped()) x = random.uniform(-1, 1);
  return m;
}

/// e = A x - y and g = R (x - x0), R the root of Q.
struct Residuals {
  MatrixXd A, R;
  VectorXd y, x0;
  double huber = std::numeric_limits<double>::infinity();

  ConicObjective objective() const {
    return {A.transpose() * A, A.transpose() * y, y.dot(y), R * R, x0, huber};
  }
};

/// What eq. 26 leaves below f: of tau = 1 where nothing may bend, else of the best tau, by trisection.
double gap_by_residuals(const Residuals& problem, const VectorXd& x, const VectorXd& r,
                        double complementarity) {
  const VectorXd e = problem.A * x - problem.y, g = problem.R * (x - problem.x0);
  const double rho = problem.huber, kappa = std::min(1.0, rho / e.norm());
  const double f = g.dot(g) + (kappa < 1 ? 2 * rho * e.norm() - rho * rho : e.dot(e));
  const VectorXd p = (problem.A.transpose() * problem.A + problem.R * problem.R).lu().solve(r);
  const VectorXd v = g - 0.5 * problem.R * p, w = kappa * e - 0.5 * problem.A * p;
  const VectorXd by_multipliers = 2 * problem.R * g + 2 * kappa * problem.A.transpose() * e - r;  // A*(Z)
  EXPECT_LT((2 * problem.R * v + 2 * problem.A.transpose() * w - by_multipliers).norm(), 1e-12);
  const auto bound = [&](double tau) {
    return 2 * tau * (v.dot(g) + w.dot(e) - 0.5 * complementarity) - tau * tau * (v.dot(v) + w.dot(w));
  };
  if (std::isinf(rho)) return f - bound(1);
  double low = 0, high = rho / w.norm();
  for (int k = 0; k < 200; ++k) {
    const double third = (high - low) / 3;
    if (bound(low + third) < bound(high - third))
      low += third;
    else
      high -= third;
  }
  return f - bound(high);
}

TEST(ConicGap, IsWhatTheDualLeavesAtAnyPointAndMultipliers) {
  RandomStream random(1, "gap");
  int bent = 0;
  for (int k = 0; k < 60; ++k) {
    Residuals problem{random_matrix(9, 3, random), random_matrix(3, 3, random), 3 * random_matrix(9, 1, random),
                      random_matrix(3, 1, random)};
    problem.R = (problem.R * problem.R.transpose()).eval();
    if (k % 3 > 0) problem.huber = k % 3 == 1 ? 0.8 : 20;
    const VectorXd x = 2 * random_matrix(3, 1, random), r = random_matrix(3, 1, random);
    const double complementarity = random.uniform(0, 2);
    const ConicObjective objective = problem.objective();
    internal::ConicCost cost(VectorXd::Ones(3));
    cost.set(objective);
    cost.evaluate(x);
    VectorXd spent = r;
    const double gap = cost.gap(spent, complementarity);
    EXPECT_NEAR(gap, gap_by_residuals(problem, x, r, complementarity), 1e-9 * (1 + gap)) << k;
    bent += cost.is_bent();
  }
  EXPECT_EQ(bent, 20);
}

}  // namespace
}  // namespace fathom::solve::conic_gap_test
