#include "fathom/model/internal/lint.hpp"

#include <functional>

#include <gtest/gtest.h>

#include "fathom/geometry/test/random_geometry.hpp"
#include "fathom/model/test/robots.hpp"

namespace fathom::model::lint_test {
namespace {

/// small_file with sources, so that there is nothing to say of it.
Robot clean_robot() {
  return parse_robot(test::with(test::with(test::small_file, "hull:\n", "hull:\n  source: tank\n"),
                                "  - name: hull\n", "  - name: hull\n    source: tank\n"),
                     "clean.yaml");
}

/// The findings about the clean robot with one change, a line each.
std::string lint(const std::function<void(RobotSpec&)>& change,
                 const Environment& environment = Environment()) {
  RobotSpec spec = clean_robot().spec();
  change(spec);
  std::string text;
  for (const Finding& finding : internal::lint_robot(Robot::make(spec), environment))
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

TEST(Lint, AsksAboutDensitiesOfNoVehicle) {
  EXPECT_EQ(
      lint([](RobotSpec& s) { s.hull.volume.value = 0.2; }),
      "error: hull.mass over hull.volume is 57.5 kg/m^3: no vehicle has that density (tonnes, grams or litres? "
      "Fathom wants kg and m^3)");
  EXPECT_NE(lint([](RobotSpec& s) { s.hull.volume.value = 0.001; }).find("is 1.15e+04 kg/m^3: no vehicle has"),
            std::string::npos);
}

TEST(Lint, AsksAboutNetBuoyancy) {
  EXPECT_EQ(
      lint([](RobotSpec& s) { s.hull.volume.value = 0.01035; }),
      "warning: hull.volume makes the vehicle sink by 10.0 % of its weight in water of 1000 kg/m^3 (trimmed "
      "vehicles are within 1 to 2 %)");
  EXPECT_EQ(
      lint([](RobotSpec& s) { s.hull.volume.value = 0.01265; }),
      "warning: hull.volume makes the vehicle rise by 10.0 % of its weight in water of 1000 kg/m^3 (trimmed "
      "vehicles are within 1 to 2 %)");
  EXPECT_EQ(lint([](RobotSpec& s) { s.hull.volume.value = 0.0119; }), "") << "3.5 % in fresh water";
  EXPECT_NE(lint([](RobotSpec& s) { s.hull.volume.value = 0.0119; }, Environment(1025)), "")
      << "6 % in sea water";
}

TEST(Lint, AsksAboutAVehicleThatTurnsOver) {
  EXPECT_EQ(
      lint([](RobotSpec& s) { s.hull.centre_of_buoyancy.value.z() = 0.03; }),
      "warning: hull.centre_of_buoyancy is 0.01 m below the centre of mass: the vehicle turns over (z is down: "
      "above the origin is negative)");
}

TEST(Lint, AsksAboutOddAddedMass) {
  EXPECT_EQ(lint([](RobotSpec& s) { s.hull.added_mass.value(1, 1) = 230; }),
            "warning: hull.added_mass[1] is 20 times the displaced mass (bluff bodies have 0.5 to 3; a slip of "
            "units?)");
  EXPECT_EQ(lint([](RobotSpec& s) { s.hull.added_mass.value(2, 2) = 0; }),
            "note: hull.added_mass[2] is zero (a sphere has half the displaced mass)");
}

TEST(Lint, AsksAboutAHullThatFillsLittleOfItsSize) {
  EXPECT_EQ(lint([](RobotSpec& s) {
              s.hull.size = {Vec3(5, 1, 1), "ruler", false, {}};
            }),
            "warning: hull.volume fills only 0.23 % of hull.size (litres or centimetres? open frames fill 10 "
            "to 40 %)");
  EXPECT_EQ(lint([](RobotSpec& s) { s.hull.size = {Vec3(0.5, 0.5, 0.5), "ruler", false, {}}; }), "");
}

TEST(Lint, AsksAboutMissingDamping) {
  EXPECT_EQ(lint([](RobotSpec& s) {
              s.damping[0].linear.value(3, 3) = 0;
              s.damping[0].quadratic.value.by_speed[3].setZero();
            }),
            "warning: damping has nothing in roll (the simulated vehicle will never stop there)");
  EXPECT_EQ(lint([](RobotSpec& s) { s.damping[0].linear.value.setZero(); }), "")
      << "quadratic drag stops it too";
}

TEST(Lint, NotesDirectionsWithoutThrust) {
  EXPECT_EQ(
      lint([](RobotSpec& s) {
        add_thrusters(s);
        s.thrusters.resize(4);
      }),
      "note: thrusters span 3 of 6 directions; without, or coupled: heave, roll, pitch (under-actuated by "
      "intention?)");
}

TEST(Lint, NamesTheDirectionsEvenIfTheLostOneLiesEvenlyBetweenAll) {
  // Thrusters whose wrenches [e; r x e] are all perpendicular to [1 1 1 1 1 1].
  const std::string text = lint([](RobotSpec& s) {
    RandomStream random(1, "perpendicular");
    add_thrusters(s);
    for (Thruster& thruster : s.thrusters) {
      const Vec3 e = fathom::test::random_matrix<Vec3>(random).normalized(), n = e.cross(Vec3::Ones());
      thruster.direction_b.value = e;
      thruster.position_b.value = -e.sum() / n.squaredNorm() * n + random.normal() * e.cross(n);
    }
  });
  EXPECT_NE(text.find("note: thrusters span 5 of 6 directions; without, or coupled: "), std::string::npos)
      << text;
  EXPECT_NE(text.find("surge"), std::string::npos) << text;
}

TEST(Lint, NotesThrustersWithoutLimits) {
  EXPECT_EQ(lint([](RobotSpec& s) {
              add_thrusters(s);
              s.thrusters[5].force.reset();
            }),
            "note: thrusters[5] has no force limits (add force: [min, max] in N, or a map)");
}

TEST(Lint, AsksAboutACopiedThruster) {
  EXPECT_EQ(lint([](RobotSpec& s) {
              add_thrusters(s);
              s.thrusters.push_back(s.thrusters[2]);
              s.thrusters[8].name = "copy";
              s.thrusters[8].position_b.value += 0.1 * s.thrusters[2].direction_b.value;  // along its own line
            }),
            "warning: thrusters[8] has the same line of force as thrusters[2] (copied and not edited?)");
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
