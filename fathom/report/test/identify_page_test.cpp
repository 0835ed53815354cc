#include "fathom/report/identify_page.hpp"

#include <gtest/gtest.h>

#include "fathom/report/test/items.hpp"
#include "fathom/report/test/recordings.hpp"

namespace fathom::report::identify_page_test {
namespace {

using test::all;
using test::recording_of;

using identify::Identified;
using identify::Recording;

/// Two parameters of a 4-DoF vehicle, residuals of two runs in each of two logs.
Identified found() {
  Identified out;
  out.structure = {"small", model::Dof::four, {*model::term_by_name("m11"), *model::term_by_name("d11")}};
  out.parameters = model::ParameterVector(out.structure.parameters(Eigen::Vector2d(20, 8)),
                                          Eigen::Vector2d(4, 0.25).asDiagonal());
  out.scale = Eigen::Vector2d(40, 10);
  out.wrench.setConstant(10);
  out.fit.residuals.values = Eigen::MatrixXd::Ones(4, 8);
  out.fit.residuals.t = {0, 0.5, 5, 5.5, 0, 0.5, 5, 5.5};
  out.fit.residuals.recording = {0, 0, 0, 0, 1, 1, 1, 1};
  out.fit.residuals.breaks = {0, 2, 4, 6};
  out.fit.whiteness.resize(4);
  return out;
}

struct Made {
  std::vector<Recording> recordings = {recording_of("one"), recording_of("two")};
  model::Robot robot;
  model::ParameterVector before;
  Page page;
};
Made make(const Identified& identified) {
  model::RobotSpec spec;
  spec.name = "ball";
  spec.hull.mass.value = 8;
  spec.hull.volume.value = 8e-3;
  spec.hull.inertia.value = 0.1 * Mat3::Identity();
  Made made{.robot = model::Robot::make(spec), .before = {}, .page = {}};
  made.before = model::ParameterVector(identified.structure.parameters(Eigen::Vector2d(25, 0)),
                                       Eigen::Vector2d(100, 0).asDiagonal());
  made.page = identify_page({&made.robot, &made.before, &identified, made.recordings, "", "by a test"});
  return made;
}

TEST(IdentifyPage, HasIntervalsOfEveryParameter) {
  const Made made = make(found());
  const Table& table = *all<Table>(made.page).front();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0][0], "m11");
  EXPECT_EQ(table.rows[0][2], "20");
  EXPECT_EQ(table.rows[0][3], "16.08");  // 20 - 1.96 x 2
  EXPECT_EQ(table.rows[0][4], "23.92");
  EXPECT_EQ(table.rows[0][6], "25");
  const Bars& bars = *all<Bars>(made.page).front();
  EXPECT_NEAR(bars.values[0][0], 100 * 1.96 * 2 / 40, 1e-3);
  EXPECT_NEAR(bars.values[1][0], 100 * 1.96 * 10 / 40, 1e-3);
  EXPECT_TRUE(std::isnan(bars.values[1][1]));  // the file calls it exact: no bar
}

TEST(IdentifyPage, ResidualsOfEachLogHaveTheirGaps) {
  const Made made = make(found());
  std::vector<const Plot*> plots;
  for (const Plot* plot : all<Plot>(made.page))
    if (plot->title.find("Residual of") != std::string::npos) plots.push_back(plot);
  ASSERT_EQ(plots.size(), 8u);
  EXPECT_EQ(plots[0]->title, "one: Residual of surge");
  EXPECT_EQ(plots[7]->title, "two: Residual of yaw");
  for (const Plot* plot : plots) {
    ASSERT_EQ(plot->series[0].t.size(), 5u);  // four and a gap
    EXPECT_TRUE(std::isnan(plot->series[0].y[2]));
    EXPECT_EQ(plot->series[1].y[0], -2);  // two sigma of residuals that are all 1
  }
  EXPECT_NE(to_html(made.page).find("by a test"), std::string::npos);
}

TEST(IdentifyPage, WarnsOfBoundsAndOfWhatIsNotSeen) {
  EXPECT_NE(all<Text>(make(found()).page).front()->title, "Take care");
  Identified identified = found();
  identified.fit.active = {"d11 >= 0", "quadratic damping |v| of sway and yaw"};
  identified.identifiability.unidentifiable = {1};
  const Made made = make(identified);
  const Text& text = *all<Text>(made.page).front();
  EXPECT_EQ(text.title, "Take care");
  ASSERT_EQ(text.paragraphs.size(), 2u);  // the quadratic matrix is no warning
  EXPECT_NE(text.paragraphs[0].find("d11 >= 0"), std::string::npos);
  EXPECT_NE(text.paragraphs[1].find("do not show d11"), std::string::npos);
  EXPECT_EQ(all<Table>(made.page).front()->rows[1].back(), "no");
}

}  // namespace
}  // namespace fathom::report::identify_page_test
