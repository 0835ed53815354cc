#include "fathom/task/demo/demo.hpp"

#include <gtest/gtest.h>

#include "fathom/report/test/items.hpp"

namespace fathom::task::demo_test {
namespace {

using report::Plot;
using report::Table;
using report::Where;
using report::test::all;

/// Numbers of a demo without its evidence.
DemoResult result() {
  DemoResult out;
  DemoSummary& s = out.summary;
  s.identification.structure = "quadratic";
  s.identification.candidates = {{"6dof", 30, nan, nan, nan, "roll hardly moves"},
                                 {"quadratic", 14, 1.5, 0.25, 0.125, ""}};
  s.identification.parameters = {{"m11", "kg", 24, 25, 1, 23.04, 26.96, true},
                                 {"d11", "N s/m", 5, 8, 0.5, 7.02, 8.98, false}};
  s.identification.intervals_that_hold = 1;
  s.tracking.identified = DemoSummary::Track{0.02, 0.05, 0};
  s.checks = {{"yaw is well", true}};
  s.checks_hold = true;
  return out;
}

std::vector<std::string> row_of(const Table& table, std::size_t row, Where medium) {
  std::vector<std::string> cells;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (appears(table.columns[c].where, medium))
      cells.push_back(shown(table.rows[row][c], table.columns[c], medium));
  return cells;
}

TEST(Demo, SetsParametersBesideTheTruth) {
  const report::Document document = result().report();
  const Table& table = *all<Table>(document)[1];
  ASSERT_EQ(table.rows.size(), 2u);
  using Words = std::vector<std::string>;
  EXPECT_EQ(row_of(table, 0, Where::page),
            (Words{"1", "m11", "kg", "24.000", "25.000", "23.040", "26.960", "yes"}));
  EXPECT_EQ(row_of(table, 1, Where::terminal),
            (Words{"d11", "N s/m", "5.000", "8.000", "7.020 .. 8.980", "misses"}));
  const Plot& errors = *all<Plot>(document).front();
  EXPECT_EQ(errors.series[0].y, (std::vector<double>{1, 6})) << "in sigmas";
  EXPECT_FALSE(errors.x_label.empty()) << "not over time";
}

TEST(Demo, SaysWhatHoldsTheEstimateBack) {
  DemoResult made = result();
  EXPECT_NE(to_html(made.report()).find("No condition."), std::string::npos);
  made.summary.identification.active_constraints = {"d66 >= 0"};
  for (const std::string& text : {to_html(made.report()), to_text(made.report(), 100)})
    EXPECT_NE(text.find("BOUND HIT: d66"), std::string::npos);
}

TEST(Demo, SaysWhatFailsRanAwayAndWasNotTried) {
  DemoResult made = result();
  EXPECT_EQ(made.status(), Status::done);
  EXPECT_EQ(to_html(made.report()).find("Checks that do not hold"), std::string::npos);
  made.summary.checks = {{"yaw is poor", false}};
  const std::string html = to_html(made.report()), text = to_text(made.report(), 100);
  for (const char* words : {"Checks that do not hold", "yaw is poor", "ran away", "roll hardly moves"})
    EXPECT_NE(html.find(words), std::string::npos) << words;
  for (const char* words : {"A CHECK FAILED: yaw is poor", "ran away", "0.2500 +- 0.1250"})
    EXPECT_NE(text.find(words), std::string::npos) << words;
}

TEST(Demo, JsonReadsBackToTheSameNumbers) {
  const DemoResult made = result();
  EXPECT_EQ((DemoResult{{DemoResult::from_json(made.to_json())}, {}}.to_json()), made.to_json());
  EXPECT_NE(made.to_json().find("\"true\": 24.0"), std::string::npos);
}

}  // namespace
}  // namespace fathom::task::demo_test
