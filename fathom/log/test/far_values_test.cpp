// Cells that no motion explains, among those that one does.
#include "fathom/log/far_values.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"

namespace fathom::log::far_values_test {
namespace {

/// A wave of amplitude 2 with a few cells changed, by their lines from 2 on.
FarValues wave(const std::vector<std::pair<int, double>>& changed, int rows = 200) {
  FarValues values;
  for (int k = 0; k < rows; ++k) {
    double value = 2 * std::sin(0.1 * k);
    for (const auto& [line, other] : changed)
      if (line == k + 2) value = other;
    values.add(value, k + 2, 0.01 * k);
  }
  return values;
}

TEST(FarValues, FindsTheFewThatAreFar) {
  const FarValues::Found found = wave({{150, -1e9}, {20, 1e12}, {21, 60}}).found();
  ASSERT_EQ(found.far.size(), 3u);
  EXPECT_EQ(found.far[0].line, 20);
  EXPECT_EQ(found.far[0].value, 1e12);
  EXPECT_NEAR(found.far[0].t, 0.18, 1e-15);
  EXPECT_EQ(found.far[1].line, 21);
  EXPECT_EQ(found.far[2].line, 150);
  EXPECT_NEAR(found.least, -2, 0.01);
  EXPECT_NEAR(found.largest, 2, 0.01);
  EXPECT_EQ((FarValues::Found{{}, -2, 0.5}.others("m")), "while all others lie between -2 and 0.5 m");
}

TEST(FarValues, LeavesAMotionInPeace) {
  EXPECT_TRUE(wave({}).found().far.empty());
  EXPECT_TRUE(wave({{20, 21}}).found().far.empty());  // 19 off a range of 4: within five of it
  EXPECT_EQ(wave({{20, 23}}).found().far.size(), 1u);
  EXPECT_EQ(wave({{20, 7}}).found(1).far.size(), 1u);
  // Five and more are no slip.
  EXPECT_TRUE(wave({{20, 1e6}, {30, 1e6}, {40, 1e6}, {50, 1e6}, {60, 1e6}}).found().far.empty());
  EXPECT_TRUE(wave({{10, 1e6}}, 19).found().far.empty());
}

TEST(FarValues, OfConstantColumnsOnlyTheAbsurd) {
  FarValues flag, force, rounding;
  for (int k = 0; k < 100; ++k) {
    flag.add(k == 50 ? 1 : 0, k);
    force.add(k == 50 ? 1e12 : 0, k);
    force.add(nan, k);
    rounding.add(k == 50 ? 2e-33 : 1e-40 * std::sin(k), k);
  }
  EXPECT_TRUE(flag.found().far.empty());
  EXPECT_TRUE(rounding.found().far.empty());
  EXPECT_EQ(force.found().far.size(), 1u);
}

}  // namespace
}  // namespace fathom::log::far_values_test
