#include "fathom/model_file/internal/lint.hpp"

#include <functional>

#include <gtest/gtest.h>

#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::lint_test {
namespace {

/// small_file() with sources, so that there is nothing to say of it.
Robot clean_robot() {
  return parse_robot(test::with(test::with(test::small_file(), "hull:\n", "hull:\n  source: tank\n"),
                                "  - name: hull\n", "  - name: hull\n    source: tank\n"),
                     "clean.yaml");
}

/// The findings about the clean robot with one change, a line each.
std::string lint(const std::function<void(RobotSpec&)>& change) {
  RobotSpec spec = clean_robot().spec();
  change(spec);
  std::string text;
  for (const Finding& finding : internal::lint_robot(Robot::make(spec), Environment()))
    text += (text.empty() ? "" : "\n") + to_string(finding.severity) + ": " + finding.text();
  return text;
}

/// Eight thrusters that push in every direction, all with limits.
void add_thrusters(RobotSpec& spec) {
  const double s = 1, h = 0.2;
  const std::pair<Vec3, Vec3> poses[] = {
      {{h, h, 0}, {s, -s, 0}}, {{h, -h, 0}, {s, s, 0}},  {{-h, h, 0}, {s, s, 0}},  {{-h, -h, 0}, {s, -s, 0}},
      {{h, h, 0}, {0, 0, -1}}, {{h, -h, 0}, {0, 0, -1}}, {{-h, h, 0}, {0, 0, -1}}, {{-h, -h, 0}, {0, 0, -1}}};
  for (const auto& [position, direction] : poses) {
    Thruster thruster;
    thruster.name = "t" + std::to_string(spec.thrusters.size());
    thruster.position_b = {position, "drawing", false, {}};
    thruster.direction_b = {direction, "drawing", false, {}};
    thruster.force = {ForceRange{-10, 10}, "data sheet", false, {}};
    spec.thrusters.push_back(thruster);
  }
}

TEST(Lint, HasNothingToSayOfACleanRobot) {
  EXPECT_EQ(lint([](RobotSpec&) {}), "");
  EXPECT_EQ(lint(add_thrusters), "");
}

TEST(Lint, NotesThrustersWithoutLimits) {
  EXPECT_EQ(lint([](RobotSpec& s) {
              add_thrusters(s);
              s.thrusters[5].force.reset();
            }),
            "note: thrusters[5] has no force limits (add force: [min, max] in N, or a map)");
}

TEST(Lint, CountsValuesWithoutASource) {
  EXPECT_EQ(
      lint([](RobotSpec& s) {
        s.hull.volume.source = s.hull.added_mass.source = s.damping[0].linear.source = "";
      }),
      "note: hull.volume and 2 more have no source (say where each number comes from: source: or assumed:)");
}

TEST(Lint, SaysOfOneValueThatItHasNoSource) {
  EXPECT_EQ(lint([](RobotSpec& s) { s.hull.volume.source = ""; }),
            "note: hull.volume has no source (say where each number comes from: source: or assumed:)");
}

TEST(Lint, FindsNoErrorInAnyRobotThatShipsWithFathom) {
  for (const Robot& robot : test::all_robots()) {
    const Findings findings = internal::lint_robot(robot, Environment());
    EXPECT_FALSE(has_errors(findings)) << robot.name();
    for (const Finding& finding : findings)
      EXPECT_EQ(finding.message.find("no source"), std::string::npos) << robot.name() << ": " << finding.text();
  }
}

}  // namespace
}  // namespace fathom::model::lint_test
