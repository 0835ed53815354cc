// Least squares under matrix inequalities where it is hard: random, degenerate, badly scaled, infeasible.
#include <limits>

#include "fathom/base/test/error_text.hpp"
#include "fathom/solve/test/conic_problems.hpp"

namespace fathom::solve::conic_hard_test {
namespace {

using namespace test;
using fathom::test::error_text;

TEST(ConicHard, RandomProblemsWithTheirCertificates) {
  long active = 0;
  for (int seed = 0; seed < 60; ++seed) {
    const ConicProblem problem = random_problem(seed);
    ConicSolver solver(problem.set);
    const ConicResult& result = solver.solve(problem.objective);
    SCOPED_TRACE(seed);
    expect_solved(problem.set, problem.objective, result);
    EXPECT_LE(result.stationarity, 1e-4);
    EXPECT_LE(result.complementarity, 1e-7);
    EXPECT_LT(result.iterations, 30);
    active += std::count(result.matrix_active.begin(), result.matrix_active.end(), true);
  }
  EXPECT_GT(active, 60);
}

/// No point between x and others of the set is better by more than the gap: the bound is one of all points.
TEST(ConicHard, NothingFeasibleIsBetterByMoreThanTheGap) {
  for (const double huber : {std::numeric_limits<double>::infinity(), 5.0, 0.5}) {
    RandomStream random(1, "better");
    for (int seed = 0; seed < 15; ++seed) {
      ConicProblem problem = random_problem(seed);
      problem.objective.huber = huber;
      ConicSolver exact(problem.set, {1e-9}), rough(problem.set, {1e-2});
      const ConicResult &best = exact.solve(problem.objective), &result = rough.solve(problem.objective);
      ASSERT_EQ(best.status, ConicStatus::solved);
      ASSERT_EQ(result.status, ConicStatus::solved);
      EXPECT_LE(result.f - best.f, result.gap) << seed << ", Huber " << huber;
      EXPECT_LE(best.f - result.f, best.gap) << seed << ", Huber " << huber;
      EXPECT_GT(result.gap, 10 * best.gap);
    }
  }
}

TEST(ConicHard, HuberBeyondTheResidualIsTheParabola) {
  for (int seed = 0; seed < 10; ++seed) {
    ConicProblem problem = random_problem(seed);
    ConicSolver solver(problem.set, {1e-9});
    const double f = solver.solve(problem.objective).f;
    problem.objective.huber = 1.01 * std::sqrt(f);
    EXPECT_NEAR(solver.solve(problem.objective).f, f, 1e-8 * f);
    // Below it, the least norm is at the same x, as norm and square are least together.
    const double rho = problem.objective.huber = 0.1 * std::sqrt(f);
    const ConicResult& bent = solver.solve(problem.objective);
    expect_solved(problem.set, problem.objective, bent);
    EXPECT_NEAR(bent.f, 2 * rho * std::sqrt(f) - rho * rho, 1e-7 * f);
  }
}

/// Huber of the norm with a prior, in one dimension: by Newton's equation by hand.
TEST(ConicHard, HuberWithAPrior) {
  ConicObjective objective;  // x^2 + 2 rho |x - 10| - rho^2, rho = 2: x = rho
  objective.G.setOnes(1, 1);
  objective.b.setConstant(1, 10);
  objective.c = 100;
  objective.Q.setOnes(1, 1);
  objective.huber = 2;
  ConicSolver solver({1, {}, {{"x <= 5", 5, {{0, -1}}}}}, {1e-12});
  const ConicResult& result = solver.solve(objective);
  expect_solved(solver.set(), objective, result, 1e-12);
  EXPECT_NEAR(result.x[0], 2, 1e-5);
  EXPECT_NEAR(result.f, 4 + 2 * 2 * 8 - 4, 1e-9);
  EXPECT_FALSE(result.scalar_active[0]);
}

TEST(ConicHard, RankDeficientWithAPrior) {
  RandomStream random(1, "rank");
  const MatrixXd root = random_matrix(random, 4, 4);
  const VectorXd truth = upper_of(root * root.transpose());
  ConicObjective objective = regression(random, -truth, 3, 0.1);
  objective.Q = 1e-4 * MatrixXd::Identity(10, 10);
  objective.x0 = truth;
  ConicSolver solver({10, {full_matrix(0, MatrixXd::Zero(4, 4))}, {}});
  expect_solved(solver.set(), objective, solver.solve(objective));
}

TEST(ConicHard, RankDeficientButHeldByInequalities) {
  RandomStream random(2, "rank");
  ConicObjective objective = regression(random, Eigen::Vector3d(1, -1, 2), 2, 0);
  ConicSet set{3, {}, {}};
  for (int i = 0; i < 3; ++i)
    set.scalars.push_back({"", 4, {{i, 1}}}), set.scalars.push_back({"", 4, {{i, -1}}});
  ConicSolver solver(set);
  const ConicResult& result = solver.solve(objective);
  EXPECT_EQ(result.status, ConicStatus::solved);
  EXPECT_LT(value(objective, result.x), 1e-12 * objective.c);
}

TEST(ConicHard, OptimumAtTheTipOfTheCone) {
  ConicObjective objective;
  objective.G.setIdentity(6, 6);
  objective.b = upper_of(-Eigen::Matrix3d::Identity());
  objective.c = 3;
  ConicSolver solver({6, {full_matrix(0, MatrixXd::Zero(3, 3))}, {}}, {1e-10});
  const ConicResult& result = solver.solve(objective);
  expect_solved(solver.set(), objective, result, 1e-10);
  EXPECT_NEAR(result.f, 3, 1e-9);
  EXPECT_LT(result.x.norm(), 1e-6);
}

TEST(ConicHard, InequalitiesTwiceAndResidualsOfZero) {
  RandomStream random(1, "twice");
  const MatrixXd root = random_matrix(random, 3, 3);
  for (const MatrixXd& truth :
       {MatrixXd(root * root.transpose()), MatrixXd(root.col(0) * root.col(0).transpose())}) {
    const MatrixInequality cone = full_matrix(0, MatrixXd::Zero(3, 3));
    const ScalarInequality bound{"", 0, {{0, 1}}};
    const ConicObjective objective = regression(random, upper_of(truth), 20, 0);
    ConicSolver solver({6, {cone, cone}, {bound, bound}});
    const ConicResult& result = solver.solve(objective);
    expect_solved(solver.set(), objective, result);
    EXPECT_LT((result.x - upper_of(truth)).norm(), 1e-5);
  }
}

TEST(ConicHard, UnitsDoNotMatter) {
  for (int seed = 0; seed < 10; ++seed) {
    const ConicProblem problem = random_problem(seed);
    ConicSolver solver(problem.set, {1e-9});
    const ConicResult& result = solver.solve(problem.objective);
    ConicProblem scaled = problem;  // x_i in units of unit_i, rows of matrices in theirs
    VectorXd unit(problem.set.unknowns);
    for (Eigen::Index i = 0; i < unit.size(); ++i) unit[i] = std::pow(10.0, (i * 5) % 9 - 4);
    const auto row_unit = [](int row) { return std::pow(10.0, row % 3); };
    scaled.objective.G = unit.asDiagonal() * problem.objective.G * unit.asDiagonal();
    scaled.objective.b = unit.cwiseProduct(problem.objective.b);
    for (MatrixInequality& matrix : scaled.set.matrices) {
      for (auto& e : matrix.entries) e.value *= unit[e.unknown] * row_unit(e.row) * row_unit(e.column);
      for (int i = 0; i < matrix.constant.rows(); ++i)
        for (int j = 0; j < matrix.constant.rows(); ++j) matrix.constant(i, j) *= row_unit(i) * row_unit(j);
    }
    for (ScalarInequality& scalar : scaled.set.scalars)
      for (auto& e : scalar.entries) e.value *= unit[e.unknown];
    ConicSolver other(scaled.set, {1e-9});
    const ConicResult& same = other.solve(scaled.objective);
    expect_solved(scaled.set, scaled.objective, same, 1e-9);
    EXPECT_NEAR(same.f, result.f, 2e-9 * result.f);
    EXPECT_LE(same.iterations, result.iterations + 6);
    EXPECT_EQ(same.matrix_active, result.matrix_active);
  }
}

TEST(ConicHard, OrderDoesNotMatter) {
  for (int seed = 0; seed < 10; ++seed) {
    const ConicProblem problem = random_problem(seed);
    const int n = problem.set.unknowns;
    ConicProblem turned = problem;
    const auto place = [n](int i) { return n - 1 - i; };
    turned.objective.G = problem.objective.G.reverse();
    turned.objective.b = problem.objective.b.reverse();
    for (MatrixInequality& matrix : turned.set.matrices)
      for (auto& e : matrix.entries) e.unknown = place(e.unknown);
    for (ScalarInequality& scalar : turned.set.scalars)
      for (auto& e : scalar.entries) e.unknown = place(e.unknown);
    std::reverse(turned.set.matrices.begin(), turned.set.matrices.end());
    ConicSolver a(problem.set), b(turned.set);
    const ConicResult &one = a.solve(problem.objective), &two = b.solve(turned.objective);
    EXPECT_NEAR(one.f, two.f, std::max(one.gap, two.gap));
    EXPECT_NEAR(one.iterations, two.iterations, 2);
  }
}

TEST(ConicHard, WarmStartSavesIterations) {
  RandomStream random(1, "warm");
  const MatrixXd root = random_matrix(random, 6, 6);
  const VectorXd truth = upper_of(root.leftCols(4) * root.leftCols(4).transpose());
  ConicSolver solver({21, {full_matrix(0, MatrixXd::Zero(6, 6))}, {}});
  int cold = 0, warm = 0;
  VectorXd last;
  for (int k = 0; k < 20; ++k) {
    const ConicObjective objective = regression(random, truth, 80, 0.3);
    cold += solver.solve(objective).iterations;
    const double f = solver.solve(objective).f;
    if (k > 0) {
      const ConicResult& result = solver.solve(objective, last);
      expect_solved(solver.set(), objective, result);
      EXPECT_NEAR(result.f, f, 2e-7 * f);
      warm += result.iterations;
    }
    last = solver.solve(objective).x;
  }
  EXPECT_LT(warm, 0.8 * cold);
}

TEST(ConicHard, WarmStartFromAPointOutside) {
  const ConicProblem problem = random_problem(7);
  ConicSolver solver(problem.set);
  const double f = solver.solve(problem.objective).f;
  const ConicResult& result = solver.solve(problem.objective, VectorXd::Constant(problem.set.unknowns, 1e6));
  expect_solved(problem.set, problem.objective, result);
  EXPECT_NEAR(result.f, f, 2e-7 * f);
}

/// f in units so small that the start is good enough: flags come from where it stands.
TEST(ConicHard, ActiveInequalitiesAreToldWithoutAnIteration) {
  constexpr double unit = 1e-14;
  ConicObjective objective;
  objective.G = unit * MatrixXd::Identity(3, 3);
  objective.b = unit * Eigen::Vector3d(3, -2, 4);
  objective.c = unit * 30;
  const ConicSet set{3, {}, {{"x <= 1", 1, {{0, -1}}}, {"y >= -5", 5, {{1, 1}}}, {"z <= 2", 2, {{2, -1}}}}};
  ConicSolver solver(set);
  const ConicResult& result = solver.solve(objective, Eigen::Vector3d(1, -2, 2));  // the optimum
  EXPECT_EQ(result.status, ConicStatus::solved);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(result.scalar_active, (std::vector<bool>{true, false, true}));
}

ConicSet box(int unknowns) {
  ConicSet set{unknowns, {}, {}};
  for (int i = 0; i < unknowns; ++i)
    for (const double side : {1, -1}) set.scalars.push_back({"box", 1, {{i, side}}});
  return set;
}

TEST(ConicHard, CurvatureBelowZeroIsRefused) {
  const std::vector<MatrixXd> matrices = {
      Eigen::Matrix2d{{1, 2}, {2, 1}},                       // f = 1 at 0, but -1 in a corner of the box
      Eigen::Matrix2d{{0, 1}, {1, 0}},                       // no pivot at all
      Eigen::Matrix3d{{1, 1, 0}, {1, 1, 0.5}, {0, 0.5, 1}},  // a pivot of zero, others above
      Eigen::Matrix2d{{1, 1 + 1e-8}, {1 + 1e-8, 1}},
  };
  for (const MatrixXd& G : matrices)
    for (const double unit : {1e-6, 1.0, 1e6}) {
      const auto n = static_cast<int>(G.rows());
      ConicObjective objective;
      objective.G = unit * G;
      objective.b.setZero(n);
      objective.c = 1;
      ConicSolver solver(box(n));
      EXPECT_EQ(
          error_text([&] { solver.solve(objective); }),
          "G has a direction of negative curvature, must be positive semi-definite (A'A is; what is taken "
          "out of it must leave it so)");
      EXPECT_NE(error_text([&] { solver.solve(objective, VectorXd::Zero(n)); }).find("negative curvature"),
                std::string::npos);
      objective.Q = 2 * unit * MatrixXd::Identity(n, n);  // makes it good
      EXPECT_EQ(solver.solve(objective).status, ConicStatus::solved);
    }
}

/// Columns that depend on each other exactly, and nearly, in any units: rounding is no negative curvature.
TEST(ConicHard, SingularGramMatricesAreNotRefused) {
  RandomStream random(1, "singular");
  for (int trial = 0; trial < 100; ++trial) {
    MatrixXd A = random_matrix(random, 40, 8);
    A.col(3) = A.col(0) + std::pow(10.0, -1 - trial % 12) * A.col(1);
    A.col(6) = A.col(0) - 2 * A.col(3) + 1e-3 * A.col(5);
    A.col(7).setZero();
    for (int j = 0; j < 8; ++j) A.col(j) *= std::pow(10.0, random.uniform(-4, 4));
    ConicObjective objective;
    objective.G = A.transpose() * A;
    const VectorXd y = random_matrix(random, 40, 1);
    objective.b = A.transpose() * y;
    objective.c = y.squaredNorm();
    ConicSolver solver(box(8));
    EXPECT_NO_THROW(solver.solve(objective)) << trial;
  }
}

TEST(ConicHard, IterationLimitLeavesAFeasiblePointAndItsGap) {
  const ConicProblem problem = random_problem(3);
  ConicSolver exact(problem.set), short_one(problem.set, {1e-7, 1e-12, 4});
  const double f = exact.solve(problem.objective).f;
  const ConicResult& result = short_one.solve(problem.objective);
  EXPECT_EQ(result.status, ConicStatus::iteration_limit);
  EXPECT_EQ(result.iterations, 4);
  EXPECT_TRUE(std::isfinite(result.gap));
  EXPECT_LE(result.f - f, result.gap);
  for (const double margin : margins(problem.set, result.x)) EXPECT_GT(margin, 0);
}

}  // namespace
}  // namespace fathom::solve::conic_hard_test
