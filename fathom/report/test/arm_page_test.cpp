#include "fathom/report/arm_page.hpp"

#include <gtest/gtest.h>

#include "fathom/identify/arm/test/bench_arm.hpp"
#include "fathom/report/test/items.hpp"

namespace fathom::report::arm_page_test {
namespace {

using test::all;

TEST(ArmPage, ShowsTorquesErrorsAndWhatParametersAreMadeOf) {
  const model::Arm built = identify::test::bench_arm(true), drawn = identify::test::bench_arm(false);
  const std::vector<identify::ArmRun> runs = {prepare(identify::test::bench_run(built, 1, 1))};
  const identify::ArmRun unseen = prepare(identify::test::bench_run(built, 2, 2));
  identify::ArmFitOptions options;
  options.down_b = -Vec3::UnitZ();
  options.medium = dynamics::Medium::air;
  options.columns.viscous = true;
  options.columns.coulomb = dynamics::ArmColumns::Coulomb::symmetric;
  const identify::ArmFit fit = fit_arm(drawn, runs, options);
  const Page page = arm_page(
      {&fit, {{&runs[0], true, score(fit, runs[0])}, {&unseen, false, score(fit, unseen)}}, "made here"});
  EXPECT_EQ(all<Plot>(page).size(), 6u);
  EXPECT_EQ(all<Bars>(page).size(), 1u);
  const auto tables = all<Table>(page);
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_EQ(tables[0]->rows.size(), 6u);
  EXPECT_EQ(tables[0]->rows.back().front(), "bench-2-2 (not seen)");
  EXPECT_EQ(tables[1]->rows.size(), fit.rank());
  bool is_grouped = false;
  for (const auto& row : tables[1]->rows) is_grouped |= row.back().text.find(" + ") != std::string::npos;
  EXPECT_TRUE(is_grouped);
  EXPECT_EQ(tables[2]->rows.size(), fit.parameters.size());
  EXPECT_NE(to_html(page).find("made here"), std::string::npos);
}

}  // namespace
}  // namespace fathom::report::arm_page_test
