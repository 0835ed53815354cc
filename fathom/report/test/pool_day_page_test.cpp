#include "fathom/report/pool_day_page.hpp"

#include <gtest/gtest.h>

#include "fathom/model/robot_file.hpp"
#include "fathom/report/test/items.hpp"
#include "fathom/report/test/recordings.hpp"

namespace fathom::report::pool_day_page_test {
namespace {

using test::all;

using identify::Recording;
using identify::Validation;

constexpr const char* robot_text = R"(format: fathom-robot-1
name: box
hull:
  mass: 10
  inertia: [0.1, 0.2, 0.3]
  volume: 0.01
  centre_of_mass: [0, 0, 0]
  centre_of_buoyancy: [0, 0, -0.02]
  added_mass: [5, 5, 5, 0.1, 0.1, 0.1]
  size: [0.5, 0.3, 0.2]
damping: []
)";

Recording steady(const std::string& name, Eigen::Index samples) {
  Recording recording = test::recording_of(name, samples);
  recording.track.nu_b.setConstant(0.25);
  recording.track.p_nb_n.setConstant(0.5);
  return recording;
}

Validation validation_of(const std::vector<Recording>& recordings, double r2) {
  Validation validation;
  validation.dof = model::Dof::four;
  for (const Recording& recording : recordings) {
    identify::RecordingResult result;
    result.name = recording.name;
    result.prediction.nu_b = recording.track.nu_b;
    result.prediction.compared = recording.usable;
    for (auto& velocity : result.velocities) velocity.metrics.r2 = r2;
    validation.recordings.push_back(std::move(result));
  }
  return validation;
}

/// What the page shows, and the page.
struct Made {
  loop::Scenario scenario;
  Recording swum = steady("excitation", 9000);
  std::vector<Recording> unseen = {steady("unseen 1", 20), steady("joystick", 30)};
  Validation chosen = validation_of(unseen, 0.99), linear = validation_of(unseen, 0.8);
  identify::Identified identified;

  Made() {
    scenario.vehicles.push_back({"rov", model::parse_robot(robot_text, "box.yaml"), "box.yaml"});
    identified.structure.name = "quadratic";
    identified.choice.emplace();
    identified.choice->candidates.resize(2);
    identified.choice->candidates[0].why_not = "roll hardly moves";
    identified.choice->candidates[1].structure = identified.structure;
    identified.choice->candidates[1].tried = true;
    identified.choice->chosen = 1;
  }

  Page page(std::vector<std::string> failed = {}) const {
    return pool_day_page({.scenario = &scenario,
                          .swum = &swum,
                          .identified = &identified,
                          .parameters = {{"m11", "kg", 24, 25, 1, true}, {"d11", "N s/m", 5, 8, 0.5, false}},
                          .validation = &chosen,
                          .linear = &linear,
                          .recordings = unseen,
                          .tracking = {{"PID alone", std::nullopt}, {"with", loop::Tracking{0.02, 0.05, 0, 0}}},
                          .failed = std::move(failed),
                          .footer = "by a test"});
  }
};

TEST(PoolDayPage, SetsParametersBesideTheTruth) {
  const Page page = Made().page();
  const Table& table = *all<Table>(page).front();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0],
            (std::vector<std::string>{"1", "m11", "kg", "24.000", "25.000", "23.040", "26.960", "yes"}));
  EXPECT_EQ(table.rows[1].back(), "no");
  const Plot& errors = *all<Plot>(page).front();
  EXPECT_EQ(errors.series[0].y, (std::vector<double>{1, 6})) << "in sigmas";
  EXPECT_FALSE(errors.x_label.empty()) << "not over time";
}

TEST(PoolDayPage, SaysWhatHoldsTheEstimateBack) {
  Made made;
  EXPECT_NE(to_html(made.page()).find("No condition."), std::string::npos);
  made.identified.fit.active = {"d66 >= 0"};
  EXPECT_NE(to_html(made.page()).find("BOUND HIT: d66"), std::string::npos);
}

TEST(PoolDayPage, HasOneSetOfBoxesWithTheSourcesStructureBeside) {
  const Page page = Made().page();
  const auto boxes = all<Boxes>(page);
  ASSERT_EQ(boxes.size(), 1u);
  EXPECT_EQ(boxes[0]->names.front(), "quadratic");
  EXPECT_EQ(boxes[0]->values[0][3].median, 0.99);
  EXPECT_EQ(boxes[0]->values[1][3].median, 0.8);
  EXPECT_EQ(all<Plot>(page).size(), 1u + 2 * 4) << "errors, and four velocities of each log";
}

TEST(PoolDayPage, ShowsTheSwimInNoMorePosesThanAViewNeeds) {
  const Page page = Made().page();
  const Scene& scene = *all<Scene>(page).front();
  ASSERT_EQ(scene.bodies.size(), 1u);
  EXPECT_EQ(scene.bodies[0].t.size(), 3000u);
  EXPECT_EQ(scene.bodies[0].size, Vec3(0.5, 0.3, 0.2));
  EXPECT_NEAR(scene.bodies[0].t.back(), 899.7, 1e-9);
}

TEST(PoolDayPage, SaysWhatFailsRanAwayAndWasNotTried) {
  const Made made;
  EXPECT_EQ(to_html(made.page()).find("Checks that do not hold"), std::string::npos);
  const std::string html = to_html(made.page({"yaw is poor"}));
  for (const char* words :
       {"Checks that do not hold", "yaw is poor", "ran away", "roll hardly moves", "by a test"})
    EXPECT_NE(html.find(words), std::string::npos) << words;
}

}  // namespace
}  // namespace fathom::report::pool_day_page_test
