#include <cmath>

#include <gtest/gtest.h>

#include "fathom/report/test/items.hpp"
#include "fathom/report/test/recordings.hpp"
#include "fathom/task/identify/internal/vehicle.hpp"
#include "fathom/task/identify/vehicle.hpp"

namespace fathom::task::identify_vehicle_test {
namespace {

using identify::Identified;
using report::Bars;
using report::Plot;
using report::Table;
using report::Text;
using report::Where;
using report::test::all;
using report::test::recording_of;

/// Two parameters of a 4-DoF vehicle, residuals of two runs in each of two logs.
Identified found() {
  Identified out;
  out.structure = {"small", model::Dof::four, {*model::term_by_name("m11"), *model::term_by_name("d11")}};
  out.parameters = model::ParameterVector(out.structure.parameters(Eigen::Vector2d(20, 8)),
                                          Eigen::Vector2d(4, 0.25).asDiagonal());
  out.scale = Eigen::Vector2d(40, 10);
  out.wrench.setConstant(10);
  out.fit.naive_covariance = Eigen::Matrix2d::Identity();
  out.fit.residuals.values = Eigen::MatrixXd::Ones(4, 8);
  out.fit.residuals.t = {0, 0.5, 5, 5.5, 0, 0.5, 5, 5.5};
  out.fit.residuals.recording = {0, 0, 0, 0, 1, 1, 1, 1};
  out.fit.residuals.breaks = {0, 2, 4, 6};
  out.fit.whiteness.resize(4);
  out.fit.conic.gap = 1e-9;
  out.fit.conic.f = 12;
  return out;
}

IdentifyVehicleResult result_of(Identified identified, const IdentifyVehicleOptions& options = {}) {
  model::RobotSpec spec;
  spec.name = "ball";
  spec.hull.mass.value = 8;
  spec.hull.volume.value = 8e-3;
  spec.hull.inertia.value = 0.1 * Mat3::Identity();
  spec.hull.added_mass.value.diagonal().setConstant(17);
  const model::Robot robot = model::Robot::make(spec);
  internal::VehicleFit at{
      robot, model::Environment(), {recording_of("one"), recording_of("two")}, "consistent"};
  at.found = std::move(identified);
  IdentifyVehicleSummary summary = internal::summary_of(at, options);
  return {{std::move(summary)},
          robot,
          IdentifyVehicleResult::Evidence{robot, at.environment, at.recordings, at.found}};
}

std::string cell(const Table& table, std::size_t row, const std::string& label, Where medium) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].label == label) return shown(table.rows[row][c], table.columns[c], medium);
  return "no such column";
}

TEST(IdentifyVehicle, DescribesIntervalsOfEveryParameterOnceForBothMedia) {
  IdentifyVehicleResult result = result_of(found());
  result.summary.parameters[1].before_sigma = 0;
  const report::Document document = result.report();
  const Table& table = *all<Table>(document).front();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(cell(table, 0, "parameter", Where::page), "m11");
  EXPECT_EQ(cell(table, 0, "estimate", Where::page), "20");
  EXPECT_EQ(cell(table, 0, "95 % interval", Where::page), "16.08 .. 23.92");  // 20 -+ 1.96 x 2
  EXPECT_EQ(cell(table, 0, "before", Where::page), "25");
  const Bars& bars = *all<Bars>(document).front();
  EXPECT_NEAR(bars.values[0][0], 100 * 1.96 * 2 / 40, 1e-3);
  EXPECT_TRUE(std::isnan(bars.values[1][1]));  // the file calls it exact: no bar
  const std::string text = to_text(document, 100);
  EXPECT_NE(text.find("m11        kg     20        16.08 .. 23.92"), std::string::npos) << text;
  EXPECT_EQ(text.find("Half of the 95 %"), std::string::npos);
}

TEST(IdentifyVehicle, ResidualsOfEachLogHaveTheirGaps) {
  const report::Document document = result_of(found()).report();
  std::vector<const Plot*> plots;
  for (const Plot* plot : all<Plot>(document))
    if (plot->title.find("Residual of") != std::string::npos) plots.push_back(plot);
  ASSERT_EQ(plots.size(), 8u);
  EXPECT_EQ(plots[0]->title, "one: Residual of surge");
  EXPECT_EQ(plots[7]->title, "two: Residual of yaw");
  for (const Plot* plot : plots) {
    ASSERT_EQ(plot->series[0].t.size(), 5u);  // four and a gap
    EXPECT_TRUE(std::isnan(plot->series[0].y[2]));
    EXPECT_EQ(plot->series[1].y[0], -2);  // two sigma of residuals that are all 1
  }
}

TEST(IdentifyVehicle, StatusHasReasonsUnlessTheyAreAccepted) {
  EXPECT_EQ(result_of(found()).status(), Status::done);
  Identified identified = found();
  identified.fit.active = {"d11 >= 0", "quadratic damping |v| of sway and yaw"};
  identified.identifiability.unidentifiable = {1};
  const IdentifyVehicleResult result = result_of(identified);
  EXPECT_EQ(result.status(), Status::check_failed);
  ASSERT_EQ(result.reasons().size(), 2u);  // the quadratic matrix is none
  EXPECT_NE(result.reasons()[0].find("bound hit: d11 >= 0"), std::string::npos);
  EXPECT_NE(result.reasons()[1].find("do not show d11"), std::string::npos);
  const report::Document document = result.report();
  const Text& text = *all<Text>(document)[1];
  EXPECT_EQ(text.title, "Take care");
  EXPECT_EQ(text.paragraphs.size(), 2u);
  EXPECT_EQ(shown(all<Table>(document).front()->rows[1].back(), {"remark"}, Where::page), "not identifiable");
  EXPECT_EQ(cell(*all<Table>(document).front(), 1, "95 % interval", Where::page), "-");
  EXPECT_FALSE(result.summary.parameters[1].interval_95);
  IdentifyVehicleOptions lenient;
  lenient.accept_bounds = lenient.accept_unseen = true;
  EXPECT_EQ(result_of(identified, lenient).status(), Status::done);
}

TEST(IdentifyVehicle, JsonReadsBackToTheSameNumbers) {
  const IdentifyVehicleResult result = result_of(found());
  IdentifyVehicleResult again{{IdentifyVehicleResult::from_json(result.to_json())}, result.robot, {}};
  EXPECT_EQ(again.to_json(), result.to_json());
  EXPECT_EQ(again.summary.parameters[0].interval_95, result.summary.parameters[0].interval_95);
  EXPECT_TRUE(all<Plot>(again.report()).empty());  // nothing to draw without the logs
  EXPECT_EQ(to_text(again.report(), 100), to_text(result.report(), 100));
}

}  // namespace
}  // namespace fathom::task::identify_vehicle_test
