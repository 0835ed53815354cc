// Nearest approaches against a search of the test's own.
#include "fathom/excite/margins.hpp"

#include <gtest/gtest.h>

#include "fathom/dynamics/regressor.hpp"
#include "fathom/excite/assessment.hpp"
#include "fathom/excite/sampling.hpp"
#include "fathom/excite/test/problems.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::excite::margins_test {
namespace {

Grid grid_of(const Problem& problem, const trajectory::Bezier& path, double interval) {
  return sample_path(
      problem, [&](double t) { return path.at(t); }, interval, GridEnd::included);
}

/// Every sample of a regular grid is one of Sampling; the end is not one more.
TEST(Margins, RegularGridHasTheSamplesOfTheSearch) {
  Problem problem = test::tank();
  for (const double interval : {0.2, 0.3, 0.37}) {
    problem.sampling = interval;
    const Designer designer(problem);
    const trajectory::Bezier path = designer.path(designer.random_path(1, 0));
    const Sampling sampling(designer.bounds().basis, problem.coordinates(), problem.start, problem.end,
                            interval, true);
    const Grid grid = sample_path(
        problem, [&](double t) { return path.at(t); }, interval);
    EXPECT_EQ(grid.mask.sum(), static_cast<double>(sampling.count())) << interval;
    EXPECT_NEAR(grid.t.maxCoeff(), sampling.times().maxCoeff(), 1e-9) << interval;
  }
}

TEST(Margins, GridHasEverySampleAndTheEnd) {
  const Designer designer(test::tank());
  const Problem& problem = designer.problem();
  const trajectory::Bezier path = designer.path(designer.random_path(1, 0));
  for (const double interval : {0.2, 0.3, 0.7, 40.0}) {
    const Grid grid = grid_of(problem, path, interval);
    const auto count = static_cast<Eigen::Index>(std::ceil(40 / interval - 1e-9)) + 1;
    EXPECT_EQ(grid.t.size() % 8, 0);
    EXPECT_EQ(grid.mask.sum(), static_cast<double>(count)) << interval;
    for (Eigen::Index k = 0; k < grid.t.size(); ++k) {
      const double t = std::min(interval * static_cast<double>(k), 40.0);
      EXPECT_NEAR(grid.t[k], k < count ? t : 40, 1e-9);
      const auto expected = path.at(grid.t[k]);
      EXPECT_LT((grid.samples.pose.row(k).matrix().transpose() - expected.value).norm(), 1e-12) << t;
      EXPECT_LT((grid.samples.rate.row(k).matrix().transpose() - expected.rate).norm(), 1e-12) << t;
      EXPECT_EQ(grid.samples.down(k, 2), k < count ? 1 : 0) << "what only fills tells nothing";
    }
  }
}

TEST(Margins, BoxMarginsAreTheNearestApproaches) {
  for (const Problem& problem : {test::tank(), test::pool(), test::pond()}) {
    const Designer designer(problem);
    const trajectory::Bezier path = designer.path(designer.random_path(2, 0));
    const auto margins = box_margins(problem, grid_of(problem, path, problem.sampling / dense));
    EXPECT_EQ(margins.size(), problem.segments.size() * problem.coordinates().size() * 3);
    double least = std::numeric_limits<double>::infinity();
    for (const Margin& margin : margins) {
      EXPECT_GT(margin.margin, 0) << problem.name << ": " << margin.limit << " at " << margin.t;
      EXPECT_EQ(std::abs(margin.bound - margin.worst), margin.margin);
      least = std::min(least, margin.margin);
    }
    EXPECT_NEAR(least, -test::box_excess(problem, path), 1e-3) << problem.name;
  }
}

TEST(Margins, BrokenLimitsAreNegativeAndNamed) {
  Problem problem = test::tank();
  const Designer designer(problem);
  const trajectory::Bezier path = designer.path(designer.random_path(2, 0));
  double depth = 0;
  for (int k = 0; k <= 4000; ++k) depth = std::max(depth, path.at(24 + 16 * k / 4000.0).value[2]);
  problem.segments[1].limits.pose[2] = {0.4, depth - 0.05};
  int broken = 0;
  for (const Margin& margin : box_margins(problem, grid_of(problem, path, 0.02)))
    if (margin.margin < 0) {
      ++broken;
      EXPECT_EQ(margin.limit, "z, segment all");
      EXPECT_EQ(margin.unit, "m");
      EXPECT_NEAR(margin.margin, -0.05, 1e-4);
      EXPECT_NEAR(margin.worst, depth, 1e-4);
      EXPECT_NEAR(path.at(margin.t).value[2], margin.worst, 1e-12);
    }
  EXPECT_EQ(broken, 1);
}

TEST(Margins, WhatIsNotANumberIsNotWithinLimits) {
  const Problem problem = test::tank();
  const Designer designer(problem);
  Grid grid = grid_of(problem, designer.path(designer.random_path(2, 0)), 0.2);
  grid.samples.rate(7, 0) = std::nan("");
  int broken = 0;
  for (const Margin& margin : box_margins(problem, grid))
    if (!(margin.margin >= 0)) {
      ++broken;
      EXPECT_EQ(margin.limit, "x speed, segment level");
      EXPECT_NEAR(margin.t, 1.4, 1e-12);
    }
  EXPECT_EQ(broken, 1);
}

TEST(Assessment, IsInsideAndPredictsTheWrenchOfTheRobot) {
  Problem problem = test::tank();
  problem.starts = 1;
  const Designer designer(problem);
  ThreadPool pool(1);
  const Assessment assessment = assess(designer, designer.design(pool), 1);
  EXPECT_TRUE(assessment.is_inside());
  const auto all = model::full_structure(model::Dof::six);
  const auto parameters = model::parameters_of(problem.robot, problem.environment, all).parameters;
  Eigen::VectorXd theta(static_cast<Eigen::Index>(all.size()));
  for (std::size_t k = 0; k < all.size(); ++k) theta[static_cast<Eigen::Index>(k)] = parameters[k].value;
  const Samples& samples = assessment.grid.samples;
  for (Eigen::Index k = 0; k < 200; k += 10) {
    const dynamics::Motion motion{samples.nu.row(k).transpose(), samples.nu_dot.row(k).transpose(),
                                  samples.down.row(k).transpose()};
    const Vec6 expected = dynamics::regressor(all, motion) * theta;
    EXPECT_LT((assessment.tau.row(k).matrix().transpose() - expected).norm(), 1e-9 * (1 + expected.norm()));
  }
}

TEST(Assessment, ABrokenLimitIsSeen) {
  Assessment assessment{Grid{{}, {}, Samples(0)}, {}, {}, {}, {Margin{}, Margin{}}, {}, {}, {}};
  assessment.margins[1].margin = -0.9e-9;
  EXPECT_TRUE(assessment.is_inside());
  assessment.margins[1].margin = -1.1e-9;
  EXPECT_FALSE(assessment.is_inside());
}

TEST(Assessment, SaysWhichLimitsTheSinusoidsBreak) {
  Problem problem = test::tank();
  problem.starts = 1;
  const Vec3 anchor_n(-2, 0, 0);
  const Grid grid = sinusoid_grid(problem, 0.02);
  const Eigen::VectorXd away =
      (grid.samples.pose.leftCols<3>().matrix().rowwise() - anchor_n.transpose()).rowwise().norm();
  ASSERT_GT(away.maxCoeff(), away[0] + 0.05);
  for (const bool is_long : {false, true}) {
    const double length = is_long ? away.maxCoeff() + 1e-3 : (away[0] + away.maxCoeff()) / 2;
    problem.tether = TetherReach{anchor_n, Vec3::Zero(), length};
    const Designer designer(problem);
    ThreadPool pool(1);
    DesignOptions options;
    options.solver.iterations = 5;
    const Assessment assessment = assess(designer, designer.design(pool, options), 1);
    ASSERT_TRUE(assessment.sinusoids);
    EXPECT_EQ(assessment.sinusoids_break_limits, is_long ? "" : "tether");
  }
}

/// Sinusoids rest between segments; a way that takes nearly all the time leaves them none.
TEST(Assessment, SaysWhyThereAreNoSinusoids) {
  Problem problem = test::tank();
  problem.starts = 1;
  problem.start[0] = -1.8, problem.end[0] = 1.8;
  for (Segment& segment : problem.segments) segment.limits.rate[0] = {-0.11, 0.11};
  const Designer designer(problem);
  ThreadPool pool(1);
  const Assessment assessment = assess(designer, designer.design(pool), 1);
  EXPECT_FALSE(assessment.sinusoids);
  EXPECT_NE(assessment.no_sinusoids.find("rate"), std::string::npos) << assessment.no_sinusoids;
}

}  // namespace
}  // namespace fathom::excite::margins_test
