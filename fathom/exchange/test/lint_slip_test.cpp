#include "fathom/exchange/internal/lint_slip.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"

namespace fathom::exchange::lint_slip_test {
namespace {

using internal::digits_swapped;
using internal::likely_slip;
using internal::UnitSlip;

constexpr std::array<UnitSlip, 2> units = {{{1000, "tonnes"}, {0.001, "grams"}}};

std::string meant(double value, double least, double most) {
  return internal::slip_text(likely_slip(value, {std::sqrt(least * most), least, most}, units));
}

TEST(LintSlip, KnowsSignsUnitsDigitsAndPoints) {
  EXPECT_EQ(meant(-13.5, 13, 14), "; 13.5 would fit: a sign slip?");
  EXPECT_EQ(meant(1.863, 1800, 1900), "; 1863 would fit: tonnes?");
  EXPECT_EQ(meant(782.4, 727, 729), "; 728.4 would fit: two digits swapped?");
  EXPECT_EQ(meant(5.73, 7.0, 8.0), "; 7.53 would fit: two digits swapped?") << "the point stays where it is";
  EXPECT_EQ(meant(7284, 700, 800), "; 728.4 would fit: a slipped decimal point?");
  EXPECT_EQ(meant(7284, 1, 800), "; 72.84 would fit: a slipped decimal point?") << "the nearest to the middle";
  EXPECT_EQ(meant(-1.863, 1800, 1900), "; 1863 would fit: tonnes?") << "signs do not hide it";
}

TEST(LintSlip, DoesNotGuessWhatNothingBringsThere) {
  EXPECT_EQ(meant(1, 40, 50), "");
  for (const double bad : {0.0, nan, infinity, -infinity, 1e308, 5e-324}) EXPECT_EQ(meant(bad, 40, 50), "");
}

TEST(LintSlip, SwapsOnlyNeighbours) {
  EXPECT_TRUE(digits_swapped(409.44, 404.94));
  EXPECT_TRUE(digits_swapped(728.4, 782.4));
  EXPECT_FALSE(digits_swapped(123, 321));
  EXPECT_FALSE(digits_swapped(409.44, 409.44));
  EXPECT_FALSE(digits_swapped(nan, nan));
}

}  // namespace
}  // namespace fathom::exchange::lint_slip_test
