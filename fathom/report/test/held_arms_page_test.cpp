#include "fathom/report/held_arms_page.hpp"

#include <gtest/gtest.h>

#include "fathom/model_file/vehicle_with_arms_file.hpp"
#include "fathom/report/test/items.hpp"

namespace fathom::report::held_arms_page_test {
namespace {

using test::all;

const std::filesystem::path root = std::filesystem::path(FATHOM_SOURCE_DIR);

TEST(HeldArmsPage, ShowsWhereArmsAreAndWhatHoldingThemTakes) {
  const model::VehicleWithArms robot = model::read_vehicle_with_arms(
      root / "examples/vehicle-with-arm/heavy-alpha-5.yaml", {{FATHOM_ROBOTS_DIR}, {root / "data/arms"}});
  const assembly::HeldArms held = assembly::hold_arms(robot);
  const Page page = held_arms_page({&robot,
                                    &held,
                                    {0, 0.5, -0.25, 0},
                                    (Vec6() << 0, 0, -5, 0, 1.3, 0).finished(),
                                    model::Environment(),
                                    {{"whole.yaml", "the robot"}},
                                    "made here"});
  const auto scenes = all<Scene>(page);
  ASSERT_EQ(scenes.size(), 1u);
  EXPECT_EQ(scenes[0]->bodies.size(), 1u);
  EXPECT_EQ(scenes[0]->paths.size(), 4u);
  // The arm hangs: its first joint is below its base by its origin's height.
  const auto& first = scenes[0]->paths[0].points_n;
  EXPECT_NEAR(first[1].z() - first[0].z(), 0.014, 1e-12);
  const auto tables = all<Table>(page);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0]->rows[1], (Row{"alpha", "d", "89.95\u00b0", "0.5 N m", "1 N m", "50"}));
  const auto figures = all<Figures>(page);
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(figures[0]->figures[2].value, "1.3 N m");
  EXPECT_EQ(figures[0]->figures[2].note, "down");  // the vehicle must push its bow up
  EXPECT_EQ(figures[0]->figures.back().value, "50 %");
  EXPECT_NE(to_html(page).find("whole.yaml"), std::string::npos);
}

}  // namespace
}  // namespace fathom::report::held_arms_page_test
