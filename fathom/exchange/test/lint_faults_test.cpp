// Each planted fault is caught by the rule that is made for it, at its place and with its remedy, and nothing
// is said of the robots that ship.
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/exchange/test/lint_case.hpp"
#include "fathom/geometry/test/random_geometry.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::exchange::lint_faults_test {
namespace {

using model::RobotSpec;
using test::found_by;
using test::lines_of;
using test::shipped;

struct PlantedFault {
  const char* name;
  const char* robot;
  std::function<void(RobotSpec&)> spoil;
  const char* rule;
  const char* key;
  const char* hint;  ///< words of the remedy
  Target target = Target::fathom;
};

model::DragElement& drag(RobotSpec& s) { return s.damping.at(0); }
double& quadratic(RobotSpec& s, int i) {
  return drag(s).quadratic.value.by_speed.at(static_cast<std::size_t>(i))(i, i);
}
Mat6& added(RobotSpec& s) { return s.hull.added_mass.value; }
Mat3& inertia(RobotSpec& s) { return s.hull.inertia.value; }

void turn_to_radians(RobotSpec& s, std::size_t k, double wrong_degrees) {
  s.thrusters.at(k).direction_b.value = Vec3(std::cos(wrong_degrees), std::sin(wrong_degrees), 0);
}

const std::vector<PlantedFault>& planted_faults() {
  static const std::vector<PlantedFault> faults = {
      {"a sensor of a million samples a second", "bluerov2-heavy",
       [](RobotSpec& s) { s.sensors.at(0).rate_hz.emplace().value = 1e6; }, "sensor-rate", "sensors[0].rate_hz",
       "a period in us"},
      {"a thruster that follows within a microsecond", "bluerov2-heavy",
       [](RobotSpec& s) { s.thrusters.at(0).transient.emplace().law = model::FirstOrder{1e-6}; },
       "time-constant", "thrusters[0].transient", "ms or us"},
      {"a thruster that takes minutes", "bluerov2-heavy",
       [](RobotSpec& s) { s.thrusters.at(1).transient.emplace().law = model::FirstOrder{100}; },
       "time-constant", "thrusters[1].transient", "ms instead of s"},
      {"a mass that is no number", "rexrov", [](RobotSpec& s) { s.hull.mass.value = nan; }, "not-finite",
       "hull.mass", "write the number"},
      {"damping that overflowed", "rexrov", [](RobotSpec& s) { drag(s).linear.value(1, 1) = infinity; },
       "not-finite", "damping[0].linear", "write the number"},
      {"no volume", "rexrov", [](RobotSpec& s) { s.hull.volume.value = 0; }, "no-body", "hull.volume",
       "m^3 of displaced water"},
      {"a moment of inertia of the wrong sign", "rexrov", [](RobotSpec& s) { inertia(s)(0, 0) *= -1; },
       "rigid-inertia", "hull.inertia[0]", "sign slip"},
      {"a product of inertia on one side alone", "rexrov", [](RobotSpec& s) { inertia(s)(0, 2) = 33.41; },
       "rigid-inertia", "hull.inertia[0][2]", "differ by sign alone"},
      {"moments of no body", "bluerov2-heavy", [](RobotSpec& s) { inertia(s)(2, 2) = 0.73; }, "rigid-inertia",
       "hull.inertia", "two moments swapped"},
      {"asymmetric added mass", "rexrov", [](RobotSpec& s) { added(s)(1, 3) = 404.94; }, "asymmetric-inertia",
       "hull.added_mass[1][3]", "swapped digits"},
      {"added mass of SNAME's sign", "bluerov2-heavy", [](RobotSpec& s) { added(s) *= -1; }, "added-mass-sign",
       "hull.added_mass", "sign slip of the whole block"},
      {"one added mass of the wrong sign", "bluerov2-heavy", [](RobotSpec& s) { added(s)(5, 5) *= -1; },
       "added-mass-sign", "hull.added_mass[5]", "looks like a sign slip"},
      {"a coupling that is too large", "rexrov", [](RobotSpec& s) { added(s)(1, 3) = added(s)(3, 1) = 4094.4; },
       "indefinite-inertia", "hull.added_mass", "too large for its diagonal"},
      {"damping of SNAME's sign", "rexrov", [](RobotSpec& s) { drag(s).linear.value *= -1; }, "damping-sign",
       "damping[0].linear", "sign slip of the whole block"},
      {"one damping of the wrong sign", "rexrov", [](RobotSpec& s) { quadratic(s, 4) *= -1; }, "damping-sign",
       "damping[0].quadratic[4]", "looks like a sign slip"},
      {"cross damping that drives", "defender-like", [](RobotSpec& s) { drag(s).linear.value(1, 5) = -40; },
       "damping-energy", "damping[0].linear", "too large for the diagonal"},
      {"no damping in roll", "rexrov",
       [](RobotSpec& s) {
         drag(s).linear.value(3, 3) = 0;
         quadratic(s, 3) = 0;
       },
       "damping-missing", "damping", "fathom prior guesses it"},
      {"1.863 kg for a vehicle of 2.6 x 1.5 x 1.6 m", "rexrov", [](RobotSpec& s) { s.hull.mass.value = 1.863; },
       "density", "hull.mass", "1863 would fit: tonnes instead of kg"},
      {"a volume in litres", "rexrov", [](RobotSpec& s) { s.hull.volume.value *= 1000; }, "density",
       "hull.volume", "litres instead of m^3"},
      {"a mass with two digits swapped", "rexrov", [](RobotSpec& s) { s.hull.mass.value = 8162.87; },
       "net-buoyancy", "hull.volume", "1862.87 would fit: two digits swapped"},
      {"a mass in newton", "bluerov2-heavy", [](RobotSpec& s) { s.hull.mass.value *= 9.81; }, "net-buoyancy",
       "hull.volume", "13.5 would fit: a weight in N"},
      {"a centre of buoyancy with z up", "bluerov2-heavy",
       [](RobotSpec& s) { s.hull.centre_of_buoyancy.value.z() *= -1; }, "upside-down",
       "hull.centre_of_buoyancy", "sign slip"},
      {"a centre of buoyancy aside", "rexrov", [](RobotSpec& s) { s.hull.centre_of_buoyancy.value.x() = 0.3; },
       "rest-attitude", "hull.centre_of_buoyancy", "trimmed level"},
      {"a size in millimetres", "bluerov2-heavy", [](RobotSpec& s) { s.hull.size->value *= 1000; }, "hull-size",
       "hull.size", "0.457 x 0.575 x 0.254 m would fit: millimetres"},
      {"inertia in kg mm^2", "bluerov2-heavy", [](RobotSpec& s) { inertia(s) *= 1e6; }, "scale-inertia",
       "hull.inertia[0]", "kg mm^2 instead of kg m^2"},
      {"inertia with a slipped point", "rexrov", [](RobotSpec& s) { inertia(s) *= 0.1; }, "scale-inertia",
       "hull.inertia[1]", "794.2 would fit: a slipped decimal point"},
      {"added mass in grams", "bluerov2-heavy", [](RobotSpec& s) { added(s).topLeftCorner<3, 3>() *= 1000; },
       "scale-added-mass", "hull.added_mass[0]", "6.36 would fit: grams instead of kg"},
      {"added mass with swapped digits", "bluerov2-heavy", [](RobotSpec& s) { added(s)(2, 2) = 816.8; },
       "scale-added-mass", "hull.added_mass[2]", "would fit"},
      {"damping with a moved point", "rexrov", [](RobotSpec& s) { drag(s).linear.value(2, 2) = 7284; },
       "scale-damping", "damping[0].linear[2]", "728.4 would fit: a slipped decimal point"},
      {"turning drag per degree", "rexrov",
       [](RobotSpec& s) {
         for (int i = 3; i < 6; ++i) quadratic(s, i) /= degrees * degrees;
       },
       "scale-damping", "damping[0].quadratic[3]", "672 would fit: per (degree/s)^2"},
      {"linear turning drag per degree", "bluerov2-heavy",
       [](RobotSpec& s) { drag(s).linear.value(4, 4) /= degrees; }, "scale-damping", "damping[0].linear[4]",
       "0.8 would fit: per degree/s"},
      {"no added mass along an axis", "bluerov2-heavy", [](RobotSpec& s) { added(s)(0, 0) = 0; },
       "added-mass-missing", "hull.added_mass[0]", "fathom prior guesses it"},
      {"a thruster in millimetres", "bluerov2-heavy",
       [](RobotSpec& s) { s.thrusters.at(4).position_b.value *= 1000; }, "far-away", "thrusters[4].position",
       "millimetres instead of m"},
      {"a centre of buoyancy in millimetres", "bluerov2-heavy",
       [](RobotSpec& s) { s.hull.centre_of_buoyancy.value.z() = -10; }, "centres-apart",
       "hull.centre_of_buoyancy", "0.01 would fit: millimetres"},
      {"an attitude in degrees", "rexrov", [](RobotSpec& s) { drag(s).attitude_rpy.value.z() = 45; }, "degrees",
       "damping[0].attitude", "degrees instead of rad"},
      {"a thruster turned by 45 rad", "bluerov2-heavy", [](RobotSpec& s) { turn_to_radians(s, 1, 45); },
       "degrees", "thrusters[1].direction", "45 degrees instead of rad"},
      {"a thruster without direction", "rexrov",
       [](RobotSpec& s) { s.thrusters.at(0).direction_b.value.setZero(); }, "thruster-direction",
       "thrusters[0].direction", "a vector along the force"},
      {"verticals that were left out", "bluerov2-heavy", [](RobotSpec& s) { s.thrusters.resize(4); },
       "thruster-rank", "thrusters", "look at positions and directions"},
      {"a copied thruster", "bluerov2-heavy",
       [](RobotSpec& s) {
         s.thrusters.at(3).position_b = s.thrusters.at(1).position_b,
         s.thrusters.at(3).direction_b = s.thrusters.at(1).direction_b;
       },
       "thruster-copy", "thrusters[3]", "copied and not edited"},
      {"added mass for an explicit scheme", "bluerov2-heavy", [](RobotSpec&) {}, "explicit-added-mass",
       "hull.added_mass[2]", "<fluid_added_mass>", Target::gz_sim},
      {"added mass for an explicit scheme", "rexrov", [](RobotSpec&) {}, "explicit-added-mass",
       "hull.added_mass[2]", "<fluid_added_mass>", Target::gz_sim},
      {"six times the mass, for a filtered scheme", "rexrov", [](RobotSpec& s) { added(s)(2, 2) *= 3; },
       "explicit-added-mass", "hull.added_mass[2]", "move part of the added mass", Target::uuv_simulator},
      {"unequal added mass, for Stonefish", "rexrov", [](RobotSpec&) {}, "mean-added-mass",
       "hull.added_mass[0]", "compare accelerations", Target::stonefish},
  };
  return faults;
}

TEST(LintFaults, EachIsCaughtByItsRuleAtItsPlaceWithItsRemedy) {
  for (const PlantedFault& fault : planted_faults()) {
    RobotSpec spec = shipped(fault.robot);
    fault.spoil(spec);
    const LintFindings findings = lint_model(spec, test::lint_for(fault.target));
    const LintFinding* found = found_by(findings, fault.rule, fault.key);
    ASSERT_NE(found, nullptr) << fault.name << " of " << fault.robot << ":\n" << lines_of(findings);
    EXPECT_NE(found->hint.find(fault.hint), std::string::npos) << fault.name << ": " << found->text();
    EXPECT_NE(found->message.find(':'), std::string::npos)
        << "without saying why it matters: " << found->text();
  }
}

TEST(LintFaults, NothingIsSaidOfTheRobotsThatShip) {
  for (const model::Robot& robot : model::test::all_robots())
    EXPECT_EQ(lines_of(lint_model(robot.spec())), "") << robot.name();
  for (const auto& file : model::test::all_robot_files())
    EXPECT_EQ(lines_of(lint_file(file).findings), "") << file;
}

/// Faults of other files, or that a robot cannot have, are planted in other tests.
TEST(LintFaults, EveryRuleHasAPlantedFault) {
  std::set<std::string> planted = {"allocation", "gz-coriolis", "drives-one-way", "not-judged",
                                   "damping-unproved"};
  for (const PlantedFault& fault : planted_faults()) planted.insert(fault.rule);
  std::set<std::string> rules;
  for (const LintRule& rule : lint_rules()) rules.emplace(rule.name);
  EXPECT_EQ(planted, rules);
}

TEST(LintFaults, CrossTermsThatCannotBeProvedAreAskedAbout) {
  RobotSpec spec = shipped("defender-like");
  spec.damping[0].quadratic.value = {};
  for (int j = 0; j < 6; ++j) quadratic(spec, j) = j < 3 ? 20 : 1;
  drag(spec).quadratic.value.by_speed[0](0, 1) = -1;
  const LintFindings findings = lint_model(spec);
  EXPECT_NE(found_by(findings, "damping-unproved", "damping[0].quadratic"), nullptr) << lines_of(findings);
}

/// The condition for each column of B, stated apart from the poses.
TEST(LintFaults, AnAllocationMatrixThatIsNotThatOfThePosesIsTold) {
  const RobotSpec spec = shipped("rexrov");
  const Mat6X B = model::allocation_matrix(model::Robot::make(spec));
  LintOptions options;
  options.allocation_b = B;
  EXPECT_EQ(lines_of(lint_model(spec, options)), "");
  const auto hint_of = [&](Mat6X stated, const char* key) {
    options.allocation_b = std::move(stated);
    const LintFindings findings = lint_model(spec, options);
    const LintFinding* found = found_by(findings, "allocation", key);
    return found ? found->hint : "nothing at that place:\n" + lines_of(findings);
  };
  Mat6X other = B;
  other.col(5) *= -1;
  EXPECT_EQ(hint_of(other, ""), "the sign is the other one: positive thrust pushes the other way?");
  other = B;
  other(4, 2) += 0.05;
  EXPECT_EQ(hint_of(other, "allocation[4][2]"), "make the matrix anew from the poses, or correct the pose");
  other = B;
  other.col(0).swap(other.col(6));
  EXPECT_EQ(hint_of(other, ""), "it is the column of thrusters[6]: the order differs?");
  other = (Vec6() << 1, -1, -1, 1, -1, -1).finished().asDiagonal() * B;
  EXPECT_EQ(hint_of(other, ""), "the matrix is in other axes (FLU for FRD) than the poses");
  EXPECT_EQ(hint_of(B.leftCols(7), "thrusters"), "one column per thruster, in their order");
  other = B;
  other(0, 0) = nan;
  options.allocation_b = other;
  EXPECT_NE(found_by(lint_model(spec, options), "not-finite", "thrusters"), nullptr);
}

TEST(LintFaults, AMatrixAboutTheCentreOfMassIsToldApart) {
  RobotSpec spec = shipped("defender-like");
  LintOptions options;
  Mat6X B = model::allocation_matrix(model::Robot::make(spec));
  for (Eigen::Index k = 0; k < B.cols(); ++k)
    B.col(k).tail<3>() -= spec.hull.centre_of_mass.value.cross(Vec3(B.col(k).head<3>()));
  options.allocation_b = B;
  const LintFindings findings = lint_model(spec, options);
  ASSERT_NE(found_by(findings, "allocation"), nullptr);
  EXPECT_NE(found_by(findings, "allocation")->hint.find("about the centre of mass"), std::string::npos);
}

TEST(LintFaults, AFewThrustersAreNoDeficientRank) {
  RobotSpec spec = shipped("bluerov2-heavy");
  spec.thrusters.resize(2);
  EXPECT_EQ(found_by(lint_model(spec), "thruster-rank"), nullptr);
  EXPECT_EQ(found_by(lint_model(shipped("nielsen-sphere-open-loop")), "thruster-rank"), nullptr);
}

TEST(LintFaults, LostDirectionsAreNamedEvenIfTheyLieEvenlyBetweenAll) {
  // Thrusters whose wrenches [e; r x e] are all perpendicular to [1 1 1 1 1 1].
  RandomStream random(1, "perpendicular");
  RobotSpec spec = shipped("bluerov2-heavy");
  for (model::Thruster& thruster : spec.thrusters) {
    const Vec3 e = fathom::test::random_matrix<Vec3>(random).normalized(), n = e.cross(Vec3::Ones());
    thruster.direction_b.value = e;
    thruster.position_b.value = -e.sum() / n.squaredNorm() * n + random.normal() * e.cross(n);
  }
  const LintFindings findings = lint_model(spec);
  const LintFinding* found = found_by(findings, "thruster-rank");
  ASSERT_NE(found, nullptr) << lines_of(findings);
  EXPECT_NE(found->message.find("span 5 of 6 directions that 8 thrusters can have; without, or coupled: surge"),
            std::string::npos)
      << found->message;
}

TEST(LintFaults, WithoutASizeTheThrustersTellIt) {
  RobotSpec spec = shipped("rexrov");
  spec.hull.size.reset();
  EXPECT_EQ(lines_of(lint_model(spec)), "");
  quadratic(spec, 1) *= 1000;
  const LintFindings findings = lint_model(spec);
  const LintFinding* found = found_by(findings, "scale-damping", "damping[0].quadratic[1]");
  ASSERT_NE(found, nullptr) << lines_of(findings);
  EXPECT_NE(found->message.find("(the spread of the thrusters)"), std::string::npos) << found->text();
}

TEST(LintFaults, TellsWhatASinkingVehicleNeeds) {
  RobotSpec spec = shipped("bluerov2-heavy");
  spec.hull.volume.value = 0.9 * spec.hull.mass.value / 1000;
  const LintFindings findings = lint_model(spec);
  EXPECT_EQ(
      lines_of(findings),
      "warning: hull.volume makes the vehicle sink by 10.0 % of its weight in water of 1000 kg/m^3: 13.24 N "
      "down, which the thrusters must hold for ever (trimmed vehicles are within 1 to 2 %) [net-buoyancy]\n");
}

TEST(LintFaults, RestAttitudeIsThatOfThePendulum) {
  RobotSpec spec = shipped("rexrov");
  // 0.3 m up: 30 degrees of roll and 20 of pitch turn "down" to (CoM - CoB) / |CoM - CoB|.
  const Quat q_nb = quaternion_from_euler(Vec3(30, 20, 0) / degrees);
  spec.hull.centre_of_buoyancy.value = -0.3 * (q_nb.conjugate() * Vec3::UnitZ());
  const LintFindings findings = lint_model(spec);
  const LintFinding* found = found_by(findings, "rest-attitude");
  ASSERT_NE(found, nullptr) << lines_of(findings);
  EXPECT_NE(found->message.find("(roll 30, pitch 20)"), std::string::npos) << found->message;
}

}  // namespace
}  // namespace fathom::exchange::lint_faults_test
