#include "fathom/report/thruster_page.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/report/test/items.hpp"

namespace fathom::report::thruster_page_test {
namespace {

using test::all;

identify::IdentifiedThruster found() {
  identify::BollardTable table{
      model::CommandUnit::pwm_us, Eigen::VectorXd(42), Eigen::VectorXd(42), {}, {}, {}, {}};
  table.voltages = Eigen::VectorXd(42);
  for (Eigen::Index k = 0; k < 42; ++k) {
    const double x = -400 + 40.0 * static_cast<double>(k % 21);
    table.commands[k] = 1500 + x;
    (*table.voltages)[k] = k < 21 ? 12 : 16;
    table.forces[k] = (*table.voltages)[k] / 16 * (0.03 * x + 2e-4 * std::abs(x) * x);
  }
  return identify_thruster(table, identify::command_of(table), "", {.folds = 4, .resamples = 5});
}

TEST(ThrusterPage, DrawsEveryVoltageWithPointsLawAndBand) {
  const identify::IdentifiedThruster thruster = found();
  const Page page = thruster_page({"mine", &thruster, {"force: column 'f' in N"}, "made here"});
  const auto plots = all<Plot>(page);
  ASSERT_EQ(plots.size(), 4u);  // two of each voltage
  EXPECT_EQ(plots[0]->title, "Force at 12 V");
  EXPECT_EQ(plots[0]->x_label, "command (us)");
  ASSERT_EQ(plots[0]->series.size(), 2u);
  EXPECT_EQ(plots[0]->series[1].t.size(), 22u);  // neutral belongs to both sides
  EXPECT_EQ(plots[0]->bands.at(0).low.size(), 22u);
  for (std::size_t k = 0; k < 22; ++k) EXPECT_LE(plots[0]->bands[0].low[k], plots[0]->bands[0].high[k]);
  EXPECT_LT(plots[0]->bands[0].high.front(), 0);
  for (std::size_t k = 0; k < 22; ++k) {
    EXPECT_LE(plots[1]->bands[0].low[k], 1e-9);
    EXPECT_GE(plots[1]->bands[0].high[k], -1e-9);
    EXPECT_NEAR(plots[1]->series[0].y[k], 0, 0.05);
  }
  ASSERT_FALSE(all<Table>(page).empty());
  EXPECT_EQ(all<Table>(page)[0]->rows.size(), 4u);
  EXPECT_NE(to_html(page).find("made here"), std::string::npos);
}

}  // namespace
}  // namespace fathom::report::thruster_page_test
