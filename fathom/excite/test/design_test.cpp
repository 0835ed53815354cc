// Designs: inside every limit, optimal by a certificate of the test's own, the same whoever works.
#include "fathom/excite/design.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/excite/assessment.hpp"
#include "fathom/excite/multisine.hpp"
#include "fathom/excite/objective.hpp"
#include "fathom/excite/test/problems.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::excite::design_test {
namespace {

using fathom::test::error_text;
using Status = solve::InteriorPointResult::Status;

Design design_of(const Problem& problem, const DesignOptions& options = {}) {
  ThreadPool pool(2);
  return Designer(problem).design(pool, options);
}

Problem with_starts(Problem problem, int starts) {
  problem.starts = starts;
  return problem;
}

/// Jobs from the last to the first, on the calling thread.
class BackwardPool : public WorkerPool {
 public:
  std::vector<std::string> run(int count, const Job& job, const Done& done) override {
    for (int k = count - 1; k >= 0; --k)
      if (!done(k, job(k, [] { return false; }))) break;
    return {};
  }
  int size() const override { return 1; }
};

/// The most by which a path leaves view and tether on the dense grid, in rad and m; by their definitions.
double reach_excess(const Problem& problem, const trajectory::Bezier& path) {
  double worst = -1;
  const double step = problem.sampling / dense;
  for (int k = 0; k * step <= problem.duration(); ++k) {
    const auto at = path.at(k * step);
    const Vec3 p = at.value.head<3>(), angles = at.value.tail<3>();
    const Quat q = quaternion_from_euler(angles);
    if (problem.view)
      for (const Vec3& corner : problem.view->area_n) {
        const Vec3 ray = corner - p - q * problem.view->position_b, axis = q * problem.view->axis_b;
        worst = std::max(worst, std::acos(ray.normalized().dot(axis.normalized())) - problem.view->half_angle);
      }
    if (problem.tether)
      worst = std::max(worst, (p + q * problem.tether->attachment_b - problem.tether->anchor_n).norm() -
                                  problem.tether->length);
  }
  return worst;
}

TEST(Design, StaysInsideEveryLimit) {
  for (const Problem& base :
       {test::tank(), test::with_bezier(test::tank(), 12, 1), test::with_bezier(test::tank(), 12, 6),
        test::with_criterion(test::tank(), Criterion::condition), test::pool(), test::board(), test::pond()}) {
    const Problem problem = with_starts(base, 1);
    const Design design = design_of(problem);
    EXPECT_LT(test::box_excess(problem, design.path), 1e-9) << problem.name;
    EXPECT_LT(reach_excess(problem, design.path), 1e-9) << problem.name;
    for (const Margin& margin : path_margins(problem, design.path))
      EXPECT_GE(margin.margin, -1e-9) << problem.name << ": " << margin.limit << " at " << margin.t;
    for (const auto& [t, place] : {std::pair{0.0, problem.start}, {problem.duration(), problem.end}}) {
      const auto at = design.path.at(t);
      EXPECT_LT((at.value - place).norm() + at.rate.norm() + at.acceleration.norm(), 1e-9) << problem.name;
    }
  }
}

TEST(Design, TheBestStartWins) {
  const Problem problem = test::tank();
  std::vector<int> told;
  DesignOptions options;
  double best = std::numeric_limits<double>::infinity();
  options.progress = [&](int ended, double value) {
    told.push_back(ended);
    EXPECT_LE(value, best);
    best = value;
  };
  const Design design = design_of(problem, options);
  ASSERT_EQ(design.starts.size(), 3u);
  EXPECT_EQ(told, (std::vector<int>{1, 2, 3}));
  for (int k = 0; k < 3; ++k) {
    const Start& start = design.starts[static_cast<std::size_t>(k)];
    EXPECT_EQ(start.number, k);
    EXPECT_LT(start.last, start.first);
    EXPECT_GE(start.last, design.certificate.f);
  }
  EXPECT_EQ(design.starts[static_cast<std::size_t>(design.best)].last, design.certificate.f);
  EXPECT_EQ(best, design.certificate.f);
  EXPECT_FALSE(design.interrupted);
  EXPECT_EQ(design.history.size(), static_cast<std::size_t>(design.certificate.iterations));
}

TEST(Design, IsNeverWorseThanTheBestMultisine) {
  for (const Problem& base : {test::tank(), test::with_bezier(test::tank(), 12, 6), test::pool(), test::board(),
                              test::with_thruster_errors(test::tank())}) {
    const Problem problem = with_starts(base, 3);
    const Designer designer(problem);
    const auto ranked = designer.ranked_multisines(1);
    ASSERT_GE(ranked.size(), 2u) << problem.name;
    const Designer::Multisine& rival = ranked.front();
    EXPECT_LT(test::box_excess(problem, designer.path(rival.x)), 0) << problem.name;
    for (const Margin& margin : path_margins(problem, designer.path(rival.x)))
      EXPECT_GE(margin.margin, 0) << problem.name << ": " << margin.limit;
    DesignOptions options;
    options.solver.iterations = 3;  // hardly a search
    ThreadPool pool(1);
    const Design design = designer.design(pool, options);
    EXPECT_EQ(Designer::multisine_starts(3), 2);
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_EQ(design.starts[k].first, ranked[k].criterion) << problem.name << ", start " << k;
    EXPECT_LT(ranked[0].criterion, ranked[1].criterion);
    EXPECT_LE(design.certificate.f, rival.criterion) << problem.name;
  }
}

TEST(Design, RanksMultisinesOnceAndCanBeStopped) {
  const Designer designer(with_starts(test::board(), 1));
  int asked = 0;
  EXPECT_TRUE(designer.ranked_multisines(1, [&] { return ++asked > 3; }).empty());
  EXPECT_EQ(asked, 4);
  const auto ranked = designer.ranked_multisines(1);
  ASSERT_FALSE(ranked.empty());
  asked = 0;
  const auto again = designer.ranked_multisines(1, [&] { return ++asked > 0; });
  EXPECT_EQ(asked, 0);
  ASSERT_EQ(again.size(), ranked.size());
  EXPECT_EQ(again.back().x, ranked.back().x);
  EXPECT_NE(designer.ranked_multisines(2).front().x, ranked.front().x);
}

/// A beginning may break a limit between its samples. Then what the search found within the limits stands, even
/// where the beginning has the better criterion.
TEST(Design, DoesNotGoBackToABeginningThatBreaksLimitsBetweenSamples) {
  Problem problem = with_starts(test::board(), 40);
  problem.sampling = 1.5;  // in which it moves by some decimetres
  problem.view = {};
  problem.thrusters = {};
  const Designer designer(problem);
  int outside = 0, worse = 0;
  for (int number = 4; number < 40; ++number) {
    const Eigen::VectorXd first = designer.random_path(1, number);
    const auto is_inside = [&](const Eigen::VectorXd& x) {
      const auto margins = path_margins(problem, designer.path(x));
      return std::all_of(margins.begin(), margins.end(), [](const Margin& m) { return m.margin >= 0; });
    };
    if (is_inside(first)) continue;
    ++outside;
    const Outcome outcome = designer.solve(number, {}, [] { return true; });  // no search
    EXPECT_TRUE(is_inside(outcome.result.x)) << number;
    worse += outcome.result.f > outcome.start.first;
  }
  EXPECT_GT(outside, 0);
  EXPECT_GT(worse, 0);
}

/// One curve of a low degree cannot swing twice: its tones are as fast as it can follow, no faster.
TEST(Multisine, OfACurveOfLowDegreeIsInsideItsBox) {
  Problem problem = test::with_bezier(test::tank(), 7, 1);
  problem.structure = model::make_structure("few", {.dof = model::Dof::four});
  problem.segments = {problem.segments.back()};
  const Bounds bounds = bounds_of(problem);
  const Multisines sines(problem, bounds, inner_path(problem, bounds));
  for (int k = 0; k < 5; ++k) {
    const Eigen::VectorXd x = sines.path(1, k);
    ASSERT_TRUE(x.allFinite());
    EXPECT_LT(test::box_excess(problem, Designer(problem).path(x)), 0);
  }
}

/// A multi-sine is a rival only if it fills its limits: some limit of each coordinate is nearly reached.
TEST(Multisine, IsAsLargeAsItsBoxAllows) {
  const Problem problem = test::tank();
  const Bounds bounds = bounds_of(problem);
  const Eigen::VectorXd centre = inner_path(problem, bounds);
  const Multisines sines(problem, bounds, centre);
  const Eigen::Index n = bounds.basis.size();
  for (int k = 0; k < 5; ++k) {
    const Eigen::VectorXd x = sines.path(1, k);
    EXPECT_NE(x, sines.path(2, k));
    for (std::size_t b = 0; b < bounds.program.blocks.size(); ++b) {
      const solve::Block& box = bounds.program.blocks[b];
      const Eigen::VectorXd at = box.A * x.segment(static_cast<Eigen::Index>(b) * n, n);
      const double least =
          ((at - box.lower).cwiseMin(box.upper - at)).cwiseQuotient(box.upper - box.lower).minCoeff();
      EXPECT_GT(least, 0);
      EXPECT_LT(least, 0.02);
    }
  }
}

void expect_same(const Design& a, const Design& b) {
  EXPECT_EQ(a.path.points(), b.path.points());
  EXPECT_EQ(a.best, b.best);
  EXPECT_EQ(a.history, b.history);
  EXPECT_EQ(a.certificate.stationarity, b.certificate.stationarity);
  ASSERT_EQ(a.starts.size(), b.starts.size());
  for (std::size_t k = 0; k < a.starts.size(); ++k) {
    EXPECT_EQ(a.starts[k].first, b.starts[k].first) << k;
    EXPECT_EQ(a.starts[k].last, b.starts[k].last) << k;
  }
}

TEST(Design, IsTheSameWhoeverWorks) {
  const Problem problem = with_starts(test::with_bezier(test::tank(), 12, 1), 4);
  const Designer designer(problem);
  ThreadPool one(1), two(2), five(5);
  BackwardPool backward;
  const Design expected = designer.design(one);
  for (WorkerPool* pool : std::initializer_list<WorkerPool*>{&two, &five, &backward, &one})
    expect_same(designer.design(*pool), expected);
  expect_same(design_of(problem), expected);  // another designer
  DesignOptions other;
  other.seed = 2;
  EXPECT_NE(design_of(problem, other).path.points(), expected.path.points());
}

/// What a start leaves behind in a workspace, limits moved closer and norms sharpened, must not reach the next.
TEST(Design, IsTheSameInAWorkspaceThatWasUsed) {
  const Problem problem = with_starts(test::with_criterion(test::board(), Criterion::condition), 2);
  const Designer designer(problem);
  ThreadPool forward(1);
  BackwardPool backward;
  expect_same(designer.design(backward), designer.design(forward));
}

TEST(Design, BeatsItsStartSinusoidsAndRandomPaths) {
  for (const Problem& base : {test::tank(), test::pond()}) {
    const Problem problem = with_starts(base, 2);
    const Designer designer(problem);
    ThreadPool pool(2);
    const Assessment assessment = assess(designer, designer.design(pool), 1);
    ASSERT_TRUE(assessment.sinusoids) << assessment.no_sinusoids;
    EXPECT_LT(assessment.accuracy.error, 0.9 * assessment.random.error);
    EXPECT_LT(assessment.accuracy.error, 0.9 * assessment.sinusoids->error);
  }
}

/// From a design by one criterion, another criterion finds the way to a design that is better by the other and
/// worse by the one.
TEST(Design, EachCriterionWinsAtItsOwnGame) {
  const Problem problem = with_starts(test::with_bezier(test::tank(), 12, 1), 1);
  const Designer designer(problem);
  solve::InteriorPoint solver(designer.bounds().program);
  const std::array kinds = {Criterion::a_optimal, Criterion::d_optimal, Criterion::condition};
  Eigen::VectorXd gradient(designer.inner().size());
  for (const Criterion mine : kinds)
    for (const Criterion other : kinds) {
      if (mine == other) continue;
      PathObjective by_mine(test::with_criterion(problem, mine), designer.bounds().basis);
      PathObjective by_other(test::with_criterion(problem, other), designer.bounds().basis);
      const Eigen::VectorXd x = design_of(test::with_criterion(problem, mine)).certificate.x;
      const Eigen::VectorXd y = solver.minimize(by_other, x).x;
      EXPECT_LT(by_other.evaluate(y, 0, gradient), by_other.evaluate(x, 0, gradient) - 0.01);
      EXPECT_GT(by_mine.evaluate(y, 0, gradient), by_mine.evaluate(x, 0, gradient) + 0.01);
    }
}

/// Least |g - A' z| over z >= 0, by coordinate descent.
double residual(const Eigen::MatrixXd& At, const Eigen::VectorXd& g) {
  Eigen::VectorXd r = g, z = Eigen::VectorXd::Zero(At.cols());
  for (int sweep = 0; sweep < 2000; ++sweep)
    for (Eigen::Index k = 0; k < At.cols(); ++k) {
      const double moved = std::max(0.0, z[k] + At.col(k).dot(r) / At.col(k).squaredNorm());
      r -= (moved - z[k]) * At.col(k);
      z[k] = moved;
    }
  return r.norm();
}

/// The gradient is a sum of normals of bounds that hold, each pushing inwards: nothing better nearby.
TEST(Design, NoNeighbourIsBetter) {
  Problem problem = with_starts(test::tank(), 1);
  problem.shape.interval = 3;
  const Designer designer(problem);
  DesignOptions options;
  options.solver.tolerance = 1e-5;
  options.solver.mu_last = 1e-8;
  options.solver.progress = 1e-9;
  ThreadPool pool(1);
  const Design design = designer.design(pool, options);
  EXPECT_EQ(design.certificate.status, Status::converged) << to_string(design.certificate.status);

  PathObjective objective(problem, designer.bounds().basis);
  const Eigen::VectorXd& x = design.certificate.x;
  Eigen::VectorXd gradient(x.size());
  EXPECT_NEAR(objective.evaluate(x, 0, gradient), design.certificate.f, 1e-12);
  std::vector<Eigen::VectorXd> normals;
  Eigen::Index first = 0;
  for (const solve::Block& block : designer.bounds().program.blocks) {
    const Eigen::MatrixXd A = block.A;
    const Eigen::VectorXd Ax = A * x.segment(first, A.cols());
    for (Eigen::Index row = 0; row < A.rows(); ++row)
      for (const double sign : {1.0, -1.0}) {
        const double slack = sign > 0 ? Ax[row] - block.lower[row] : block.upper[row] - Ax[row];
        EXPECT_GT(slack, 0);
        if (slack > 1e-3 * (block.upper[row] - block.lower[row])) continue;
        Eigen::VectorXd normal = Eigen::VectorXd::Zero(x.size());
        normal.segment(first, A.cols()) = sign * A.row(row).transpose();
        normals.push_back(normal / normal.norm());
      }
    first += A.cols();
  }
  Eigen::MatrixXd At(x.size(), static_cast<Eigen::Index>(normals.size()));
  for (std::size_t k = 0; k < normals.size(); ++k) At.col(static_cast<Eigen::Index>(k)) = normals[k];
  EXPECT_GT(At.cols(), 10);
  EXPECT_LT(residual(At, gradient), 0.01 * gradient.norm());
  // At the random start it is not so.
  objective.evaluate(designer.random_path(1, 0), 0, gradient);
  EXPECT_GT(residual(At, gradient), 0.1 * gradient.norm());
}

TEST(Design, StoppedMidwayKeepsAPathInside) {
  const Problem problem = with_starts(test::board(), 3);
  const Designer designer(problem);
  for (const int most : {0, 1, 25}) {
    int asked = 0;
    const auto stop = [&] { return asked++ >= most; };
    const auto outcome = designer.solve(0, {}, stop);
    EXPECT_EQ(outcome.start.status, Status::stopped);
    EXPECT_LE(outcome.start.iterations, most);
    EXPECT_TRUE(std::isfinite(outcome.result.f));
    EXPECT_LE(outcome.start.last, outcome.start.first + 1e-9);
    const trajectory::Bezier path = designer.path(outcome.result.x);
    EXPECT_LT(test::box_excess(problem, path), 0);
    EXPECT_LT(reach_excess(problem, path), 1e-9) << most;
  }
  ThreadPool interrupted(1, [] { return true; });
  const Design design = designer.design(interrupted);
  EXPECT_TRUE(design.interrupted);
  EXPECT_LT(test::box_excess(problem, design.path), 0);
  EXPECT_LT(reach_excess(problem, design.path), 0);
}

TEST(Design, ColumnsThatNoMotionTellsApartAreNamed) {
  Problem problem = test::pool();
  problem.structure = model::structure_by_name("vehicle-27");
  const std::string text = error_text([&] { Designer{problem}; });
  EXPECT_EQ(
      text,
      "test.yaml:5: structure has W, B, whose columns of the regressor are dependent for every motion within "
      "the limits: only a combination can be seen (leave one out, or state a prior)");
  problem.priors = {{"B", 1}};
  EXPECT_EQ(error_text([&] { Designer{problem}; }), "(nothing was thrown)");
  problem.criterion = Criterion::condition;
  EXPECT_EQ(
      error_text([&] { Designer{problem}; }),
      "test.yaml:5: structure has W, B, whose columns of the regressor are dependent for every motion within "
      "the limits: only a combination can be seen (leave one out, or choose a criterion that heeds priors and "
      "state one)");
}

TEST(Design, HistoryIsTheCriterionWithoutBarriersUpToTheEnd) {
  Problem problem = test::board();
  problem.starts = 1;
  const Designer designer(problem);
  ThreadPool pool(1);
  DesignOptions options;
  options.solver.iterations = 40;  // at the limit, no step but the last leads to x
  const Design design = designer.design(pool, options);
  ASSERT_FALSE(design.history.empty());
  EXPECT_NEAR(design.history.back(), design.certificate.f, 1e-9);

  options.solver = {};
  options.solver.patience = 2;  // ends early for want of progress, and is polished
  options.solver.progress = 0.1;
  const Design polished = designer.design(pool, options);
  EXPECT_NEAR(polished.history.back(), polished.certificate.f, 1e-9);
  EXPECT_EQ(polished.starts[0].iterations, polished.certificate.iterations);
}

TEST(Design, PolishingCanBeInterrupted) {
  Problem problem = test::tank();
  problem.starts = 1;
  ThreadPool pool(1);
  DesignOptions options;
  options.solver.patience = 2;
  options.solver.progress = 0.1;
  options.interrupted = [] { return true; };
  const Design design = Designer(problem).design(pool, options);
  EXPECT_TRUE(design.interrupted);
  EXPECT_LT(test::box_excess(problem, design.path), 0);
}

TEST(Design, ColumnsThatAreZeroAreNamed) {
  Problem problem = test::tank();
  problem.structure.terms.push_back({model::Term::Kind::linear, 0, 3, 0});  // roll is held
  const std::string text = error_text([&] { Designer{problem}; });
  EXPECT_EQ(text,
            "test.yaml:5: structure has d14, which no motion within the limits shows: its column of the "
            "regressor is zero (free that motion in the limits, leave the parameter out, or state a prior)");
}

TEST(Design, ALittleRollIsEnoughToSeeItsInertia) {
  for (const double most : {0.02, 1e-3}) {
    Problem problem = test::pool();
    problem.start[3] = problem.end[3] = 0;
    problem.segments[0].limits.pose[3] = {-most, most};
    EXPECT_EQ(error_text([&] { Designer{problem}; }), "(nothing was thrown)") << most;
  }
}

TEST(Design, LimitsThatRestBreaksAreNamed) {
  Problem problem = test::board();
  problem.tether->length = 1.5;
  EXPECT_NE(error_text([&] { Designer{problem}; }).find("tether"), std::string::npos)
      << error_text([&] { Designer{problem}; });
  problem = test::board();
  problem.view->half_angle = 5 * degree;
  EXPECT_NE(error_text([&] { Designer{problem}; }).find("view"), std::string::npos)
      << error_text([&] { Designer{problem}; });
}

/// Thrusters that are just enough for the calmest path: nothing is inside once limits come closer.
TEST(Design, EndsWhereNotEvenTheInnerPathHasRoom) {
  Problem problem = with_starts(test::tank(), 1);
  problem.start[0] = -1.8, problem.end[0] = 1.8;
  problem.sampling = 0.4;
  double low = 0.001, high = 0.1;
  while (high / low > 1.002) {
    problem.thrusters = ThrusterShare{(low + high) / 2};
    const bool is_enough = error_text([&] { Designer{problem}; }) == "(nothing was thrown)";
    (is_enough ? high : low) = problem.thrusters->share;
  }
  problem.thrusters = ThrusterShare{high};
  const Designer designer(problem);
  const auto outcome = designer.solve(0, {}, [] { return false; });
  for (const Margin& margin : path_margins(problem, designer.path(outcome.result.x)))
    EXPECT_GE(margin.margin, -1e-9);
}

TEST(Design, ConvergesWithLimitsThatAreNotLinear) {
  EXPECT_EQ(design_of(with_starts(test::board(), 2)).certificate.status, Status::converged);
}

/// Start and end hold, but the box of a segment between leads beyond the tether.
TEST(Design, LimitsThatTheCalmestPathBreaksAreNamed) {
  Problem problem = test::board();
  problem.segments.push_back(problem.segments[0]);
  problem.segments[1].limits.pose[0] = {0.9, 2};
  problem.segments[1].duration = 6;
  problem.segments[0].name = "out", problem.segments[2].name = "back";
  const std::string text = error_text([&] { Designer{problem}; });
  EXPECT_NE(text.find("tether is broken even by the calmest path from start to end: "), std::string::npos)
      << text;
  EXPECT_NE(text.find("bring the segments' boxes nearer to where it holds"), std::string::npos) << text;
}

}  // namespace
}  // namespace fathom::excite::design_test
