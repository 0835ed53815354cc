#include "fathom/report/internal/boxes.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"

namespace fathom::report::boxes_test {
namespace {

using fathom::test::error_text;
using internal::box_scale;
using internal::boxes_html;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Boxes boxes_of(std::vector<std::vector<FiveNumbers>> values) {
  Boxes boxes{.title = "R2", .label = "of it", .values = std::move(values)};
  for (std::size_t k = 0; k < boxes.values.size(); ++k) boxes.names.push_back("n" + std::to_string(k));
  for (std::size_t g = 0; g < boxes.values[0].size(); ++g) boxes.groups.push_back("g" + std::to_string(g));
  return boxes;
}

TEST(Boxes, StandOnAScaleFromTickToTick) {
  const auto scale = box_scale(boxes_of({{{0.82, 0.9, 0.93, 0.95, 0.99}}, {{0.71, 0.9, 0.93, 0.95, 0.97}}}));
  ASSERT_EQ(scale.ticks.size(), 4u);
  EXPECT_NEAR(scale.ticks.front(), 0.7, 1e-12);
  EXPECT_NEAR(scale.ticks.back(), 1, 1e-12);
  EXPECT_NEAR(scale.share(0.85), 0.5, 1e-12);
  EXPECT_FALSE(scale.logarithmic);
}

TEST(Boxes, MayBeNegativeOrOfOneNumber) {
  const auto negative = box_scale(boxes_of({{{-3.2, -1, 0, 0.5, 0.9}}}));
  EXPECT_LE(negative.low, -3.2);
  EXPECT_GE(negative.high, 0.9);
  EXPECT_LE(negative.ticks.size(), 7u);
  for (const double value : {0.97, 0.0, -4.0}) {
    const auto one = box_scale(boxes_of({{{value, value, value, value, value}}}));
    EXPECT_GE(one.share(value), 0);
    EXPECT_LE(one.share(value), 1);
    EXPECT_LT(one.low, one.high) << value;
  }
}

TEST(Boxes, SayTheirFiveNumbersToEveryReader) {
  const std::string html = boxes_html(boxes_of({{{0, 0.25, 0.5, 0.75, 1}}}));
  EXPECT_NE(html.find("title=\"g0, n0: median 0.5, quartiles 0.25 and 0.75, from 0 to 1\""), std::string::npos);
  EXPECT_NE(html.find("class=\"whisker\" style=\"--from:0.00%;--to:100.00%\""), std::string::npos);
  EXPECT_NE(html.find("class=\"quartiles\" style=\"--from:25.00%;--to:75.00%\""), std::string::npos);
  EXPECT_NE(html.find("class=\"median\" style=\"--from:50.00%;--to:50.00%\""), std::string::npos);
}

TEST(Boxes, OfNothingAreEmpty) {
  const Boxes boxes = boxes_of({{{nan, nan, nan, nan, nan}}});
  EXPECT_TRUE(box_scale(boxes).ticks.empty());
  EXPECT_EQ(boxes_html(boxes).find("nan"), std::string::npos);
  EXPECT_EQ(boxes_html(boxes).find("whisker"), std::string::npos);
}

TEST(Boxes, RefuseWhatCannotBeDrawn) {
  Page page;
  Boxes boxes = boxes_of({{{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}}, {{0, 1, 0.5, 3, 4}, {0, 1, 2, 3, 4}}});
  boxes.names.pop_back();
  boxes.values[0].pop_back();
  page.items.emplace_back(boxes);
  EXPECT_EQ(error_text([&] { to_html(page); }),
            "boxes 'R2' have 2 lists for 1 names (one for each name)\n"
            "boxes 'R2' list 1 has 1 boxes for 2 groups (one for each group; NaN where there is none)\n"
            "boxes 'R2' list 2 has five numbers that fall (least, quartile, median, quartile, most)");
}

}  // namespace
}  // namespace fathom::report::boxes_test
