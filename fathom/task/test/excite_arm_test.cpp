#include <gtest/gtest.h>

#include "fathom/model_file/arm_file.hpp"
#include "fathom/report/test/items.hpp"
#include "fathom/task/excite/excite.hpp"

namespace fathom::task::excite_arm_test {
namespace {

using report::Document;
using report::Plot;
using report::Table;
using report::Text;
using report::test::all;

const ExciteResult& result() {
  static const ExciteResult made = [] {
    excite::ArmProblem problem(model::read_arm(FATHOM_ROBOTS_DIR "/../arms/reach-alpha-5.yaml"));
    problem.name = "small";
    problem.down_b = -Vec3::UnitZ();
    problem.columns.viscous = true;
    problem.harmonics = 2, problem.samples = 20, problem.period = 20;
    problem.starts = 2, problem.iterations = 5;
    ThreadPool pool(1);
    return excite(problem, {.problem = "small.yaml"}, pool);
  }();
  return made;
}

TEST(ExciteArm, ShowsMotionLimitsParametersAndStarts) {
  const Document page = result().report();
  EXPECT_EQ(page.title, "small");
  const auto plots = all<Plot>(page);
  ASSERT_EQ(plots.size(), 4u);  // positions, speeds, accelerations, efforts
  EXPECT_EQ(plots[0]->y_unit, "deg");
  EXPECT_EQ(plots[0]->series.size(), 4u + 8u);  // each joint, and both ends of its range
  const auto tables = all<Table>(page);
  ASSERT_EQ(tables.size(), 5u);
  EXPECT_EQ(tables[0]->rows.size(), result().summary.margins.size());
  for (const auto& row : tables[0]->rows) EXPECT_EQ(row.back(), "pass");
  EXPECT_EQ(tables[1]->rows.size(), result().summary.parameters.size());
  EXPECT_EQ(tables[2]->rows.size(), 2u);
  EXPECT_EQ(tables[3]->rows.size(), 3u);  // position, speed, effort: of each the nearest joint
  EXPECT_NE(to_html(page).find("excite small.yaml --seed 1"), std::string::npos);
}

TEST(ExciteArm, SaysWhatIsWrongBeforeAnythingElse) {
  ExciteResult wrong = result();
  wrong.summary.interrupted = true;
  wrong.summary.inside_limits = false;
  wrong.summary.margins[0].share_left = -1;
  const Document page = wrong.report();
  EXPECT_EQ(all<Text>(page)[1]->title, "Take care");
  EXPECT_EQ(all<Text>(page)[1]->paragraphs.size(), 2u);
  EXPECT_EQ(all<Table>(page)[0]->rows[0].back(), "fail");
  EXPECT_EQ(wrong.status(), Status::check_failed);
  EXPECT_EQ(wrong.reasons().size(), 2u);
}

TEST(ExciteArm, JsonReadsBackToTheSameNumbers) {
  const ExciteResult again{{ExciteResult::from_json(result().to_json())}, {}};
  EXPECT_EQ(again.to_json(), result().to_json());
  EXPECT_EQ(again.status(), Status::done);
  EXPECT_TRUE(all<Plot>(again.report()).empty());
  EXPECT_EQ(all<Table>(again.report()).size(), 5u);
}

}  // namespace
}  // namespace fathom::task::excite_arm_test
