
#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "fathom/dynamics/thruster.hpp"
#include "fathom/report/test/items.hpp"
#include "fathom/task/excite/internal/excite.hpp"

namespace fathom::task::excite_vehicle_test {
namespace {

using namespace report;
using report::test::all;

const std::string four_dof = R"(
format: fathom-excitation-1
name: small
title: A small tank
robot: defender-like
structure: vehicle-23
tank: {min: [-3, -2, 0], max: [3, 2, 1.8], clearance: 0.4}
start: {position: [0, 0, 0.8]}
duration: 40
sampling: 0.4
limits: {x: [-2, 2], y: [-1, 1], z: [0.5, 1.2], yaw_deg: [-90, 90], speed: 0.3, turn_rate: 0.5,
         acceleration: 0.2, turn_acceleration: 0.3}
segments:
  - {name: near, limits: {x: [-1, 1]}}
  - {name: far}
starts: 2
)";

struct Made {
  excite::Designer designer{excite::parse_problem(four_dof, "small.yaml", {FATHOM_ROBOTS_DIR})};
  ExciteResult::Vehicle evidence = [this] {
    ThreadPool pool(1);
    excite::DesignOptions options;
    options.solver.iterations = 30;
    excite::Design design = designer.design(pool, options);
    excite::Assessment assessment = excite::assess(designer, design, 1);
    return ExciteResult::Vehicle{designer.problem(), std::move(design), std::move(assessment)};
  }();
};

const ExciteResult::Vehicle& made() {
  static const Made it;
  return it.evidence;
}

Page page_of(const ExciteResult::Vehicle& evidence) {
  return internal::result_of(evidence, {.problem = "small.yaml"}, 1).report();
}
Page made_page() { return page_of(made()); }

template <class Kind>
const Kind& item(const Page& page, const std::string& title) {
  for (const Item& any : page.items)
    if (const Kind* it = std::get_if<Kind>(&any); it && it->title == title) return *it;
  throw std::runtime_error("no " + title);
}

bool has_text(const Page& page, const std::string& title) {
  return std::any_of(page.items.begin(), page.items.end(), [&](const Item& any) {
    const Text* text = std::get_if<Text>(&any);
    return text && text->title == title;
  });
}

TEST(ExciteVehicle, IsAPage) {
  const Page page = made_page();
  EXPECT_EQ(page.title, "A small tank");
  EXPECT_EQ(page.footer, "fathom " + version() + ": excite small.yaml --seed 1");
  EXPECT_NO_THROW(to_html(page));
  EXPECT_FALSE(has_text(page, "Take care"));
  EXPECT_FALSE(has_text(page, "Notes"));
}

TEST(ExciteVehicle, SaysFirstWhatTheMotionPromises) {
  const Page page = made_page();
  const auto& figures = all<Figures>(page).front()->figures;
  ASSERT_EQ(figures.size(), 7u);
  EXPECT_NEAR(std::stod(figures[0].value), 100 * made().assessment.accuracy.error,
              0.01 * 100 * made().assessment.accuracy.error);
  EXPECT_EQ(figures[4].value, "40 s");
  EXPECT_EQ(figures[4].note, "101 samples, one every 0.4 s");
  EXPECT_EQ(figures[6].value, "all held");
  EXPECT_EQ(figures[6].note, "24 limits, checked every 0.04 s");
}

TEST(ExciteVehicle, DrawsEveryMovingCoordinateWithTheLimitsOfEachSegment) {
  const Page page = made_page();
  const Plot& x = item<Plot>(page, "North (x)");
  ASSERT_EQ(x.series.size(), 3u);
  EXPECT_EQ(x.series[0].t.size(), 101u);
  EXPECT_EQ(x.series[1].style, Series::Style::limit);
  EXPECT_EQ(x.series[1].y, (std::vector<double>{-1, -1, -2, -2}));
  EXPECT_EQ(x.series[2].y, (std::vector<double>{1, 1, 2, 2}));
  EXPECT_NEAR(x.series[2].t[2], 20, 0.002);
  ASSERT_EQ(x.marks.size(), 2u);
  EXPECT_EQ(x.marks[1].label, "far");
  EXPECT_EQ(x.marks[1].t, 20);
  EXPECT_NEAR(item<Plot>(page, "Yaw").series[1].y[0], -90, 1e-9);
  EXPECT_THROW(item<Plot>(page, "Roll"), std::runtime_error);
  EXPECT_EQ(item<Plot>(page, "Force that the model predicts").series.size(), 3u);
  EXPECT_EQ(item<Plot>(page, "Torque that the model predicts").series.size(), 1u);
}

TEST(ExciteVehicle, SharedLimitsAreDrawnOnceOthersByName) {
  const Page shared = made_page();
  const Plot& speed = item<Plot>(shared, "Speed in the world");
  ASSERT_EQ(speed.series.size(), 5u);
  EXPECT_EQ(speed.series[4].name, "limits");
  EXPECT_EQ(speed.series[4].y, (std::vector<double>{0.3, 0.3, 0.3, 0.3}));

  ExciteResult::Vehicle of = made();
  excite::Problem& problem = of.problem;
  for (excite::Segment& segment : problem.segments) segment.limits.rate[2] = {-0.2, 0.1};
  problem.segments[1].limits.rate[1] = {};  // no limit is a gap
  const Page page = page_of(of);
  const Plot& own = item<Plot>(page, "Speed in the world");
  ASSERT_EQ(own.series.size(), 9u);
  EXPECT_EQ(own.series[3].name, "x");
  EXPECT_TRUE(std::isinf(own.series[5].y[2]));
  EXPECT_EQ(own.series[8].name, "z");
  EXPECT_EQ(own.series[8].y[0], 0.1);
  EXPECT_NO_THROW(to_html(page));
}

TEST(ExciteVehicle, LimitsOfTheWrenchAreLinesWhereItComesNearElseWords) {
  ExciteResult::Vehicle of = made();
  excite::Problem& problem = of.problem;
  problem.thrusters = excite::ThrusterShare{0.5};
  const Mat6X B = model::allocation_matrix(problem.robot);
  double most = 0;  // of X: every thruster at the end of its range that pushes ahead
  for (Eigen::Index k = 0; k < B.cols(); ++k) {
    const auto range = dynamics::ThrusterModel(problem.robot.thrusters()[static_cast<std::size_t>(k)],
                                               problem.environment.density())
                           .force_range();
    most += 0.5 * std::max(B(0, k) * range.min, B(0, k) * range.max);
  }
  excite::Assessment& assessment = of.assessment;
  assessment.tau.setZero();
  assessment.tau(5, 0) = 0.5 * most;
  const Page page = page_of(of);
  const auto& series = item<Plot>(page, "Force that the model predicts").series;
  ASSERT_EQ(series.size(), 9u);
  EXPECT_EQ(series[4].name, "X");
  EXPECT_EQ(series[4].style, Series::Style::limit);
  EXPECT_NEAR(series[4].y[1], most, 1e-9 * most);
  EXPECT_EQ(series[4].t, (std::vector<double>{0, 40}));
  const auto& torques = item<Plot>(page, "Torque that the model predicts").series;
  ASSERT_EQ(torques.size(), 1u);
  EXPECT_TRUE(torques[0].name.starts_with("N (limits \u2212")) << torques[0].name;
}

TEST(ExciteVehicle, AnAreaInViewIsOutlined) {
  ExciteResult::Vehicle of = made();
  excite::Problem& problem = of.problem;
  problem.view = excite::View{.area_n = {Vec3(0, 0, 2), Vec3(1, 0, 2), Vec3(1, 1, 2)}};
  const Page page = page_of(of);
  const auto& area = item<Scene>(page, "Motion").paths.at(1).points_n;
  ASSERT_EQ(area.size(), 4u);
  EXPECT_EQ(area.back(), Vec3(0, 0, 2));
}

TEST(ExciteVehicle, ThePathPlaysInItsTank) {
  const Page page = made_page();
  const Scene& scene = item<Scene>(page, "Motion");
  ASSERT_EQ(scene.bodies.size(), 1u);
  EXPECT_EQ(scene.bodies[0].t.size(), 101u);
  EXPECT_LT((scene.bodies[0].p_n.front() - Vec3(0, 0, 0.8)).norm(), 1e-12);
  EXPECT_EQ(scene.bodies[0].thrusters.size(), made().problem.robot.thrusters().size());
  ASSERT_TRUE(scene.tank_n);
  EXPECT_EQ(scene.tank_n->max, Vec3(3, 2, 1.8));
  // Each of the twelve edges of the box is there, and nothing else.
  const auto& box = scene.paths.at(0).points_n;
  std::set<std::pair<int, int>> edges;
  const auto corner = [](const Vec3& p) { return (p.x() > 0) + 2 * (p.y() > 0) + 4 * (p.z() > 0.8); };
  for (std::size_t k = 1; k < box.size(); ++k) {
    EXPECT_EQ((box[k] - box[k - 1]).cwiseAbs().cwiseMin(1e-9).sum(), 1e-9);
    edges.insert(std::minmax({corner(box[k]), corner(box[k - 1])}));
  }
  EXPECT_EQ(edges.size(), 12u);
}

TEST(ExciteVehicle, BarsAndTableHaveOneEntryForEachParameter) {
  const Page page = made_page();
  const Bars& bars = item<Bars>(page, "How well each parameter will be known");
  EXPECT_EQ(bars.names.size(), made().assessment.sinusoids ? 4u : 3u);
  ASSERT_EQ(bars.groups.size(), 23u);
  EXPECT_EQ(bars.groups.back(), "W-B");
  double squares = 0;
  for (const double value : bars.values[0]) squares += value * value;
  EXPECT_NEAR(std::sqrt(squares / 23), 100 * made().assessment.accuracy.error, 1e-9);
  const Table& table = item<Table>(page, "Parameters");
  ASSERT_EQ(table.rows.size(), 23u);
  EXPECT_EQ(table.rows[0][0], "m11");
  EXPECT_EQ(table.rows[0][2], "24");
}

TEST(ExciteVehicle, TheSearchEndsWhereTheOutlookIs) {
  const Page page = made_page();
  const Plot& plot = item<Plot>(page, "Predicted error while searching");
  EXPECT_EQ(plot.x_label, "iteration");
  EXPECT_EQ(plot.series[0].y.size(), made().design.history.size());
  EXPECT_NEAR(plot.series[0].y.back(), 100 * made().assessment.accuracy.error, 0.5);
  EXPECT_EQ(item<Table>(page, "Predicted error of all starts").rows.size(), 2u);

  ExciteResult::Vehicle of = made();
  excite::Problem& problem = of.problem;
  problem.criterion = excite::Criterion::condition;
  const Page other = page_of(of);
  EXPECT_NEAR(item<Plot>(other, "Condition number while searching").series[0].y.back(),
              std::exp(made().design.history.back()), 1e-12);
}

TEST(ExciteVehicle, OfEachLimitTheNearestSegmentIsListed) {
  ExciteResult::Vehicle of = made();
  excite::Assessment& assessment = of.assessment;
  assessment.margins = {{"x, segment near", "m", 0.9, 1, 0.1, 3},
                        {"x, segment far", "m", 2.5, 2, -0.5, 30},
                        {"yaw speed, segment far", "rad/s", 0.4, 0.5, 0.1, 25},
                        {"tether", "m", 4, 5, 1, 31}};
  const Page page = page_of(of);
  EXPECT_EQ(item<Text>(page, "Take care").paragraphs.at(0), "A LIMIT IS BROKEN, see the margins");
  const auto& rows = item<Table>(page, "Limits where the path comes nearest to them").rows;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], (Row{"x, segment far", "2.5", "2", "\u22120.5", "m", "30.00", "fail"}));
  EXPECT_EQ(rows[1][1], "22.92");
  EXPECT_EQ(rows[1][4], "deg/s");
  EXPECT_EQ(rows[2][6], "pass");
}

TEST(ExciteVehicle, SaysWhatHoldsADesignNearTheBestMultisine) {
  ExciteResult::Vehicle of = made();
  excite::Assessment& assessment = of.assessment;
  const std::string title = "Beside the best multi-sine";
  assessment.margins = {{"x, segment near", "m", 0.99, 1, 0.01, 3}, {"tether", "m", 4, 5, 1, 31}};
  assessment.multisine = assessment.accuracy;
  assessment.multisine->error = assessment.accuracy.error / 0.9;
  const Page near = page_of(of);
  ASSERT_TRUE(has_text(near, title));
  const std::string text = item<Text>(near, title).paragraphs.at(0);
  EXPECT_NE(text.find("is 0.9 of that"), std::string::npos) << text;
  EXPECT_NE(text.find("touches are: x. Wider"), std::string::npos) << text;
  assessment.multisine->error = assessment.accuracy.error / 0.7;
  EXPECT_FALSE(has_text(page_of(of), title));
  assessment.multisine = {};
  EXPECT_FALSE(has_text(page_of(of), title));
}

TEST(ExciteVehicle, SaysWhichLimitsTheSinusoidsBreak) {
  ExciteResult::Vehicle of = made();
  excite::Assessment& assessment = of.assessment;
  ASSERT_TRUE(assessment.sinusoids);
  const auto note = [&] {
    const Page page = page_of(of);
    return all<Figures>(page).front()->figures[1].note;
  };
  EXPECT_EQ(note().find("break"), std::string::npos) << note();
  assessment.sinusoids_break_limits = "tether";
  EXPECT_NE(note().find(", though they break the limits of tether;"), std::string::npos) << note();
  assessment.sinusoids->error = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(note().starts_with("some parameter is not seen")) << note();
}

TEST(ExciteVehicle, ASingularMotionHasAnInfiniteConditionNumber) {
  ExciteResult::Vehicle of = made();
  excite::Assessment& assessment = of.assessment;
  assessment.accuracy.condition = std::numeric_limits<double>::infinity();
  const Page page = page_of(of);
  EXPECT_EQ(all<Figures>(page).front()->figures[2].value, "infinite");
}

TEST(ExciteVehicle, StartsHaveTheNumbersOfTheSummary) {
  const Page page = made_page();
  const auto& rows = item<Table>(page, "Predicted error of all starts").rows;
  EXPECT_TRUE(rows[0][0].text.starts_with("start 0")) << rows[0][0].text;
  const std::string best = "start " + std::to_string(made().design.best);
  EXPECT_EQ(item<Plot>(page, "Predicted error while searching").series[0].name, best);
  EXPECT_EQ(rows[static_cast<std::size_t>(made().design.best)][0], best + ", the best");
}

TEST(ExciteVehicle, TheCertificateSaysWhatItIsOf) {
  ExciteResult::Vehicle of = made();
  const auto note = [&] { return item<Table>(page_of(of), "Certificate of the search").note; };
  EXPECT_EQ(note().find("barrier"), std::string::npos);
  of.assessment.margins.push_back({"tether", "m", 4, 5, 1, 31});
  EXPECT_NE(note().find("at its weight of 1e-5"), std::string::npos) << note();
}

TEST(ExciteVehicle, SaysWhatWentWrong) {
  ExciteResult::Vehicle of = made();
  excite::Design& design = of.design;
  design.interrupted = true;
  design.starts.pop_back();
  design.notes = {"rank 2 died"};
  excite::Assessment& assessment = of.assessment;
  assessment.sinusoids.reset();
  assessment.no_sinusoids = "no room";
  const Page page = page_of(of);
  EXPECT_EQ(item<Text>(page, "Take care").paragraphs.at(0),
            "INTERRUPTED: the best of 1 of 2 starts. A longer search may find a better motion.");
  EXPECT_EQ(item<Text>(page, "Notes").paragraphs,
            (std::vector<std::string>{"rank 2 died", "no sinusoids to compare with: no room"}));
  design.starts.clear();
  design.history.clear();
  EXPECT_NO_THROW(to_html(page_of(of)));
}

}  // namespace
}  // namespace fathom::task::excite_vehicle_test
