#include "fathom/base/remaining_time.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace fathom::remaining_time_test {
namespace {

struct Report {
  double share, t;  // t: s
};

/// Shares that output error reported, and when, on a tank log and on a dive of another simulator.
struct Recorded {
  double whole;  // s
  std::vector<Report> reports;
};
const std::vector<Recorded> recorded = {
    {0.334, {{0, 0},         {0.062, 0.016}, {0.123, 0.032}, {0.155, 0.048}, {0.187, 0.064},
             {0.217, 0.079}, {0.235, 0.095}, {0.289, 0.111}, {0.362, 0.127}, {0.446, 0.144},
             {0.495, 0.160}, {0.514, 0.184}, {0.552, 0.200}, {0.613, 0.216}, {0.631, 0.232},
             {0.708, 0.249}, {0.721, 0.265}, {0.802, 0.282}, {0.849, 0.298}, {0.897, 0.314}}},
    {0.760,
     {{0, 0},
      {0.062, 0.038},
      {0.123, 0.076},
      {0.172, 0.114},
      {0.223, 0.151},
      {0.284, 0.188},
      {0.349, 0.227},
      {0.407, 0.265},
      {0.392, 0.303},
      {0.485, 0.340},
      {0.549, 0.380},
      {0.573, 0.419},
      {0.659, 0.459},
      {0.756, 0.499},
      {0.814, 0.538},
      {0.822, 0.577},
      {0.892, 0.633},
      {0.933, 0.689}}},
};

TEST(RemainingTime, OfRecordedRunsIsRightWithinAFactorOfOneAndAHalf) {
  for (const Recorded& run : recorded) {
    RemainingTime remaining;
    for (const Report& report : run.reports) {
      const auto left = remaining.at(report.share, report.t);
      if (report.t < 0.1 * run.whole) continue;
      ASSERT_TRUE(left);
      const double truth = run.whole - report.t, little = 0.04 * run.whole;
      EXPECT_LT(*left, 1.5 * truth + little) << report.t << " s of " << run.whole;
      EXPECT_GT(*left, truth / 1.5 - little) << report.t << " s of " << run.whole;
    }
  }
}

/// What was done before the first report took no time that was seen: 60 % to do at 10 % a second.
TEST(RemainingTime, CountsFromTheFirstReport) {
  RemainingTime remaining;
  EXPECT_FALSE(remaining.at(0.3, 0));
  EXPECT_FALSE(remaining.at(0.3, 5));
  EXPECT_NEAR(remaining.at(0.4, 1).value(), 6, 1e-9);
}

}  // namespace
}  // namespace fathom::remaining_time_test
