#include "fathom/report/thruster_page.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
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

/// T = 1e-3 w^2 - 0.1 w u: at 100 rad/s the loss is 1 % for each 0.01 m/s.
TEST(ThrusterPage, DrawsTheLossOverInflow) {
  identify::IdentifiedThruster thruster = found();
  thruster.forward_towed.emplace();
  for (const double w : {50.0, 75.0, 100.0})
    for (const double u : {0.0, 0.2, 0.4})
      thruster.forward_towed->points.push_back({w, u, w * (1e-3 * w - 0.1 * u)});
  thruster.forward_towed->loss = identify_advance_loss(thruster.forward_towed->points);
  thruster.forward_towed->loss.covariance(1, 1) = 1e-6;
  const Page page = thruster_page({"mine", &thruster});
  const auto plots = all<Plot>(page);
  ASSERT_EQ(plots.size(), 6u);
  const Plot &loss = *plots[4], &left = *plots[5];
  ASSERT_EQ(loss.series.size(), 3u);
  EXPECT_EQ(loss.series[2].name, "100 rad/s");
  EXPECT_NEAR(loss.series[2].y.back(), 40, 1e-6);
  EXPECT_NEAR(loss.series[0].y.back(), 80, 1e-6);
  EXPECT_NEAR(loss.bands[2].high.back() - loss.bands[2].low.back(), 2 * 1.96 * 0.4, 1e-2);
  ASSERT_EQ(left.series[1].y.size(), 9u);
  EXPECT_NEAR(left.series[1].y.back(), 20, 1e-6);
  EXPECT_NEAR(left.series[0].y.back(), 20, 1e-6);
  EXPECT_EQ(all<Table>(page).back()->rows.size(), 1u);
  EXPECT_NE(to_html(page).find("Thrust lost to inflow, forward"), std::string::npos);
}

TEST(ThrusterPage, DrawsRunsInTime) {
  identify::IdentifiedThruster thruster = found();
  thruster.table.reset();
  const Eigen::VectorXd times = Eigen::VectorXd::LinSpaced(30, 0, 2.9);
  const Eigen::VectorXd commands = (times.array() < 0.95).select(Eigen::VectorXd::Constant(30, 1500), 1900);
  const identify::StepRun run{"run.csv", times, commands, {}, commands};
  identify::StepLawFit fit{{identify::StepLaw::Base::force, false}};
  fit.numbers.lag = 0.5;
  fit.parameters = {{"time_constant", "s", 0.5, 0.4, 0.6, false, false}};
  fit.held_out = {{"run.csv", nan, 0.9, nan, 1}};
  const identify::StepLawChoice steps{.laws = {fit}};
  const Page page = thruster_page({"mine", &thruster, {}, "", &steps, {run}});
  const Plot& plot = *all<Plot>(page).back();
  EXPECT_EQ(plot.title, "Force in run.csv, R2 not seen 0.9000");
  ASSERT_EQ(plot.series.size(), 2u);
  const double steady = model::force_of_command(thruster.map(), 1900, 0);
  EXPECT_NEAR(plot.series[1].y[29], steady * (1 - std::exp(-1.9 / 0.5)), 1e-9 * steady);
  EXPECT_EQ(all<Figures>(page).front()->figures.back().value, "force");
}

}  // namespace
}  // namespace fathom::report::thruster_page_test
