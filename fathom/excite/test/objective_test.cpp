// The criterion as a function of the free numbers, differentiated.
#include "fathom/excite/objective.hpp"

#include <gtest/gtest.h>

#include "fathom/base/derivative.hpp"
#include "fathom/excite/accuracy.hpp"
#include "fathom/excite/design.hpp"
#include "fathom/excite/test/problems.hpp"

namespace fathom::excite::objective_test {
namespace {

struct Case {
  std::string name;
  Problem problem;
  double mu;
};

std::vector<Case> cases() {
  std::vector<Case> all = {
      {"four", test::tank(), 0},
      {"four, Bezier", test::with_bezier(test::tank(), 12, 1), 0},
      {"four, all limits", test::board(), 1e-3},
      {"four, Bezier, all limits", test::with_bezier(test::board(), 12, 1), 1e-3},
      {"six, thrusters", test::pool(), 1e-3},
      {"six, Bezier", test::with_bezier(test::pool(), 14, 2), 0},
      {"three", test::pond(), 0},
      {"four, thruster errors", test::with_thruster_errors(test::tank()), 0},
      {"three, thruster errors", test::with_thruster_errors(test::pond()), 0},
      {"four, all limits, thruster errors", test::with_thruster_errors(test::board()), 1e-3},
      {"six, thrusters and their errors", test::with_thruster_errors(test::pool()), 1e-3}};
  all[1].problem.priors = {{"W-B", 0.1}, {"m11", 20}};
  return all;
}

TEST(PathObjective, GradientIsThatOfFiniteDifferences) {
  for (Case& one : cases())
    for (const auto criterion : {Criterion::a_optimal, Criterion::d_optimal, Criterion::condition}) {
      SCOPED_TRACE(one.name + ", criterion " + std::to_string(static_cast<int>(criterion)));
      const Designer designer(test::with_criterion(one.problem, criterion));
      PathObjective objective(designer.problem(), designer.bounds().basis);
      objective.criterion().set_power(8);
      const Eigen::VectorXd x = designer.random_path(5, 0);
      Eigen::VectorXd gradient(x.size()), unused(x.size());
      ASSERT_TRUE(std::isfinite(objective.evaluate(x, one.mu, gradient)));
      // Three directions at once, of one size: each free number takes part in all of them.
      RandomStream random(1, "directions");
      const Eigen::MatrixXd D = Eigen::MatrixXd::NullaryExpr(x.size(), 3, [&] { return random.normal(); });
      const auto along = [&](const Eigen::VectorXd& s) {
        return Eigen::VectorXd::Constant(1, objective.evaluate(x + D * s, one.mu, unused)).eval();
      };
      const auto check =
          check_derivative(along, Eigen::VectorXd::Zero(3), gradient.transpose() * D, 1e-4, 1e-6);
      EXPECT_TRUE(check.ok) << check.text();
    }
}

TEST(PathObjective, IsTheMeanSquareErrorThatTheOutlookPredicts) {
  for (const Problem& problem : {test::tank(), test::pond(), test::with_thruster_errors(test::tank())}) {
    const Designer designer(problem);
    PathObjective objective(problem, designer.bounds().basis);
    const Eigen::VectorXd x = designer.random_path(1, 0);
    Eigen::VectorXd gradient(x.size());
    const double value = objective.evaluate(x, 0, gradient);
    const ExpectedAccuracy accuracy = accuracy_of(problem, objective.samples());
    const auto n = static_cast<double>(problem.structure.size());
    EXPECT_NEAR(value, std::log(n * accuracy.error * accuracy.error), 1e-9);
  }
}

TEST(PathObjective, IsInfiniteBeyondLimitsThatAreNotLinear) {
  const Designer designer(test::board());
  PathObjective objective(designer.problem(), designer.bounds().basis);
  Eigen::VectorXd x = designer.random_path(1, 0), gradient(x.size());
  EXPECT_TRUE(objective.is_inside(x));
  x[designer.bounds().basis.size() / 2] += 3;  // metres to the north
  EXPECT_FALSE(objective.is_inside(x));
  EXPECT_EQ(objective.evaluate(x, 1e-3, gradient), std::numeric_limits<double>::infinity());
}

TEST(PathObjective, BarrierHasTheWeightMu) {
  const Designer designer(test::board());
  PathObjective objective(designer.problem(), designer.bounds().basis);
  const Eigen::VectorXd x = designer.random_path(1, 0);
  Eigen::VectorXd gradient(x.size());
  const double plain = objective.evaluate(x, 0, gradient);
  const double one = objective.evaluate(x, 1, gradient) - plain,
               two = objective.evaluate(x, 2, gradient) - plain;
  EXPECT_GT(one, 0);
  EXPECT_NEAR(two, 2 * one, 1e-9 * one);
}

}  // namespace
}  // namespace fathom::excite::objective_test
