#include "fathom/model/internal/check.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "fathom/model/test/random_robot.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::check_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

/// small_robot with one change, and what check_robot says of it.
std::string check(const std::function<void(RobotSpec&)>& change) {
  RobotSpec spec = test::small_robot().spec();
  spec.thrusters.push_back({"t", {Vec3(0, 0, 0), "", false, {}}, {Vec3(1, 0, 0), "", false, {}}, {}});
  Sensor sensor;
  sensor.name = "s";
  sensor.kind = SensorKind::imu;
  spec.sensors.push_back(sensor);
  change(spec);
  std::string text;
  for (const Finding& finding : internal::check_robot(spec))
    text += (text.empty() ? "" : "\n") + to_string(finding.severity) + ": " + finding.text();
  return text;
}

TEST(CheckRobot, HasNothingToSayOfAGoodRobot) {
  EXPECT_EQ(check([](RobotSpec&) {}), "");
  for (const Robot& robot : test::all_robots())
    EXPECT_TRUE(internal::check_robot(robot.spec()).empty()) << robot.name();
}

TEST(CheckRobot, HasNothingToSayOfRandomRobots) {
  RandomStream random(1, "random robots");
  for (int k = 0; k < 100; ++k) {
    const auto findings = internal::check_robot(test::random_spec(random));
    EXPECT_TRUE(findings.empty()) << findings[0].text();
  }
}

TEST(CheckRobot, WantsFiniteNumbersEverywhere) {
  const std::string entry =
      " has an entry that is not finite or is beyond 1e+12 (every entry must be a number in SI units)";
  for (const double bad : {nan, infinity, -infinity, 1.1e12}) {
    EXPECT_NE(check([&](RobotSpec& s) { s.hull.mass.value = bad; }).find("error: hull.mass = "),
              std::string::npos);
    EXPECT_NE(check([&](RobotSpec& s) { s.hull.volume.value = bad; }).find(", must be finite"),
              std::string::npos);
    EXPECT_EQ(check([&](RobotSpec& s) { s.hull.inertia.value(0, 1) = bad; }), "error: hull.inertia" + entry);
    EXPECT_EQ(check([&](RobotSpec& s) { s.hull.centre_of_mass.value[2] = bad; }),
              "error: hull.centre_of_mass" + entry);
    EXPECT_EQ(check([&](RobotSpec& s) { s.hull.centre_of_buoyancy.value[0] = bad; }),
              "error: hull.centre_of_buoyancy" + entry);
    EXPECT_EQ(check([&](RobotSpec& s) { s.hull.added_mass.value(3, 4) = bad; }),
              "error: hull.added_mass" + entry);
    EXPECT_EQ(check([&](RobotSpec& s) { s.damping[0].position_b.value[1] = bad; }),
              "error: damping[0].position" + entry);
    EXPECT_EQ(check([&](RobotSpec& s) { s.damping[0].attitude_rpy.value[1] = bad; }),
              "error: damping[0].attitude" + entry);
    EXPECT_EQ(check([&](RobotSpec& s) { s.damping[0].linear.value(5, 5) = bad; }),
              "error: damping[0].linear" + entry);
    EXPECT_EQ(check([&](RobotSpec& s) { s.damping[0].quadratic.value.by_speed[4](0, 1) = bad; }),
              "error: damping[0].quadratic" + entry);
    EXPECT_EQ(check([&](RobotSpec& s) { s.thrusters[0].position_b.value[0] = bad; }),
              "error: thrusters[0].position" + entry);
    EXPECT_EQ(check([&](RobotSpec& s) { s.thrusters[0].direction_b.value[0] = bad; }),
              "error: thrusters[0].direction" + entry);
    EXPECT_EQ(check([&](RobotSpec& s) { s.sensors[0].position_b.value[0] = bad; }),
              "error: sensors[0].position" + entry);
    EXPECT_EQ(check([&](RobotSpec& s) { s.sensors[0].attitude_rpy.value[0] = bad; }),
              "error: sensors[0].attitude" + entry);
    EXPECT_NE(check([&](RobotSpec& s) {
                s.sensors[0].rate_hz.emplace().value = bad;
              }).find("error: sensors[0].rate_hz = "),
              std::string::npos);
  }
  for (const double bad : {nan, infinity, -1.0})
    EXPECT_NE(
        check([&](RobotSpec& s) { s.sensors[0].noise["rate"].value = bad; }).find("sensors[0].noise.rate = "),
        std::string::npos);
}

TEST(CheckRobot, NamesTheNearestChannelOfASensor) {
  EXPECT_EQ(check([](RobotSpec& s) { s.sensors[0].bias["rat"].value = 1; }),
            "error: sensors[0].bias.rat is no channel of a sensor of kind imu (did you mean rate?)");
  EXPECT_EQ(check([](RobotSpec& s) { s.sensors[0].quantisation["depth"].value = 1; }),
            "error: sensors[0].quantisation.depth is no channel of a sensor of kind imu (its channels: "
            "acceleration, rate)");
  EXPECT_EQ(check([](RobotSpec& s) { s.sensors[0].beams.emplace(); }),
            "error: sensors[0].beams stands in a sensor of kind imu (only a dvl has it)");
}

TEST(CheckRobot, WantsNumbersThatSomeRobotCouldHave) {
  EXPECT_EQ(check([](RobotSpec& s) { s.hull.mass.value = 1e-13; }),
            "error: hull.mass = 1e-13, must be > 1e-12 (kg, of the dry vehicle)");
  EXPECT_EQ(check([](RobotSpec& s) { s.hull.volume.value = 1e13; }),
            "error: hull.volume = 10000000000000, must be finite and at most 1e+12 (measure it, or leave the "
            "key out if "
            "it is optional)");
}

TEST(CheckRobot, WantsSigmasThatAreNotNegativeEverywhere) {
  const std::string text =
      ".sigma has an entry that is negative or not a number (sigma is a standard deviation, >= 0; .inf where "
      "unknown)";
  for (const double bad : {-1e-9, nan, -infinity}) {
    EXPECT_EQ(check([&](RobotSpec& s) { s.hull.mass.sigma = bad; }), "error: hull.mass" + text);
    EXPECT_EQ(check([&](RobotSpec& s) { s.hull.volume.sigma = bad; }), "error: hull.volume" + text);
    EXPECT_EQ(check([&](RobotSpec& s) { s.hull.inertia.sigma = Mat3::Constant(bad); }),
              "error: hull.inertia" + text);
    EXPECT_EQ(check([&](RobotSpec& s) { s.hull.centre_of_mass.sigma = Vec3(0, 0, bad); }),
              "error: hull.centre_of_mass" + text);
    EXPECT_EQ(check([&](RobotSpec& s) { s.hull.centre_of_buoyancy.sigma = Vec3(0, bad, 0); }),
              "error: hull.centre_of_buoyancy" + text);
    EXPECT_EQ(check([&](RobotSpec& s) { s.hull.added_mass.sigma = Mat6::Constant(bad); }),
              "error: hull.added_mass" + text);
    EXPECT_EQ(check([&](RobotSpec& s) {
                s.hull.size = {Vec3(1, 1, 1), "", false, Vec3(bad, 0, 0)};
              }),
              "error: hull.size" + text);
    EXPECT_EQ(check([&](RobotSpec& s) { s.damping[0].linear.sigma = Mat6::Constant(bad); }),
              "error: damping[0].linear" + text);
    EXPECT_EQ(check([&](RobotSpec& s) {
                s.damping[0].quadratic.sigma.emplace();
                s.damping[0].quadratic.sigma->by_speed[5](5, 5) = bad;
              }),
              "error: damping[0].quadratic" + text);
    EXPECT_EQ(check([&](RobotSpec& s) { s.thrusters[0].position_b.sigma = Vec3(bad, 0, 0); }),
              "error: thrusters[0].position" + text);
    EXPECT_EQ(check([&](RobotSpec& s) { s.thrusters[0].direction_b.sigma = Vec3(bad, 0, 0); }),
              "error: thrusters[0].direction" + text);
    EXPECT_EQ(check([&](RobotSpec& s) {
                s.thrusters[0].force = {ForceRange{-1, 1}, "", false, ForceRange{0, bad}};
              }),
              "error: thrusters[0].force" + text);
  }
}

TEST(CheckRobot, TakesInfinityForASigmaThatIsUnknown) {
  EXPECT_EQ(check([](RobotSpec& s) {
              s.hull.mass.sigma = infinity;
              s.hull.inertia.sigma = Mat3::Constant(infinity);
              s.damping[0].linear.sigma = Mat6::Constant(infinity);
              s.damping[0].quadratic.sigma.emplace().by_speed.fill(Mat6::Constant(infinity));
            }),
            "");
}

TEST(CheckRobot, WarnsOfDampingThatIsNotProvedToDissipateButTakesIt) {
  const auto doubtful = [](RobotSpec& s) { s.damping[0].quadratic.value.by_speed[0](1, 1) = -1; };
  EXPECT_EQ(check(doubtful),
            "warning: damping[0].quadratic is not proved to dissipate: some Q_j + Q_j' is indefinite, though "
            "no motion "
            "was found that gains energy (keep cross terms small against the diagonal of their own Q_j)");
  RobotSpec spec = test::small_robot().spec();
  doubtful(spec);
  EXPECT_NO_THROW(Robot::make(spec));
}

TEST(CheckRobot, WantsTheSumOfBothInertiasDefinite) {
  // Semi-definite to nine digits of a huge entry, but not when the small mass is added.
  EXPECT_EQ(check([](RobotSpec& s) {
              s.hull.added_mass.value(0, 0) = 1e12;
              s.hull.added_mass.value(1, 1) = 0;
              s.hull.added_mass.value(0, 1) = s.hull.added_mass.value(1, 0) = 1e7;
            }),
            "error: hull M = M_rb + M_a is indefinite: smallest eigenvalue -88.5006 (SNAME sign of the added "
            "mass? use "
            "sname_added_mass)");
}

TEST(CheckRobot, LooksForSymmetryInDampingAtTheOriginOnly) {
  const auto couple = [](RobotSpec& s) {
    s.hull.symmetry.fore_aft = true;
    s.damping[0].quadratic.value.by_speed[2](2, 4) = 0.1;  // heave and pitch
    s.damping[0].quadratic.value.by_speed[2](4, 4) = 1;
  };
  EXPECT_NE(
      check(couple).find("= 0.1, must be 0 by hull.symmetry (drop fore_aft from hull.symmetry, or the term)"),
      std::string::npos)
      << check(couple);
  EXPECT_EQ(check([&](RobotSpec& s) {
              couple(s);
              s.damping[0].position_b.value.x() = 0.1;
            }),
            "");
}

TEST(CheckRobot, WantsAKindOfSensorThatAFileCanHold) {}

TEST(CheckRobot, WantsChannelsOfNoiseThatTheKindOfSensorHas) {
  const std::string text = check([](RobotSpec& s) { s.sensors[0].noise["velocity"].value = 0.1; });
  EXPECT_TRUE(text.starts_with("error: sensors[0].noise.velocity is no channel of a sensor of kind imu"))
      << text;
}

TEST(CheckRobot, WantsANameThatCanBeAFile) {
  EXPECT_EQ(check([](RobotSpec& s) { s.name = "To y/../z"; }),
            "error: name = 'To y/../z', expected at most 64 letters, digits, - and _, a letter or digit first "
            "(names become file names; title is for people)");
}

TEST(CheckRobot, TellsEverythingThatIsWrong) {
  EXPECT_EQ(
      check([](RobotSpec& s) {
        s.name = "";
        s.hull.mass.value = 0;
        s.thrusters[0].direction_b.value.setZero();
      }),
      "error: name is empty (a short word, such as bluerov2-heavy)\n"
      "error: hull.mass = 0, must be > 0 (kg, of the dry vehicle)\n"
      "error: thrusters[0].direction is zero (the direction of the force on the vehicle, such as [1, 0, 0])");
}

}  // namespace
}  // namespace fathom::model::check_test
