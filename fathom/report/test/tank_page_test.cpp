#include "fathom/report/tank_page.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "fathom/report/test/items.hpp"

namespace fathom::report::tank_page_test {
namespace {

using test::all;

const std::filesystem::path examples = std::filesystem::path(FATHOM_SOURCE_DIR) / "examples/tank";

TEST(TowingPage, NamesWhatWasLeftOutAndShowsHowItWasCut) {
  const identify::TowingCampaign campaign = identify::read_towing_campaign(examples / "surge.yaml");
  identify::IdentifiedTowing found = identify::identify_towing(campaign);
  identify::TowedRecord lost = found.records.front();
  lost.name = "lost";
  lost.steady = {{}, "it never settles"};
  found.records.push_back(lost);
  const Page page = towing_page({&campaign, &found, "made here"});
  const auto plots = all<Plot>(page);
  ASSERT_EQ(plots.size(), 5u);  // drag, what is left of it, a good run, the outlier, the one that never settles
  ASSERT_EQ(plots[0]->series.size(), 3u);
  EXPECT_EQ(plots[0]->series[1].t.size(), 19u);
  EXPECT_EQ(plots[0]->series[2].t.size(), 1u);
  EXPECT_EQ(plots[0]->marks.at(0).label, "ahead-6b");
  const Band& band = plots[1]->bands.at(0);
  for (std::size_t k = 0; k < band.t.size(); ++k) EXPECT_NEAR(band.low[k], -band.high[k], 1e-9);
  EXPECT_EQ(plots[3]->title, "Run ahead-6b");
  EXPECT_EQ(plots[4]->title, "Run lost");
  const auto tables = all<Table>(page);
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0]->rows.size(), 3u);
  ASSERT_EQ(tables[1]->rows.size(), 21u);
  EXPECT_EQ(tables[1]->rows.back().back(), "left out: it never settles");
  EXPECT_NE(to_html(page).find("made here"), std::string::npos);
}

TEST(DecayPage, DrawsEveryRunMeasuredAndFitted) {
  const identify::DecayCampaign campaign = identify::read_decay_campaign(examples / "roll.yaml");
  const identify::IdentifiedDecay found = identify::identify_decay(campaign);
  const Page page = decay_page({&campaign, &found, "made here"});
  const auto plots = all<Plot>(page);
  ASSERT_EQ(plots.size(), 4u);
  EXPECT_NEAR(plots[0]->series[0].y.front(), 20, 0.5);  // degrees
  EXPECT_EQ(plots[0]->series[0].t.size(), plots[0]->series[1].t.size());
  EXPECT_EQ(plots[3]->series.size(), 3u);
  EXPECT_EQ(all<Table>(page).size(), 3u);
  EXPECT_NE(to_html(page).find("made here"), std::string::npos);
}

}  // namespace
}  // namespace fathom::report::tank_page_test
