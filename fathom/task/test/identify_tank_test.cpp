#include <gtest/gtest.h>

#include "fathom/base/file.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/report/test/items.hpp"
#include "fathom/task/identify/tank.hpp"

namespace fathom::task::identify_tank_test {
namespace {

using report::Plot;
using report::Table;
using report::test::all;

const std::filesystem::path examples = std::filesystem::path(FATHOM_SOURCE_DIR) / "examples/tank";

Context context() {
  Context context;
  context.paths.robots = {FATHOM_ROBOTS_DIR};
  return context;
}

/// Saved and loaded: the same numbers, text, files and robot, without what the plots come from.
template <class Result>
void expect_round_trip(Result result) {
  const fathom::test::TemporaryFolder folder;
  OutputFolder out(folder / "out", {"identify"});
  result.save(out);
  Result again = Result::load(folder / "out");
  OutputFolder other(folder / "again", {"identify"});
  const auto files = again.summary.files;
  again.save(other);
  EXPECT_EQ(again.summary.files.size(), files.size());  // of the new folder alone
  again.summary.files = files;
  EXPECT_EQ(again.to_json(), result.to_json());
  EXPECT_EQ(read_file(folder / "out" / "summary.json"), result.to_json());
  ASSERT_EQ(again.files().size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(again.files()[k].bytes, result.files()[k].bytes);
  EXPECT_EQ(again.files()[0].name, "robot.yaml");
  EXPECT_EQ(to_text(again.report(), 100), to_text(result.report(), 100));
  EXPECT_TRUE(all<Plot>(again.report()).empty());
}

TEST(IdentifyTowing, ReportNamesWhatWasLeftOutAndShowsHowItWasCut) {
  TowingResult result = identify_towing({(examples / "surge.yaml").string(), "bluerov2-heavy"}, context());
  identify::TowedRecord lost = result.evidence->found.records.front();
  lost.name = "lost";
  lost.steady = {{}, "it never settles"};
  result.evidence->found.records.push_back(lost);
  result.summary.runs.push_back({.name = "lost", .left_out = "it never settles"});
  const report::Document document = result.report();
  const auto plots = all<Plot>(document);
  ASSERT_EQ(plots.size(), 5u);  // drag, what is left of it, a good run, the outlier, the one that never settles
  ASSERT_EQ(plots[0]->series.size(), 3u);
  EXPECT_EQ(plots[0]->series[1].t.size(), 19u);
  EXPECT_EQ(plots[0]->series[2].t.size(), 1u);
  EXPECT_EQ(plots[0]->marks.at(0).label, "ahead-6b");
  const report::Band& band = plots[1]->bands.at(0);
  for (std::size_t k = 0; k < band.t.size(); ++k) EXPECT_NEAR(band.low[k], -band.high[k], 1e-9);
  EXPECT_EQ(plots[3]->title, "Run ahead-6b");
  EXPECT_EQ(plots[4]->title, "Run lost");
  const auto tables = all<Table>(document);
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0]->rows.size(), 3u);
  ASSERT_EQ(tables[1]->rows.size(), 21u);
  EXPECT_EQ(tables[1]->rows.back().back().text, "left out: it never settles");
  const std::string page = to_html(document), text = to_text(document, 100);
  EXPECT_NE(page.find("--what towing"), std::string::npos);
  for (const char* words : {"left out: ahead-6b, +", "left out: lost, it never settles", "sway not tested"})
    EXPECT_NE(text.find(words), std::string::npos) << words;
}

TEST(IdentifyTowing, PutsDragIntoTheRobotAndReadsBack) {
  const TowingResult result =
      identify_towing({(examples / "surge.yaml").string(), "bluerov2-heavy"}, context());
  const auto linear = result.robot->damping().front().linear.value;
  EXPECT_EQ(linear(0, 0), result.summary.all.c1.estimate);
  EXPECT_EQ(linear(1, 1), result.summary.supposed.at(0).linear);
  expect_round_trip(result);
}

TEST(IdentifyTowing, NeedsARobotForAxesNotTested) {
  EXPECT_THROW(identify_towing({(examples / "surge.yaml").string()}, context()), InputError);
  EXPECT_THROW(identify_towing({(examples / "roll.yaml").string()}, context()), InputError);
  EXPECT_THROW(identify_towing({}, context()), InputError);
  EXPECT_THROW(TowingResult::from_json("{}"), InputError);
}

TEST(IdentifyDecay, DrawsEveryRunMeasuredAndFitted) {
  const DecayResult result = identify_decay({(examples / "roll.yaml").string()});
  EXPECT_FALSE(result.robot);
  const report::Document document = result.report();
  const auto plots = all<Plot>(document);
  ASSERT_EQ(plots.size(), 4u);
  EXPECT_NEAR(plots[0]->series[0].y.front(), 20, 0.5);  // degrees
  EXPECT_EQ(plots[0]->series[0].t.size(), plots[0]->series[1].t.size());
  EXPECT_EQ(plots[3]->series.size(), 3u);
  EXPECT_EQ(all<Table>(document).size(), 3u);
  const std::string page = to_html(document);
  for (const char* words : {"--what decay", "The inertia was known: 0.46 \u00b1 0.03."})
    EXPECT_NE(page.find(words), std::string::npos) << words;
}

TEST(IdentifyDecay, PutsInertiaIntoTheRobotAndReadsBack) {
  const DecayResult result = identify_decay({(examples / "roll.yaml").string(), "bluerov2-heavy"}, context());
  EXPECT_NE(result.yaml.find("inertia: {value: 0.46, sigma: 0.03, unit: kg m^2}"), std::string::npos);
  EXPECT_EQ(result.summary.command, "identify --what decay --campaign " + (examples / "roll.yaml").string() +
                                        " --robot bluerov2-heavy");
  expect_round_trip(result);
}

TEST(IdentifyDecay, NeedsAKnownNumberForARobot) {
  const fathom::test::TemporaryFolder folder;
  std::filesystem::copy(examples, folder / "tank");
  std::string text = read_file(folder / "tank/roll.yaml");
  text.replace(text.find("known:"), 6, "# known:");
  write_file_atomically(folder / "tank/roll.yaml", text);
  const std::string campaign = (folder / "tank/roll.yaml").string();
  EXPECT_THROW(identify_decay({campaign, "bluerov2-heavy"}, context()), InputError);
  const DecayResult result = identify_decay({campaign});
  EXPECT_FALSE(result.summary.coefficients);
  EXPECT_NE(to_text(result.report(), 100).find("ratios alone"), std::string::npos);
}

}  // namespace
}  // namespace fathom::task::identify_tank_test
