// Inner points of matrix inequalities, proofs that there are none, and directions that lead away.
#include "fathom/solve/test/conic_problems.hpp"

namespace fathom::solve::conic_feasibility_test {
namespace {

using namespace test;

ConicObjective distance_to_zero(int n) {
  ConicObjective objective;
  objective.G.setIdentity(n, n);
  objective.b.setZero(n);
  objective.c = 1;
  return objective;
}

/// Z >= 0 of unit trace, A*(Z) = 0, <constant, Z> < 0: no x can have <S(x), Z> >= 0.
void expect_proof(const ConicSet& set, const ConicResult& result) {
  ASSERT_EQ(result.status, ConicStatus::infeasible);
  const VectorXd y = adjoint(set, result);
  double trace = result.z.sum();
  for (const MatrixXd& Z : result.Z) {
    EXPECT_GE(least_eigenvalue(Z), -1e-15);
    trace += Z.trace();
  }
  for (const double z : result.z) EXPECT_GE(z, 0);
  EXPECT_NEAR(trace, 1, 1e-12);
  EXPECT_GT(result.infeasibility, 0);
  EXPECT_NEAR(-y[set.unknowns], result.infeasibility, 1e-12);
  EXPECT_LT(y.head(set.unknowns).cwiseAbs().maxCoeff(), 1e-6 * result.infeasibility);
}

TEST(ConicFeasibility, BoundsThatCross) {
  const ConicSet set{1, {}, {{"x >= 2", -2, {{0, 1}}}, {"x <= 1", 1, {{0, -1}}}}};
  ConicSolver solver(set);
  const ConicResult& result = solver.solve(distance_to_zero(1));
  expect_proof(set, result);
  EXPECT_NEAR(result.infeasibility, 0.5, 1e-9);
}

TEST(ConicFeasibility, MatricesThatExcludeEachOther) {
  // X >= I and trace X <= 1.5, in three dimensions.
  ConicSet set{
      6, {full_matrix(0, -Eigen::Matrix3d::Identity())}, {{"trace", 1.5, {{0, -1}, {2, -1}, {5, -1}}}}};
  ConicSolver solver(set);
  expect_proof(set, solver.solve(distance_to_zero(6)));
}

TEST(ConicFeasibility, RandomSetsWithOneInequalityTooMany) {
  for (int seed = 0; seed < 20; ++seed) {
    RandomStream random(static_cast<std::uint64_t>(seed), "farkas");
    ConicProblem problem = random_problem(seed);
    ConicResult multipliers;  // a positive combination of the others is what the last one denies
    for (const MatrixInequality& matrix : problem.set.matrices) {
      const auto m = static_cast<int>(matrix.constant.rows());
      const MatrixXd root = random_matrix(random, m, m);
      multipliers.Z.emplace_back(root * root.transpose());
    }
    multipliers.z.setZero(static_cast<Eigen::Index>(problem.set.scalars.size()));
    const VectorXd y = adjoint(problem.set, multipliers);
    ScalarInequality denial{"denial", -y[problem.set.unknowns] - random.uniform(0.01, 1), {}};
    for (int i = 0; i < problem.set.unknowns; ++i) denial.entries.push_back({i, -y[i]});
    problem.set.scalars.push_back(denial);
    ConicSolver solver(problem.set);
    SCOPED_TRACE(seed);
    expect_proof(problem.set, solver.solve(problem.objective));
  }
}

/// What is named is infeasible by itself, in any units and among however many others.
TEST(ConicFeasibility, NamesThoseThatDoNotGoTogether) {
  for (int seed = 0; seed < 20; ++seed)
    for (const double unit : {1e-4, 1.0, 1e4}) {
      ConicProblem problem = random_problem(seed);
      ConicSet& set = problem.set;
      for (std::size_t k = 0; k < set.matrices.size(); ++k) set.matrices[k].name = "M" + std::to_string(k);
      for (std::size_t k = 0; k < set.scalars.size(); ++k) set.scalars[k].name = "s" + std::to_string(k);
      ConicSolver feasible(set);
      const ConicResult& inside = feasible.solve(problem.objective);
      EXPECT_TRUE(conflict(set, inside).empty());
      set.scalars.push_back({"above", -(inside.x[0] + 0.1) * unit, {{0, unit}}});
      set.scalars.push_back({"below", inside.x[0] - 0.1, {{0, -1}}});
      ConicSolver solver(set);
      const std::vector<std::string> names = conflict(set, solver.solve(problem.objective));
      const auto is_named = [&](const auto& inequality) {
        return std::find(names.begin(), names.end(), inequality.name) != names.end();
      };
      ConicSet named{set.unknowns, {}, {}};
      std::copy_if(set.matrices.begin(), set.matrices.end(), std::back_inserter(named.matrices), is_named);
      std::copy_if(set.scalars.begin(), set.scalars.end(), std::back_inserter(named.scalars), is_named);
      EXPECT_LT(named.matrices.size() + named.scalars.size(), set.matrices.size() + set.scalars.size());
      ConicSolver of_named(named);
      EXPECT_EQ(of_named.solve(problem.objective).status, ConicStatus::infeasible) << seed << ", " << unit;
    }
}

TEST(ConicFeasibility, ASetWithoutInteriorIsInfeasibleByNothing) {
  const ConicSet set{1, {}, {{"x >= 1", -1, {{0, 1}}}, {"x <= 1", 1, {{0, -1}}}}};
  ConicSolver solver(set);
  const ConicResult& result = solver.solve(distance_to_zero(1));
  EXPECT_EQ(result.status, ConicStatus::infeasible);
  EXPECT_EQ(result.infeasibility, 0);
  EXPECT_NEAR(result.z[0], 0.5, 1e-6);
  EXPECT_NEAR(result.z[1], 0.5, 1e-6);
}

TEST(ConicFeasibility, AConstantThatIsNotPositiveIsInfeasible) {
  ConicSolver solver({1, {{"constant", Eigen::Matrix2d{{1, 0}, {0, -1}}, {}}}, {}});
  const ConicResult& result = solver.solve(distance_to_zero(1));
  expect_proof(solver.set(), result);
  EXPECT_NEAR(result.infeasibility, 1, 1e-6);
}

TEST(ConicFeasibility, InnerPointsFarOffAndInNarrowSets) {
  // 1e6 <= x <= 1e6 + width
  for (const double width : {1e3, 1.0, 0.1}) {
    const ConicSet set{1, {}, {{"", -1e6, {{0, 1}}}, {"", 1e6 + width, {{0, -1}}}}};
    ConicSolver solver(set);
    const ConicObjective objective = distance_to_zero(1);
    const ConicResult& result = solver.solve(objective);
    expect_solved(set, objective, result);
    EXPECT_NEAR(result.x[0], 1e6, 1e-6 * width + 0.1) << width;
  }
}

/// A margin that is tiny beside a bound on the same unknown is no measure of that unknown.
TEST(ConicFeasibility, ATinyMarginBesideALargeBound) {
  for (const double margin : {1e-5, 1e-9, 1e-300}) {
    const ConicSet set{1, {}, {{"x >= margin", -margin, {{0, 1}}}, {"x >= 9", -9, {{0, 1}}}}};
    ConicSolver solver(set);
    const ConicResult& result = solver.solve(distance_to_zero(1));
    ASSERT_EQ(result.status, ConicStatus::solved) << margin;
    EXPECT_NEAR(result.x[0], 9, 1e-5);
  }
}

TEST(ConicFeasibility, ADirectionOfNoCostThatLeadsAway) {
  ConicObjective objective = distance_to_zero(2);
  objective.G(1, 1) = 0;
  const ScalarInequality above{"y >= 0", 0, {{1, 1}}}, below{"y <= 5", 5, {{1, -1}}};
  const ScalarInequality slanted{"y <= 5 + x", 5, {{0, 1}, {1, -1}}};
  const auto status = [&objective](std::vector<ScalarInequality> scalars) {
    ConicSolver solver({2, {}, std::move(scalars)});
    return solver.solve(objective).status;
  };
  EXPECT_EQ(status({above}), ConicStatus::unbounded);
  EXPECT_EQ(status({}), ConicStatus::unbounded);
  EXPECT_EQ(status({above, below}), ConicStatus::solved);
  EXPECT_EQ(status({above, slanted}), ConicStatus::solved);
  objective.G.setOnes();  // x + y counts: (1, -1) is free
  EXPECT_EQ(status({above, slanted}), ConicStatus::solved);
  EXPECT_EQ(status({above, {"y <= 5 - x", 5, {{0, -1}, {1, -1}}}}), ConicStatus::unbounded);
  objective.Q = 1e-6 * MatrixXd::Identity(2, 2);
  EXPECT_EQ(status({above}), ConicStatus::solved);
}

TEST(ConicFeasibility, AMatrixThatCanGrowForNothing) {
  // [x z; z y] >= 0 with x and z known: y may grow. With x + y bounded it may not.
  ConicObjective objective = distance_to_zero(3);
  objective.G(2, 2) = 0;
  objective.b << 1, 1, 0;
  ConicSet set{3, {full_matrix(0, MatrixXd::Zero(2, 2))}, {}};
  ConicSolver open(set);
  EXPECT_EQ(open.solve(objective).status, ConicStatus::unbounded);
  set.scalars.push_back({"trace", 9, {{0, -1}, {2, -1}}});
  ConicSolver closed(set);
  EXPECT_EQ(closed.solve(objective).status, ConicStatus::solved);
}

}  // namespace
}  // namespace fathom::solve::conic_feasibility_test
