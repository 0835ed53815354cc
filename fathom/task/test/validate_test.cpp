#include "fathom/task/validate.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/model/robot_file.hpp"
#include "fathom/report/test/items.hpp"
#include "fathom/report/test/recordings.hpp"

namespace fathom::task::validate_test {
namespace {

using identify::Recording;
using report::Boxes;
using report::Plot;
using report::test::all;

/// With one sample that is left out, and no wrench.
Recording with_a_gap(const std::string& name) {
  Recording recording = report::test::recording_of(name, 60);
  recording.tau_b.setZero(6, 60);
  recording.usable[7] = 0;
  return recording;
}

ValidateResult result_of(int logs, int members, const ValidateOptions& options = {}) {
  std::vector<Recording> recordings;
  for (int k = 0; k < logs; ++k) recordings.push_back(with_a_gap("log " + std::to_string(k)));
  ValidateOptions how = options;
  how.members = members;
  const model::Robot robot =
      model::read_robot(std::filesystem::path(FATHOM_ROBOTS_DIR) / "bluerov2-heavy.yaml");
  return validate(robot, model::Environment(), std::move(recordings), how);
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
  EXPECT_EQ(plots[5]->series[0].y[3], result.evidence->recordings[1].track.nu_b(1, 3));
  EXPECT_TRUE(std::isnan(plots[5]->series[0].y[7])) << "what is not usable is a gap";
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
  strict.limit = 0.95;
  ValidateResult result = result_of(1, 0, strict);  // noise, which no model predicts
  EXPECT_EQ(result.status(), Status::check_failed);
  ASSERT_EQ(result.reasons().size(), 1u);
  EXPECT_NE(result.reasons()[0].find("below the limit of 0.95"), std::string::npos);
  EXPECT_NE(to_html(result.report()).find("below the limit of 0.95"), std::string::npos);
  EXPECT_NE(to_text(result.report(), 100).find("limit 0.95: FAILED"), std::string::npos);
  result.summary.logs[0].ran_away = 5;
  EXPECT_EQ(result.reasons().size(), 2u);
  EXPECT_NE(to_html(result.report()).find("The model runs away on log 0: 5 of 60 samples"), std::string::npos);
  EXPECT_EQ(result_of(1, 0).status(), Status::done);
}

TEST(Validate, JsonReadsBackToTheSameNumbers) {
  const ValidateResult result = result_of(2, 8);
  const ValidateResult again{ValidateResult::from_json(result.to_json()), {}};
  EXPECT_EQ(again.to_json(), result.to_json());
  EXPECT_EQ(to_text(again.report(), 100), to_text(result.report(), 100));
  EXPECT_TRUE(all<Plot>(again.report()).empty());
}

}  // namespace
}  // namespace fathom::task::validate_test
