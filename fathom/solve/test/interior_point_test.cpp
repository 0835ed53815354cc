#include "fathom/solve/interior_point.hpp"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/solve/test/objectives.hpp"

namespace fathom::solve::interior_point_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using fathom::test::error_text;
using test::infinity;
using Status = InteriorPointResult::Status;

InteriorPointOptions tight() {
  InteriorPointOptions options;
  options.mu_last = 1e-10;
  options.tolerance = 1e-7;
  options.progress = 0;
  return options;
}

/// Remembers the least margin and the number of the points that it was asked for.
struct Watched : Objective {
  Watched(Objective& f, const InteriorPoint& solver) : f_(f), solver_(solver) {}
  double evaluate(const VectorXd& x, double mu, VectorXd& gradient) override {
    ++calls;
    margin = std::min(margin, solver_.margin(x));
    return f_.evaluate(x, mu, gradient);
  }
  int calls = 0;
  double margin = infinity;

 private:
  Objective& f_;
  const InteriorPoint& solver_;
};

TEST(InteriorPoint, ConvexQuadraticsEndWhereTheirConditionsOfOptimalityHold) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const test::RandomProgram around = test::random_program(seed);
    RandomStream random(seed, "quadratic");
    test::Quadratic f = test::random_quadratic(random, 15, 15);
    InteriorPoint solver(around.program);
    Watched watched(f, solver);
    const InteriorPointResult result = solver.minimize(watched, around.inner, tight());
    EXPECT_EQ(to_string(result.status), "converged") << "seed " << seed << " " << result.reason;
    EXPECT_GT(watched.margin, 0) << "seed " << seed;
    EXPECT_EQ(watched.calls, result.evaluations);
    EXPECT_EQ(result.margin, solver.margin(result.x));
    VectorXd gradient(15);
    EXPECT_EQ(result.f, f.evaluate(result.x, 0, gradient));
    EXPECT_LT(test::distance_from_normal_cone(around.program, result.x, gradient, 1e-5), 1e-4)
        << "seed " << seed;
    EXPECT_LE(result.stationarity, 1e-7);
    EXPECT_LE(result.complementarity, 1e-7);
  }
}

TEST(InteriorPoint, KnownCurvatureOfABarrierSavesIterationsAndChangesNoAnswer) {
  constexpr Eigen::Index n = 12;
  RandomStream random(1, "discs");
  test::Discs f;
  f.targets.resize(n, 2);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double angle = random.uniform(0, 6), radius = random.uniform(1.5, 4);
    f.targets.row(i) << radius * std::cos(angle), radius * std::sin(angle);
  }
  const MatrixXd rows = MatrixXd::Identity(n, n);
  const Block box{test::sparse(rows), VectorXd::Constant(n, -2), VectorXd::Constant(n, 2)};
  const BlockProgram program{{box, box}, 1};
  InteriorPointOptions options = tight();
  options.mu_last = 1e-5;
  options.tolerance = 1e-4;
  std::array<int, 2> iterations{};
  for (const bool tells : {false, true}) {
    f.tells = tells;
    const InteriorPointResult result = InteriorPoint(program).minimize(f, VectorXd::Zero(2 * n), options);
    EXPECT_EQ(to_string(result.status), "converged") << result.reason;
    iterations[tells] = result.iterations;
    for (Eigen::Index i = 0; i < n; ++i) {
      // On the way to the target, r (1 + mu / (1 - r^2)) = |target|; the box is far and adds next to nothing.
      const double r = std::hypot(result.x[i], result.x[n + i]), target = f.targets.row(i).norm();
      EXPECT_NEAR(r * (1 + options.mu_last / (1 - r * r)), target, 1e-2 * target);
      EXPECT_NEAR(result.x[i] / r, f.targets(i, 0) / target, 1e-3);
    }
  }
  EXPECT_LT(2 * iterations[1], iterations[0]);
}

TEST(InteriorPoint, RefusesAReachOverBlocksOfDifferentSizes) {
  BlockProgram program = test::random_program(1).program;
  program.curvature_reach = 2;
  EXPECT_EQ(error_text([&] { InteriorPoint solver(program); }),
            "blocks[1] has 6 unknowns, must have 9 as blocks[0] (curvature ties blocks unknown by unknown)");
}

/// The least value over all choices of at most three sides that hold with equality.
double least_by_enumeration(const test::Quadratic& f, const test::DenseRows& all) {
  const Eigen::Index rows = all.A.rows(), n = all.A.cols();
  double least = infinity;
  std::vector<int> state(rows, 0);  // 0 neither, 1 lower, 2 upper side holds
  for (;;) {
    std::vector<Eigen::Index> active;
    for (Eigen::Index i = 0; i < rows; ++i)
      if (state[i] > 0) active.push_back(i);
    const auto m = static_cast<Eigen::Index>(active.size());
    MatrixXd K = MatrixXd::Zero(n + m, n + m);
    VectorXd right = VectorXd::Zero(n + m);
    K.topLeftCorner(n, n) = f.H;
    right.head(n) = -f.c;
    for (Eigen::Index k = 0; k < m; ++k) {
      K.block(n + k, 0, 1, n) = all.A.row(active[k]);
      K.block(0, n + k, n, 1) = all.A.row(active[k]).transpose();
      right[n + k] = (state[active[k]] == 1 ? all.lower : all.upper)[active[k]];
    }
    const VectorXd x = K.fullPivLu().solve(right).head(n), value = all.A * x;
    VectorXd gradient(n);
    if (m <= n && ((value - all.lower).array() > -1e-9).all() && ((all.upper - value).array() > -1e-9).all())
      least = std::min(least, test::Quadratic(f).evaluate(x, 0, gradient));
    Eigen::Index i = 0;
    while (i < rows && ++state[i] == 3) state[i++] = 0;
    if (i == rows) return least;
  }
}

TEST(InteriorPoint, SmallQuadraticsReachTheLeastValueOfAllActiveSets) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RandomStream random(seed, "small");
    const VectorXd inner = test::random_vector(random, 3);
    BlockProgram program{{test::block_around(random, test::random_rows(random, 6, 3, 3), inner)}};
    for (Eigen::Index i = 0; i < 6; ++i) {  // finite sides: enumeration must see all of them
      program.blocks[0].lower[i] = std::max(program.blocks[0].lower[i], -10.0);
      program.blocks[0].upper[i] = std::min(program.blocks[0].upper[i], 10.0);
    }
    test::Quadratic f = test::random_quadratic(random, 3, 3);
    const InteriorPointResult result = InteriorPoint(program).minimize(f, inner, tight());
    EXPECT_NEAR(result.f, least_by_enumeration(f, test::dense(program)), 1e-7) << "seed " << seed;
  }
}

TEST(InteriorPoint, AFunctionThatIsNotConvexEndsWhereItsConditionsHold) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const test::RandomProgram around = test::random_program(seed);
    test::Valley f;
    InteriorPoint solver(around.program);
    Watched watched(f, solver);
    const InteriorPointResult result = solver.minimize(watched, around.inner, tight());
    EXPECT_EQ(to_string(result.status), "converged") << "seed " << seed << " " << result.reason;
    EXPECT_GT(watched.margin, 0) << "seed " << seed;
    VectorXd gradient(15);
    f.evaluate(result.x, 0, gradient);
    EXPECT_LT(test::distance_from_normal_cone(around.program, result.x, gradient, 1e-5), 1e-3)
        << "seed " << seed;
  }
}

/// Distance to (2.1, 0), outside of the circle of radius 1 around (2, 0), which a barrier of its own keeps out.
struct OutsideOfACircle : Objective {
  double evaluate(const VectorXd& x, double mu, VectorXd& gradient) override {
    const VectorXd from_center = x - Eigen::Vector2d(2, 0), from_goal = x - Eigen::Vector2d(2.1, 0);
    const double slack = from_center.squaredNorm() - 1;
    mus.push_back(mu);
    if (slack <= 0) return std::numeric_limits<double>::quiet_NaN();
    gradient = from_goal - mu * 2 * from_center / slack;
    return 0.5 * from_goal.squaredNorm() - mu * std::log(slack);
  }
  std::vector<double> mus;
};

TEST(InteriorPoint, AnObjectiveWithABarrierOfItsOwnStaysInItsDomain) {
  const BlockProgram program{
      {{test::sparse(MatrixXd::Identity(2, 2)), Eigen::Vector2d(-4, -0.25), Eigen::Vector2d(1.5, 0.25)}}};
  OutsideOfACircle f;
  InteriorPointOptions options = tight();
  options.mu_last = 1e-8;
  options.tolerance = 1e-6;
  const InteriorPointResult result = InteriorPoint(program).minimize(f, Eigen::Vector2d(-1, 0.1), options);
  EXPECT_EQ(to_string(result.status), "converged");
  // The circle's edge at y = +-0.25 is nearest of all: by symmetry either.
  EXPECT_NEAR(result.x[0], 2 - std::sqrt(1 - 0.0625), 1e-5);
  EXPECT_NEAR(std::abs(result.x[1]), 0.25, 1e-5);
  EXPECT_EQ(f.mus.front(), options.mu_first);
  EXPECT_EQ(f.mus.back(), 0);  // f without barriers
  EXPECT_TRUE(std::is_sorted(f.mus.rbegin(), f.mus.rend()));
}

TEST(InteriorPoint, WithoutRowsItIsPlainQuasiNewton) {
  BlockProgram program{{{SparseRows(0, 4), {}, {}}}};
  test::Valley f;
  const InteriorPointResult result = InteriorPoint(program).minimize(f, VectorXd::Constant(4, -1), tight());
  EXPECT_EQ(to_string(result.status), "converged");
  EXPECT_LT((result.x - VectorXd::Ones(4)).norm(), 1e-5);
  EXPECT_EQ(result.margin, infinity);
}

TEST(InteriorPoint, DoesNotDependOnWhatItDidBefore) {
  const test::RandomProgram around = test::random_program(3);
  test::Valley valley;
  RandomStream random(3, "quadratic");
  test::Quadratic quadratic = test::random_quadratic(random, 15, 15);
  InteriorPoint used(around.program), fresh(around.program);
  InteriorPointOptions other;
  other.memory = 15;
  used.minimize(quadratic, around.inner, other);
  used.project(VectorXd::Ones(15), around.inner);
  const InteriorPointResult a = used.minimize(valley, around.inner), b = fresh.minimize(valley, around.inner);
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.iterations, b.iterations);
}

TEST(InteriorPoint, StopsWhenToldAndAtTheLimit) {
  const test::RandomProgram around = test::random_program(5);
  test::Valley f;
  InteriorPoint solver(around.program);
  InteriorPointOptions options;
  std::vector<int> told;
  options.step = [&told](int iteration, double) { told.push_back(iteration); };
  options.stop = [&told] { return told.size() == 3; };
  const InteriorPointResult stopped = solver.minimize(f, around.inner, options);
  EXPECT_EQ(to_string(stopped.status), "stopped");
  EXPECT_EQ(stopped.iterations, 3);
  EXPECT_EQ(told, (std::vector<int>{1, 2, 3}));
  EXPECT_GT(stopped.margin, 0);
  options = {};
  options.iterations = 3;
  const InteriorPointResult limited = solver.minimize(f, around.inner, options);
  EXPECT_EQ(to_string(limited.status), "iteration limit");
  EXPECT_EQ(limited.iterations, 3);
  EXPECT_EQ(limited.x, stopped.x);
}

TEST(InteriorPoint, GivesUpWithoutProgress) {
  const test::RandomProgram around = test::random_program(5);
  test::Valley f;
  InteriorPointOptions options = tight();
  options.progress = 1e3;
  options.patience = 2;
  const InteriorPointResult result = InteriorPoint(around.program).minimize(f, around.inner, options);
  EXPECT_EQ(to_string(result.status), "no progress");
  EXPECT_GT(std::max(result.stationarity, result.complementarity), options.tolerance);
}

/// Its gradient points the wrong way.
struct Wrong : test::Valley {
  double evaluate(const VectorXd& x, double mu, VectorXd& gradient) override {
    const double f = Valley::evaluate(x, mu, gradient);
    gradient = -gradient;
    return f;
  }
};

TEST(InteriorPoint, SaysWhenAGradientIsWrong) {
  const test::RandomProgram around = test::random_program(5);
  Wrong f;
  const InteriorPointResult result = InteriorPoint(around.program).minimize(f, around.inner);
  EXPECT_EQ(to_string(result.status), "failed");
  EXPECT_EQ(result.reason, "the objective does not fall along its gradient");
}

TEST(InteriorPoint, ProjectsOntoABoxAsClampDoes) {
  RandomStream random(1, "box");
  BlockProgram program{
      {{test::sparse(MatrixXd::Identity(20, 20)), VectorXd::Constant(20, -1), VectorXd::Constant(20, 1)}}};
  const VectorXd target = 2 * test::random_vector(random, 20);
  InteriorPoint solver(program);
  const VectorXd x = solver.project(target, VectorXd::Zero(20));
  EXPECT_LT((x - target.cwiseMax(-1).cwiseMin(1)).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_GT(solver.margin(x), 0);
}

TEST(InteriorPoint, ProjectsWithTheMissInTheNormalCone) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const test::RandomProgram around = test::random_program(seed);
    RandomStream random(seed, "target");
    const VectorXd target =
        around.inner + std::pow(10, random.uniform(-2, 2)) * test::random_vector(random, 15);
    InteriorPoint solver(around.program);
    const VectorXd x = solver.project(target, around.inner);
    const double scale = (target - around.inner).norm();
    EXPECT_GT(solver.margin(x), 0) << "seed " << seed;
    EXPECT_LT(test::distance_from_normal_cone(around.program, x, x - target, 0.01), 1e-2 * scale)
        << "seed " << seed;
  }
  const test::RandomProgram around = test::random_program(1);
  EXPECT_EQ(InteriorPoint(around.program).project(around.inner, around.inner), around.inner);
}

TEST(InteriorPoint, ProjectionOfATargetThatOverflowsEndsInside) {
  const test::RandomProgram around = test::random_program(1);
  InteriorPoint solver(around.program);
  for (const double far : {1e100, 1e153, 1e160, 1e300}) {
    const VectorXd x = solver.project(VectorXd::Constant(15, far), around.inner);
    EXPECT_GT(solver.margin(x), 0) << far;
  }
}

TEST(InteriorPoint, RefusesBadPrograms) {
  const SparseRows A = test::sparse(MatrixXd::Identity(2, 2));
  const Eigen::Vector2d low(0, 0), high(1, 1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto text = [](const Block& block) { return error_text([&] { InteriorPoint({{block}}); }); };
  EXPECT_EQ(text({A, low, VectorXd::Ones(3)}), "blocks[0] has 2 lower and 3 upper bounds for 2 rows");
  EXPECT_EQ(text({A, low, Eigen::Vector2d(1, 0)}),
            "blocks[0] row 1 has bounds [0, 0], must have lower < upper (a strictly inner point is needed: "
            "eliminate what is fixed)");
  EXPECT_NE(text({A, Eigen::Vector2d(nan, 0), high}).find("row 0 has bounds [nan, 1]"), std::string::npos);
  EXPECT_EQ(text({A * nan, low, high}),
            "blocks[0].A(0, 0) = nan, must be finite\nblocks[0].A(1, 1) = nan, must be finite");
}

TEST(InteriorPoint, RefusesBadStartsAndOptions) {
  const test::RandomProgram around = test::random_program(1);
  InteriorPoint solver(around.program);
  test::Valley f;
  const auto text = [&](const VectorXd& start, const InteriorPointOptions& options) {
    return error_text([&] { solver.minimize(f, start, options); });
  };
  EXPECT_EQ(text(around.inner.array() + 100, {}),
            "start lies on or beyond a bound (find_inner_point gives a point inside)");
  EXPECT_EQ(text(VectorXd::Zero(3), {}), "start has 3 numbers, must have 15, all finite");
  InteriorPointOptions options;
  options.mu_last = 1;
  options.memory = 21;
  EXPECT_EQ(text(around.inner, options),
            "memory = 21, must be 0 to 20\nmu_last = 1, must be positive, at most mu_first and less than the "
            "tolerance");
  const BlockProgram open{{{test::sparse(MatrixXd::Identity(2, 2)), VectorXd::Constant(2, -infinity),
                            VectorXd::Constant(2, infinity)}}};
  OutsideOfACircle circle;
  EXPECT_EQ(error_text([&] { InteriorPoint(open).minimize(circle, Eigen::Vector2d(2, 0)); }),
            "start lies outside of the objective's domain");
}

}  // namespace
}  // namespace fathom::solve::interior_point_test
