#include "fathom/report/internal/bars.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"

namespace fathom::report::bars_test {
namespace {

using fathom::test::error_text;
using internal::bar_scale;
using internal::bars_html;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Bars bars_of(std::vector<std::vector<double>> values) {
  Bars bars{.title = "Sigmas", .label = "relative", .unit = "%", .values = std::move(values)};
  for (std::size_t k = 0; k < bars.values.size(); ++k) bars.names.push_back("n" + std::to_string(k));
  if (!bars.values.empty())
    for (std::size_t k = 0; k < bars.values[0].size(); ++k) bars.groups.push_back("g" + std::to_string(k));
  return bars;
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

TEST(Bars, StandOnALinearScaleFromZeroUpToTwoDecades) {
  const auto scale = bar_scale(bars_of({{44, 0.5}, {0, nan}}));
  EXPECT_FALSE(scale.logarithmic);
  EXPECT_EQ(scale.share(44), 1);
  EXPECT_EQ(scale.share(11), 0.25);
  EXPECT_EQ(scale.ticks, (std::vector<double>{0, 10, 20, 30, 40}));
}

TEST(Bars, StandOnALogarithmicScaleBeyond) {
  const auto scale = bar_scale(bars_of({{0.02, 200}}));
  EXPECT_TRUE(scale.logarithmic);
  ASSERT_EQ(scale.ticks.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(scale.ticks[k], std::pow(10, static_cast<double>(k) - 2), 1e-9);
  EXPECT_DOUBLE_EQ(scale.share(200), 1);
  EXPECT_NEAR(scale.share(std::sqrt(0.01 * 200)), 0.5, 1e-12);
  EXPECT_GT(scale.share(0.02), 0);
  EXPECT_EQ(scale.share(0), 0);
}

TEST(Bars, KeepTheLeastOnesVisibleAndTheTicksFew) {
  for (const double least : {0.1, 0.09, 0.11, 1e-9})
    for (const double most : {20.0, 1e3, 1e9}) {
      const auto scale = bar_scale(bars_of({{least, most}}));
      EXPECT_GT(scale.share(least), 0.02 * scale.logarithmic) << least << " " << most;
      EXPECT_LE(scale.share(most), 1 + 1e-12);
      EXPECT_LE(scale.ticks.size(), 6u) << least << " " << most;
      EXPECT_GE(scale.ticks.size(), 3u) << least << " " << most;
    }
}

TEST(Bars, OfNothingOrZerosHaveNoTicks) {
  for (const Bars& bars : {Bars(), bars_of({{}}), bars_of({{0, nan, infinity}})}) {
    EXPECT_TRUE(bar_scale(bars).ticks.empty());
    EXPECT_EQ(bars_html(bars).find("nan"), std::string::npos);
  }
}

TEST(Bars, ShowEveryValueAsTextForEveryReader) {
  const std::string html = bars_html(bars_of({{5, infinity}, {2.5, nan}}));
  EXPECT_NE(
      html.find("--size:50.00%;--colour:var(--series-1)\" title=\"g0, n1: 2.5 %\"><span class=\"unseen\">n1 "
                "</span><i></i><span class=\"value\">2.5</span>"),
      std::string::npos);
  EXPECT_NE(html.find("title=\"g1, n0: \u221e %\""), std::string::npos);
  EXPECT_NE(html.find("title=\"g1, n1: \u2013 %\""), std::string::npos);
  EXPECT_EQ(html.find("logarithmic"), std::string::npos);
}

TEST(Bars, OfManyGroupsStandInTwoColumnsEachWithItsAxis) {
  EXPECT_EQ(count(bars_html(bars_of({std::vector<double>(10, 1.0)})), "class=\"ticks\""), 1u);
  const std::string html = bars_html(bars_of({std::vector<double>(23, 1.0)}));
  EXPECT_EQ(count(html, "class=\"ticks\""), 2u);
  EXPECT_EQ(count(html, "<i></i>"), 23u);
}

TEST(Bars, RefuseWhatCannotBeDrawn) {
  Page page;
  Bars bars = bars_of({{1, 2}, {1, -2}});
  bars.values[0].pop_back();
  bars.names.pop_back();
  page.items.emplace_back(bars);
  EXPECT_EQ(error_text([&] { to_html(page); }),
            "bars 'Sigmas' have 2 lists of values for 1 names (one for each name)\n"
            "bars 'Sigmas' list 1 has 1 values for 2 groups (one for each group; NaN where there is none)\n"
            "bars 'Sigmas' list 2 has the value -2 (bars begin at zero)");
}

}  // namespace
}  // namespace fathom::report::bars_test
