#include "fathom/report/validation_page.hpp"

#include <gtest/gtest.h>

#include "fathom/report/test/items.hpp"
#include "fathom/report/test/recordings.hpp"

namespace fathom::report::validation_page_test {
namespace {

using test::all;

using identify::Recording;
using identify::RecordingResult;
using identify::Validation;
using model::Dof;

/// With one sample that is left out.
Recording with_a_gap(const std::string& name) {
  Recording recording = test::recording_of(name);
  recording.usable[7] = 0;
  return recording;
}

Validation validation_of(const std::vector<Recording>& recordings, Dof dof, bool with_band) {
  Validation validation;
  validation.dof = dof;
  for (const Recording& recording : recordings) {
    RecordingResult result;
    result.name = recording.name;
    result.samples = 20;
    result.prediction.nu_b = recording.track.nu_b;
    result.prediction.compared = recording.usable;
    for (auto& velocity : result.velocities) velocity.metrics.r2 = 0.9;
    if (with_band) {
      result.band.emplace();
      result.band->low = recording.track.nu_b.array() - 1;
      result.band->high = recording.track.nu_b.array() + 1;
      result.band->compared = recording.usable;
    }
    validation.recordings.push_back(std::move(result));
  }
  return validation;
}

struct Made {
  std::vector<Recording> recordings;
  Validation four, six;
  identify::DofComparison comparison;
  Page page;
};
Made make(int logs, bool with_band, double limit = std::numeric_limits<double>::quiet_NaN()) {
  Made made;
  for (int k = 0; k < logs; ++k) made.recordings.push_back(with_a_gap("log " + std::to_string(k)));
  made.four = validation_of(made.recordings, Dof::four, with_band);
  made.six = validation_of(made.recordings, Dof::six, false);
  made.comparison.verdict = "4-DoF is enough.";
  made.page =
      validation_page({"rov", &made.four, &made.six, &made.comparison, made.recordings, limit, "by a test"});
  return made;
}

TEST(ValidationPage, PlotsMeasuredPredictedAndBandOfEveryVelocity) {
  const Made made = make(2, true);
  const auto plots = all<Plot>(made.page);
  ASSERT_EQ(plots.size(), 2u * 4);
  EXPECT_EQ(plots[5]->title, "log 1: sway");
  ASSERT_EQ(plots[5]->series.size(), 2u);
  EXPECT_EQ(plots[5]->series[0].y[3], made.recordings[1].track.nu_b(1, 3));
  EXPECT_TRUE(std::isnan(plots[5]->series[0].y[7])) << "what is not usable is a gap";
  ASSERT_EQ(plots[5]->bands.size(), 1u);
  EXPECT_EQ(plots[5]->bands[0].high[3], made.recordings[1].track.nu_b(1, 3) + 1);
  EXPECT_NE(to_html(made.page).find("R\u00b2 over logs"), std::string::npos);
}

TEST(ValidationPage, HasBoxesOfSeveralLogsOnly) {
  ASSERT_EQ(all<Boxes>(make(3, false).page).size(), 1u);
  const Made made = make(3, false);
  const Boxes& boxes = *all<Boxes>(made.page)[0];
  EXPECT_EQ(boxes.names, (std::vector<std::string>{"4-DoF", "6-DoF"}));
  EXPECT_EQ(boxes.groups, (std::vector<std::string>{"surge", "sway", "heave", "yaw"}));
  EXPECT_EQ(boxes.values[1][3].median, 0.9);
  EXPECT_TRUE(all<Boxes>(make(1, false).page).empty());
}

TEST(ValidationPage, PlotsSixLogsAndSaysSo) {
  const Made made = make(8, false);
  EXPECT_EQ(all<Plot>(made.page).size(), 6u * 4);
  EXPECT_NE(to_html(made.page).find("Plotted: the first 6 of 8 logs."), std::string::npos);
}

TEST(ValidationPage, SaysWhatIsBelowTheLimitAndWhatRanAway) {
  EXPECT_EQ(to_html(make(1, false, 0.8).page).find("below the limit"), std::string::npos);
  EXPECT_NE(to_html(make(1, false, 0.95).page).find("below the limit of 0.95"), std::string::npos);
  Made made = make(1, false);
  made.four.recordings[0].prediction.diverged = 5;
  const Page page =
      validation_page({"rov", &made.four, &made.six, &made.comparison, made.recordings, 0.5, "by a test"});
  EXPECT_NE(to_html(page).find("The model runs away on log 0: 5 of 20 samples"), std::string::npos);
}

}  // namespace
}  // namespace fathom::report::validation_page_test
