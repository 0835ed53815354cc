// Rows over free numbers against the path that they are to bound; what is said of limits in conflict.
#include "fathom/excite/bounds.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/excite/design.hpp"
#include "fathom/excite/test/problems.hpp"

namespace fathom::excite::bounds_test {
namespace {

using fathom::test::error_text;

std::vector<Problem> problems() {
  return {test::tank(), test::with_bezier(test::tank(), 12, 1), test::with_bezier(test::tank(), 12, 6),
          test::pool(), test::with_bezier(test::pool(), 9, 1),  test::pond()};
}

TEST(Bounds, RandomPathsObeyTheLimitsBetweenAnyTimes) {
  for (const Problem& problem : problems()) {
    const Designer designer(problem);
    for (int number = 0; number < 3; ++number) {
      const Eigen::VectorXd x = designer.random_path(11, number);
      EXPECT_GT(solve::InteriorPoint(designer.bounds().program).margin(x), 0);
      EXPECT_LT(test::box_excess(problem, designer.path(x)), 0) << problem.name << " " << number;
    }
  }
}

/// Free numbers just outside one row: the path then need not break the limit, but with a spline or many parts
/// it comes near. So the rows are not much tighter than the limits.
TEST(Bounds, RowsAreNotMuchTighterThanTheLimits) {
  for (const Problem& problem : {test::tank(), test::with_bezier(test::tank(), 12, 8)}) {
    const Designer designer(problem);
    const Eigen::VectorXd from = designer.inner();
    const solve::InteriorPoint program(designer.bounds().program);
    RandomStream random(1, "rays");
    for (int k = 0; k < 5; ++k) {
      const Eigen::VectorXd ray = test::random_numbers(problem, designer.bounds().basis, random) - from;
      double inside = 0, outside = 1;
      while (outside - inside > 1e-3 * outside) {
        const double middle = (inside + outside) / 2;
        (program.margin(from + middle * ray) > 0 ? inside : outside) = middle;
      }
      EXPECT_LT(test::box_excess(problem, designer.path(from + inside * ray)), 0);
      EXPECT_GT(test::box_excess(problem, designer.path(from + 1.5 * outside * ray)), 0) << problem.name << k;
    }
  }
}

TEST(Bounds, StartOutsideIsRefusedWithItsValue) {
  Problem problem = test::tank();
  problem.start[2] = 0.5;  // the first segment begins at 0.7
  EXPECT_EQ(error_text([&] { bounds_of(problem); }),
            "test.yaml:6: start z in segment level is 0.5 m there, must be at least 0.7 (move it inside, or "
            "widen the segment's limits)");
  problem = test::tank();
  problem.end[5] = 3.5;
  EXPECT_NE(error_text([&] { bounds_of(problem); }).find("end yaw in segment all is 3.5 rad there"),
            std::string::npos)
      << error_text([&] { bounds_of(problem); });
}

/// Also of a whole path that is one piece and one part, where both ends have the same label.
TEST(Bounds, StartAndEndOnALimitAreWithinIt) {
  for (const bool is_bezier : {false, true}) {
    Problem problem = test::tank();
    problem.segments = {problem.segments[1]};
    problem.segments[0].duration = 40;
    if (is_bezier) problem = test::with_bezier(problem, 20, 1);
    problem.segments[0].limits.pose[2] = {0.4, 1.2};
    problem.start[2] = 1.2;
    problem.end[2] = std::nextafter(1.2, 2);
    EXPECT_EQ(error_text([&] { inner_path(problem, bounds_of(problem)); }), "(nothing was thrown)");
    problem.end[2] = 1.20001;
    EXPECT_EQ(
        error_text([&] { bounds_of(problem); }),
        "test.yaml: end z in segment all is 1.20001 m there, must be at most 1.2 (move it inside, or widen "
        "the segment's limits)");
    problem.start[2] = problem.end[2];
    EXPECT_EQ(error_text([&] { bounds_of(problem); }).rfind("test.yaml:6: start z", 0), 0u);
  }
}

TEST(Bounds, SizesAreKnownBeforehand) {
  for (const Problem& problem : problems()) {
    const Bounds bounds = bounds_of(problem);
    EXPECT_EQ(free_numbers(problem), bounds.basis.size()) << problem.name;
    const auto entries = static_cast<double>(bounds.program.blocks[0].A.nonZeros());
    EXPECT_LE(entries, matrix_entries(problem)) << problem.name;
    const bool is_cut = problem.shape.kind == Shape::Kind::spline || problem.shape.parts > 1;
    // The rows of curves that are not cut have two or three entries.
    EXPECT_GE(entries, (is_cut ? 0.3 : 0.05) * matrix_entries(problem)) << problem.name;
  }
}

/// From one side to the other at a speed that takes time.
Problem hurried(double speed) {
  Problem problem = test::tank();
  problem.start << -1.8, 0, 0.8, 0, 0, 0;
  problem.end << 1.8, 0, 0.8, 0, 0, 0;
  for (Segment& segment : problem.segments) segment.limits.rate[0] = {-speed, speed};
  return problem;
}

Problem stretched(Problem problem, double factor) {
  for (Segment& segment : problem.segments) segment.duration *= factor;
  return problem;
}

TEST(Bounds, TooShortATimeNamesLimitsAndTheLeastDuration) {
  for (const bool is_bezier : {false, true}) {
    Problem problem = hurried(0.06);  // 3.6 m at 0.06 m/s: more than 60 s, there are 40
    if (is_bezier) problem = test::with_bezier(problem, 12, 4);
    try {
      inner_path(problem, bounds_of(problem));
      FAIL();
    } catch (const InputError& error) {
      const Finding& summary = error.findings().front();
      EXPECT_EQ(summary.key, "duration");
      EXPECT_EQ(error.findings()[1].line, error.findings()[1].key == "segments[0].limits" ? 10 : 7);
      EXPECT_EQ(summary.message, "= 40 s: no path meets all limits");
      ASSERT_GE(error.findings().size(), 2u);
      const std::string text = error.findings()[1].text();
      EXPECT_NE(text.find("speed of x in segment "), std::string::npos) << text;
      EXPECT_NE(text.find("must stay in -0.06 to 0.06 m/s"), std::string::npos) << text;
      EXPECT_NE(text.find("misses it by 0.0"), std::string::npos) << text;
      // The hint's duration does, and 0.9 of it does not.
      const double duration = std::stod(summary.hint);
      EXPECT_GT(duration, 60);
      EXPECT_LT(duration, 90);
      const auto at = [&](double share) {
        const Problem other = stretched(problem, share * duration / problem.duration());
        return error_text([&] { inner_path(other, bounds_of(other)); });
      };
      EXPECT_EQ(at(1), "(nothing was thrown)");
      EXPECT_NE(at(0.9), "(nothing was thrown)");
    }
  }
}

TEST(Bounds, BoxesThatDoNotMeetAreNamedWithTheGap) {
  Problem problem = test::tank();
  problem.segments[0].limits.pose[1] = {-0.2, 0.1};
  problem.segments[1].limits.pose[1] = {0.5, 0.9};
  problem.end[1] = 0.7;
  const std::string text = error_text([&] { inner_path(problem, bounds_of(problem)); });
  EXPECT_NE(text.find("y in segment level must stay in -0.2 to 0.1 m"), std::string::npos) << text;
  EXPECT_NE(text.find("y in segment all must stay in 0.5 to 0.9 m"), std::string::npos) << text;
  EXPECT_NE(text.find("more time does not help: widen the limits"), std::string::npos) << text;
  EXPECT_EQ(text.find(" x in segment"), std::string::npos) << text;
  // The gap is shared out: both misses together are 0.4 m.
  double missed = 0;
  for (std::size_t at = text.find("misses it by "); at != std::string::npos;
       at = text.find("misses it by ", at + 1)) {
    const double value = std::stod(text.substr(at + 13));
    if (text.compare(text.find_first_of(' ', at + 13), 3, " m,") == 0) missed += value;
  }
  EXPECT_NEAR(missed, 0.4, 0.02) << text;
}

TEST(Bounds, LongDurationsAreWrittenOut) {
  const Problem problem = test::with_bezier(hurried(0.0025), 12, 2);  // 3.6 m: half an hour
  try {
    inner_path(problem, bounds_of(problem));
    FAIL();
  } catch (const InputError& error) {
    const std::string hint = error.findings().front().hint;
    EXPECT_TRUE(hint.starts_with("1") && hint.substr(4) == " s would do, or wider limits") << hint;
  }
}

TEST(Bounds, RandomPathsDrawFromTheSegmentsOwnBoxes) {
  const Problem problem = test::tank();
  for (const auto& basis : {basis_of(problem), basis_of(test::with_bezier(problem, 12, 1))}) {
    const auto ranges = ranges_of(problem, basis, 2);
    ASSERT_EQ(ranges.size(), static_cast<std::size_t>(basis.size()));
    EXPECT_EQ(ranges.front().min, 0.7);
    EXPECT_EQ(ranges.front().max, 0.9);
    EXPECT_EQ(ranges.back().min, 0.4);
    EXPECT_EQ(ranges.back().max, 1.2);
  }
}

}  // namespace
}  // namespace fathom::excite::bounds_test
