#include "fathom/task/validate/validate.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/file.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/report/test/items.hpp"
#include "fathom/task/simulate/simulate.hpp"

namespace fathom::task::validate_test {
namespace {

using identify::Recording;
using report::Boxes;
using report::Plot;
using report::test::all;

const model::Robot& robot() {
  static const model::Robot read =
      model::read_robot(std::filesystem::path(FATHOM_ROBOTS_DIR) / "bluerov2-heavy.yaml");
  return read;
}

/// A pilot's dive of 15 s, with one sample that is left out.
Recording with_a_gap(const std::string& name) {
  static const Recording dive = [] {
    const fathom::test::TemporaryFolder folder;
    write_file_atomically(folder / "dive.yaml", R"(format: fathom-scenario-1
name: pushes
duration: 15
vehicles:
  - name: rov
    robot: bluerov2-heavy
    start: {position: [0, 0, 20]}
    control: {kind: joystick, share: 0.3, axes: [surge, sway, heave, yaw], hold: [0.5, 4]}
)");
    Context context;
    context.paths.robots = {FATHOM_ROBOTS_DIR};
    const SimulateResult simulated = simulate({(folder / "dive.yaml").string()}, context);
    return identify::make_recording(*simulated.log, "dive", robot(), model::Environment());
  }();
  Recording recording = dive;
  recording.name = name;
  recording.usable[300] = 0;
  return recording;
}

ValidateResult result_of(int logs, int members, const ValidateOptions& options = {}) {
  std::vector<Recording> recordings;
  for (int k = 0; k < logs; ++k) recordings.push_back(with_a_gap("log " + std::to_string(k)));
  ValidateOptions how = options;
  how.members = members;
  return validate(robot(), model::Environment(), std::move(recordings), how);
}

TEST(Validate, PlotsMeasuredPredictedAndBandOfEveryVelocity) {
  ValidateOptions four;
  four.dof = "4";
  const ValidateResult result = result_of(2, 8, four);
  const report::Document document = result.report();
  const auto plots = all<Plot>(document);
  ASSERT_EQ(plots.size(), 2u * 4);
  EXPECT_EQ(plots[5]->title, "log 1: sway");
  ASSERT_EQ(plots[5]->series.size(), 2u);
  EXPECT_EQ(plots[5]->series[0].y[299], result.evidence->recordings[1].track.nu_b(1, 299));
  EXPECT_TRUE(std::isnan(plots[5]->series[0].y[300])) << "what is not usable is a gap";
  EXPECT_EQ(plots[5]->bands.size(), 1u);
  EXPECT_TRUE(result.summary.logs[0].band);
  EXPECT_NE(to_html(document).find("R\u00b2 over logs"), std::string::npos);
}

TEST(Validate, HasBoxesOfSeveralLogsOnly) {
  ValidateOptions four;
  four.dof = "4";
  const report::Document document = result_of(3, 0, four).report();
  ASSERT_EQ(all<Boxes>(document).size(), 1u);
  const Boxes& boxes = *all<Boxes>(document)[0];
  EXPECT_EQ(boxes.names, (std::vector<std::string>{"4-DoF", "6-DoF"}));
  EXPECT_EQ(boxes.groups, (std::vector<std::string>{"surge", "sway", "heave", "yaw"}));
  EXPECT_TRUE(all<Boxes>(result_of(1, 0).report()).empty());
}

TEST(Validate, PlotsSixLogsAndSaysSo) {
  ValidateOptions four;
  four.dof = "4";
  const report::Document document = result_of(8, 0, four).report();
  EXPECT_EQ(all<Plot>(document).size(), 6u * 4);
  EXPECT_NE(to_html(document).find("Plotted: the first 6 of 8 logs."), std::string::npos);
}

TEST(Validate, StatusHasReasons) {
  ValidateOptions strict;
  strict.limit = 1;
  ValidateResult result = result_of(1, 0, strict);  // what sensors measure is never predicted in full
  EXPECT_EQ(result.status(), Status::check_failed);
  ASSERT_EQ(result.reasons().size(), 1u);
  EXPECT_NE(result.reasons()[0].find("below the limit of 1"), std::string::npos);
  EXPECT_NE(to_html(result.report()).find("below the limit of 1"), std::string::npos);
  EXPECT_NE(to_text(result.report(), 100).find("limit 1: FAILED"), std::string::npos);
  result.summary.logs[0].ran_away = 5;
  EXPECT_EQ(result.reasons().size(), 2u);
  EXPECT_NE(to_html(result.report()).find("The model runs away on log 0: 5 of"), std::string::npos);
  EXPECT_EQ(result_of(1, 0).status(), Status::done);
}

/// All that is odd is on the page: of the result, and of its input, a row for what differs in its place alone.
TEST(Validate, PageHasAllWarnings) {
  ValidateResult result = result_of(1, 8);
  ASSERT_FALSE(result.warnings().empty());  // the robot file has no residual statistics
  for (const int line : {3, 7})
    result.input_findings.push_back({Severity::warning, "dive.csv", line, "u", "is odd", ""});
  result.input_findings.push_back({Severity::note, "dive.csv", 9, "", "is short", ""});
  report::Document page = result.report();
  add_warnings(page, result.warnings(), result.input_findings);
  const auto tables = all<report::Table>(page);
  const report::Table& table = *tables.back();
  EXPECT_EQ(table.title, "All warnings");
  ASSERT_EQ(table.rows.size(), result.warnings().size() + 2);
  const report::Row expected = {"warning", "u is odd", "dive.csv:3", 2u};
  EXPECT_EQ(table.rows[result.warnings().size()], expected);
  EXPECT_EQ(table.rows.back().front().text, "note");
}

TEST(Validate, WarnsOfBandsWithResidualsOfAnotherStructure) {
  ValidateResult result;
  ValidateSummary::Log log;
  log.band = ValidateSummary::Band{};
  result.summary.logs = {log};
  result.summary.residual = "of the robot file";
  result.summary.residual_is_6dof = true;
  result.summary.dof = 4;
  ASSERT_EQ(result.warnings().size(), 1u);
  EXPECT_NE(result.warnings().front().find("--dof 6"), std::string::npos);
  result.summary.dof = 6;
  EXPECT_TRUE(result.warnings().empty());
}

TEST(Validate, JsonReadsBackToTheSameNumbers) {
  const ValidateResult result = result_of(2, 8);
  const ValidateResult again{{ValidateResult::from_json(result.to_json())}, {}};
  EXPECT_EQ(again.to_json(), result.to_json());
  EXPECT_EQ(to_text(again.report(), 100), to_text(result.report(), 100));
  EXPECT_TRUE(all<Plot>(again.report()).empty());
}

}  // namespace
}  // namespace fathom::task::validate_test
