#include "fathom/report/arm_excite_page.hpp"

#include <gtest/gtest.h>

#include "fathom/model_file/arm_file.hpp"
#include "fathom/report/test/items.hpp"

namespace fathom::report::arm_excite_page_test {
namespace {

using test::all;

excite::ArmProblem small_problem() {
  excite::ArmProblem problem(model::read_arm(FATHOM_ROBOTS_DIR "/../arms/reach-alpha-5.yaml"));
  problem.name = "small";
  problem.down_b = -Vec3::UnitZ();
  problem.columns.viscous = true;
  problem.harmonics = 2, problem.samples = 20, problem.period = 20;
  problem.starts = 2, problem.iterations = 5;
  return problem;
}

struct Designed {
  excite::ArmDesigner designer{small_problem()};
  excite::ArmDesign design;
  excite::Prediction shown;

  Designed() {
    ThreadPool pool(1);
    design = designer.design(pool);
    shown = excite::arm_accuracy(designer, design);
  }
  Page page() const { return arm_excite_page({&designer.problem(), &design, &shown, 50, "made by a test"}); }
};

TEST(ArmExcitePage, ShowsMotionLimitsParametersAndStarts) {
  const Designed designed;
  const Page page = designed.page();
  EXPECT_EQ(page.title, "small");
  const auto plots = all<Plot>(page);
  ASSERT_EQ(plots.size(), 4u);  // positions, speeds, accelerations, efforts
  EXPECT_EQ(plots[0]->y_unit, "deg");
  EXPECT_EQ(plots[0]->series.size(), 4u + 8u);  // each joint, and both ends of its range
  const auto tables = all<Table>(page);
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_EQ(tables[0]->rows.size(), designed.design.margins.size());
  for (const auto& row : tables[0]->rows) EXPECT_EQ(row.back(), "pass");
  EXPECT_EQ(tables[1]->rows.size(), designed.shown.parameters.size());
  EXPECT_EQ(tables[2]->rows.size(), 2u);
  EXPECT_NE(to_html(page).find("made by a test"), std::string::npos);
}

TEST(ArmExcitePage, SaysWhatIsWrongBeforeAnythingElse) {
  Designed designed;
  designed.design.interrupted = true;
  designed.design.margins[0].reached = 2 * designed.design.margins[0].allowed;
  const Page page = designed.page();
  const auto* text = std::get_if<Text>(&page.items.front());
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(text->paragraphs.size(), 2u);
  EXPECT_EQ(all<Table>(page)[0]->rows[0].back(), "fail");
}

}  // namespace
}  // namespace fathom::report::arm_excite_page_test
