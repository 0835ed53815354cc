// Least squares under matrix inequalities against closed forms.
#include <limits>

#include <Eigen/Cholesky>

#include "fathom/base/error.hpp"
#include "fathom/solve/test/conic_problems.hpp"

namespace fathom::solve::conic_test {
namespace {

using namespace test;

/// |X - target|^2 (Frobenius) over the upper triangle of X.
ConicObjective distance_to(const MatrixXd& target) {
  ConicObjective objective;
  const VectorXd x = upper_of(target);
  objective.G.setZero(x.size(), x.size());
  int k = 0;
  for (int j = 0; j < target.rows(); ++j)
    for (int i = 0; i <= j; ++i, ++k) objective.G(k, k) = i == j ? 1 : 2;
  objective.b = objective.G * x;
  objective.c = target.squaredNorm();
  return objective;
}

TEST(Conic, NearestPositiveMatrixHasItsNegativeEigenvaluesClipped) {
  RandomStream random(1, "clip");
  for (int m = 1; m <= 12; ++m) {
    const MatrixXd A = random_matrix(random, m, m), target = A + A.transpose();
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(target);
    const VectorXd positive = eigen.eigenvalues().cwiseMax(0), negative = eigen.eigenvalues().cwiseMin(0);
    const MatrixXd nearest = eigen.eigenvectors() * positive.asDiagonal() * eigen.eigenvectors().transpose();
    ConicSolver solver({m * (m + 1) / 2, {full_matrix(0, MatrixXd::Zero(m, m))}, {}}, {1e-10});
    const ConicObjective objective = distance_to(target);
    const ConicResult& result = solver.solve(objective);
    expect_solved(solver.set(), objective, result, 1e-10);
    EXPECT_NEAR(result.f, negative.squaredNorm(), 1e-9 * target.squaredNorm()) << m;
    EXPECT_LT((result.x - upper_of(nearest)).norm(), 1e-4 * target.norm()) << m;
    // grad f = A*(Z) makes Z twice what was clipped off.
    EXPECT_LT((result.Z[0] - 2 * (nearest - target)).norm(), 1e-3 * target.norm()) << m;
    EXPECT_EQ(result.matrix_active[0], negative[0] < 0) << m;
  }
}

TEST(Conic, NonnegativeLeastSquaresAsByEnumeration) {
  RandomStream random(2, "nnls");
  for (int trial = 0; trial < 20; ++trial) {
    constexpr int n = 5;
    const ConicObjective objective = regression(random, random_matrix(random, n, 1), 3 * n, 0.5);
    ConicSet set{n, {}, {}};
    for (int i = 0; i < n; ++i) set.scalars.push_back({"x >= 0", 0, {{i, 1}}});
    double best = std::numeric_limits<double>::infinity();
    VectorXd x_best;
    for (int free = 0; free < 1 << n; ++free) {  // bits: unknowns that are not zero
      MatrixXd G = MatrixXd::Identity(n, n);
      VectorXd b = VectorXd::Zero(n);
      for (int i = 0; i < n; ++i) {
        if (!(free >> i & 1)) continue;
        b[i] = objective.b[i];
        for (int j = 0; j < n; ++j)
          if (free >> j & 1) G(i, j) = objective.G(i, j);
      }
      const VectorXd x = G.ldlt().solve(b);
      if (x.minCoeff() < 0 || value(objective, x) >= best) continue;
      best = value(objective, x);
      x_best = x;
    }
    ConicSolver solver(set, {1e-10});
    const ConicResult& result = solver.solve(objective);
    expect_solved(set, objective, result, 1e-10);
    EXPECT_NEAR(result.f, best, 1e-9 * best);
    EXPECT_LT((result.x - x_best).norm(), 1e-4);
    for (int i = 0; i < n; ++i)
      EXPECT_EQ(result.scalar_active[i], x_best[i] == 0) << trial << ", unknown " << i;
  }
}

TEST(Conic, BoundsClipWhereUnknownsDoNotMeet) {
  ConicObjective objective;
  objective.G = Eigen::Vector3d(1, 4, 1e-6).asDiagonal();
  const VectorXd target = Eigen::Vector3d(3, -2, 1e4);
  objective.b = objective.G * target;
  objective.c = target.dot(objective.b) + 7;
  const ConicSet set{3, {}, {{"x <= 1", 1, {{0, -1}}}, {"y >= -5", 5, {{1, 1}}}, {"z <= 2e3", 2e3, {{2, -1}}}}};
  ConicSolver solver(set, {1e-12});
  const ConicResult& result = solver.solve(objective);
  expect_solved(set, objective, result, 1e-12);
  EXPECT_NEAR(result.f, 7 + 4 + 1e-6 * 64e6, 1e-9);
  EXPECT_LT((result.x - Eigen::Vector3d(1, -2, 2e3)).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_NEAR(result.z[0], 2 * (3 - 1), 1e-5);
  EXPECT_NEAR(result.z[2], 2e-6 * 8e3, 1e-6);
  EXPECT_EQ(result.scalar_active, (std::vector<bool>{true, false, true}));
}

TEST(Conic, NoInequalityIsPlainLeastSquares) {
  RandomStream random(3, "free");
  const ConicObjective objective = regression(random, random_matrix(random, 7, 1), 20, 0.1);
  ConicSolver solver({7, {}, {}});
  const ConicResult& result = solver.solve(objective);
  EXPECT_EQ(result.status, ConicStatus::solved);
  EXPECT_LT((result.x - objective.G.llt().solve(objective.b)).norm(), 1e-12);
}

/// |v| <= t as a matrix inequality: the nearest point of a second-order cone is known.
TEST(Conic, NearestPointOfTheSecondOrderCone) {
  MatrixInequality arrow{"arrow", MatrixXd::Zero(4, 4), {}};
  for (int i = 0; i < 4; ++i) arrow.entries.push_back({0, i, i, 1});
  for (int i = 1; i < 4; ++i) arrow.entries.push_back({i, 0, i, 1});
  ConicSolver solver({4, {arrow}, {}}, {1e-11});
  const Eigen::Vector3d v(2, -1, 2);
  for (const double t : {1.0, -1.0, 5.0, -5.0}) {
    ConicObjective objective;
    objective.G.setIdentity(4, 4);
    objective.b = Eigen::Vector4d(t, v[0], v[1], v[2]);
    objective.c = objective.b.squaredNorm() + 1;
    const double a = t > 3 ? t : t < -3 ? 0 : (t + 3) / 2;  // |v| = 3
    const Eigen::Vector3d w = t > 3 ? v : Eigen::Vector3d(a / 3 * v);
    const ConicResult& result = solver.solve(objective);
    expect_solved(solver.set(), objective, result, 1e-11);
    EXPECT_NEAR(result.f, 1 + std::pow(t - a, 2) + (v - w).squaredNorm(), 1e-9) << t;
    EXPECT_LT((result.x.tail(3) - w).norm(), 1e-4) << t;
    EXPECT_EQ(result.matrix_active[0], t < 3) << t;
  }
}

TEST(Conic, MarginsAreLeastEigenvalues) {
  const ConicSet set{2, {{"a", Eigen::Matrix2d{{1, 0}, {0, 3}}, {{0, 0, 0, 2}, {1, 0, 1, 1}}}}, {}};
  const std::vector<double> least = margins(set, Eigen::Vector2d(1, 2));  // [3 2; 2 3]
  ASSERT_EQ(least.size(), 1);
  EXPECT_NEAR(least[0], 1, 1e-14);
}

std::string error_text(const ConicSet& set) {
  try {
    ConicSolver solver(set);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Conic, SetsThatDoNotFitAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_text({0, {}, {}}), "unknowns = 0, must be at least 1");
  EXPECT_EQ(error_text({1, {{"M", MatrixXd::Zero(2, 3), {}}}, {}}),
            "matrices[0] \"M\" is 2 x 3, must be square of 1 to 12 rows");
  EXPECT_EQ(error_text({1, {{"M", MatrixXd::Zero(13, 13), {}}}, {}}),
            "matrices[0] \"M\" is 13 x 13, must be square of 1 to 12 rows");
  EXPECT_EQ(error_text({1, {{"M", Eigen::Matrix2d{{1, 2}, {3, 4}}, {}}}, {}}),
            "matrices[0] \"M\" has a constant that is not symmetric");
  EXPECT_EQ(error_text({1, {{"M", MatrixXd::Zero(2, 2), {{0, 1, 0, 1}}}}, {}}),
            "matrices[0] \"M\" has an entry at (1, 0), must have 0 <= row <= column < 2");
  EXPECT_EQ(error_text({1, {}, {{"s", 0, {{1, 1}}}}}),
            "scalars[0] \"s\" has an entry of unknown 1, must be 0 to 0");
  EXPECT_EQ(error_text({1, {}, {{"s", nan, {}}}}),
            "scalars[0] \"s\" has the constant nan, must be finite (leave out bounds that are infinite)");
  EXPECT_THROW(ConicSolver({1, {}, {}}, {-1}), InputError);
}

TEST(Conic, ObjectivesThatDoNotFitAreRefused) {
  ConicSolver solver({2, {}, {}});
  ConicObjective good;
  good.G.setIdentity(2, 2);
  good.b.setZero(2);
  EXPECT_EQ(solver.solve(good).status, ConicStatus::solved);
  const auto rejects = [&](const auto& spoil) {
    ConicObjective objective = good;
    spoil(objective);
    EXPECT_THROW(solver.solve(objective), InputError);
  };
  rejects([](ConicObjective& o) { o.G.setIdentity(3, 3); });
  rejects([](ConicObjective& o) { o.G(0, 1) = 1; });
  rejects([](ConicObjective& o) { o.G(0, 0) = -1; });
  rejects([](ConicObjective& o) { o.b[1] = std::numeric_limits<double>::quiet_NaN(); });
  rejects([](ConicObjective& o) { o.c = -1; });
  rejects([](ConicObjective& o) { o.Q.setZero(1, 1); });
  rejects([](ConicObjective& o) { o.x0.setZero(3); });
  rejects([](ConicObjective& o) { o.huber = 0; });
  EXPECT_THROW(solver.solve(good, VectorXd::Zero(3)), InputError);
}

}  // namespace
}  // namespace fathom::solve::conic_test
