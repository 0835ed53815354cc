#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/excite/any_problem.hpp"

namespace fathom::excite::arm_problem_reader_test {
namespace {

using Coulomb = dynamics::ArmColumns::Coulomb;

const model::Folders folders = {{FATHOM_ROBOTS_DIR}, {FATHOM_ROBOTS_DIR "/../arms"}};

const std::string ariane = R"(format: fathom-excitation-1
name: small
arm: ariane
held_deg: {joint-4: 90}
medium: air
space: motor
measured: current
limits:
  joint-1: {min_deg: -80, max_deg: 20, speed: 0.2, motor_speed: 400, current: 5}
)";
const std::string reach = R"(format: fathom-excitation-1
name: small
arm: reach-alpha-5
)";

ArmProblem read(const std::string& text) {
  return std::get<ArmProblem>(parse_any_problem(text, "p.yaml", folders));
}

std::string error_of(const std::string& text) {
  return fathom::test::error_text([&] { parse_any_problem(text, "p.yaml", folders); });
}

void expect_error(const std::string& text, const std::vector<std::string>& words) {
  const std::string error = error_of(text);
  for (const std::string& word : words) EXPECT_NE(error.find(word), std::string::npos) << error;
}

TEST(ArmProblemReader, ReadsWhatIsStated) {
  const ArmProblem problem = read(ariane + R"(environment: {gravity: 9.8}
down: [0, 0, 2]
harmonics: 4
period: 60
samples: 70
criterion: d-optimal
noise: 0.02
starts: 3
iterations: 10
columns: {friction: direction, offset: false, motor: true}
)");
  EXPECT_EQ(problem.arm.size(), 3u);
  EXPECT_EQ(problem.held, std::vector<std::string>{"joint-4 at 90 deg"});
  EXPECT_EQ(problem.medium, dynamics::Medium::air);
  EXPECT_EQ(problem.space, ArmSpace::motor);
  EXPECT_TRUE(problem.in_current);
  EXPECT_EQ(problem.environment.gravity(), 9.8);
  EXPECT_EQ(problem.down_b, Vec3::UnitZ());
  EXPECT_EQ(problem.harmonics, 4);
  EXPECT_EQ(problem.period, 60);
  EXPECT_EQ(problem.samples, 70);
  EXPECT_EQ(problem.criterion, Criterion::d_optimal);
  EXPECT_EQ(problem.noise, 0.02);
  EXPECT_EQ(problem.starts, 3);
  EXPECT_EQ(problem.iterations, 10);
  EXPECT_TRUE(problem.columns.viscous && problem.columns.motor && !problem.columns.offset);
  EXPECT_EQ(problem.columns.coulomb, Coulomb::by_direction);
  const model::Joint& joint = problem.arm.joints()[0];
  EXPECT_NEAR(joint.limits.min * degrees, -80, 1e-12);
  EXPECT_NEAR(joint.limits.max * degrees, 20, 1e-12);
  EXPECT_EQ(joint.limits.speed, 0.2);
  EXPECT_EQ(joint.actuator->speed, 400);
  EXPECT_EQ(joint.actuator->current, 5);
  EXPECT_GT(joint.actuator->acceleration.value(), 5000);
}

TEST(ArmProblemReader, DefaultsAreWhatIdentificationFits) {
  const ArmProblem dry = read(reach), motors = read(ariane);
  EXPECT_TRUE(dry.columns.viscous && dry.columns.offset && !dry.columns.motor);
  EXPECT_EQ(dry.columns.coulomb, Coulomb::symmetric);
  EXPECT_TRUE(motors.columns.motor && motors.columns.offset && !motors.columns.viscous);
  EXPECT_EQ(dry.medium, dynamics::Medium::water);
  EXPECT_EQ(dry.period, 80);
  EXPECT_EQ(std::get<ArmProblem>(parse_any_problem(reach, "p.yaml", folders, 30.0)).period, 30);
  EXPECT_EQ(read(reach + "harmonics: 10\n").samples, 160);
}

TEST(ArmProblemReader, ShippedOnesAreRead) {
  for (const char* name : {"ariane", "reach-alpha-5"}) {
    const auto any = read_any_problem(std::string(FATHOM_ROBOTS_DIR "/../problems/") + name + ".yaml", folders);
    EXPECT_EQ(std::get<ArmProblem>(any).name, name);
  }
  EXPECT_TRUE(std::holds_alternative<Problem>(
      read_any_problem(FATHOM_ROBOTS_DIR "/../problems/two-minutes.yaml", folders)));
}

TEST(ArmProblemReader, OneOfArmAndRobot) {
  expect_error(reach + "robot: defender-like\n",
               {"p.yaml:3: arm stands beside robot", "leave one of them out"});
  expect_error("format: fathom-excitation-1\nname: x\n", {"robot", "arm: NAME"});
  expect_error("format: fathom-arm-1\narm: {}\n", {"this is an arm, not a problem"});
}

TEST(ArmProblemReader, ErrorsHaveAPlaceAndAHint) {
  expect_error("format: fathom-excitation-1\nname: x\narm: arian\n",
               {"p.yaml:3: arm", "no arm 'arian'", "ariane"});
  expect_error("format: fathom-excitation-1\nname: x\narm: none/a.yaml\n", {"p.yaml:3: arm", "does not exist"});
  expect_error(reach + "colour: 1\n", {"p.yaml:4: unknown key 'colour'"});
  expect_error(reach + "columns: {colour: 1}\n", {"p.yaml:4: columns has the unknown key 'colour'"});
  expect_error(reach + "limits: {e: {colour: 1}}\n", {"p.yaml:4: limits.e has the unknown key 'colour'"});
  expect_error(reach + "limits: {f: {speed: 1}}\n", {"p.yaml:4", "no joint of reach-alpha-5"});
  expect_error(reach + "limits: {e: {speed: 3}}\n", {"p.yaml:4: limits.e.speed = 3, beyond the arm's own 0.5"});
  expect_error(reach + "limits: {e: {speed: -1}}\n", {"must be > 0"});
  expect_error(reach + "limits: {e: {max: 7}}\n",
               {"limits.e.max = 7, outside of the arm's own range, 1 to 5.5"});
  expect_error(reach + "limits: {e: {min: 3, max: 2}}\n", {"leaves no range"});
  expect_error(reach + "limits: {e: {min: 3, min_deg: 2}}\n", {"stands beside min"});
  expect_error(reach + "limits: {e: {current: 2}}\n", {"limits.e.current is of a motor"});
  expect_error(reach + "held: {e: 0}\n",
               {"held.e = 0, outside of its range, 1 to 5.5", "where the joint is held"});
  expect_error(reach + "held: {e: 90}\n",
               {"held.e = 90, outside of its range", "(rad; degrees? use held_deg)"});
  expect_error(reach + "limits: {e: {speed: 20}}\n", {"the arm's own 0.5 (rad/s; degrees? use speed_deg)"});
  expect_error(reach + "limits: {e: {max: 300}}\n", {"limits.e.max = 300", "(rad; degrees? use max_deg)"});
  expect_error(reach + "space: motor\n", {"p.yaml:4: space is motor, but no joint", "space: joint"});
  expect_error(reach + "held: {e: 2, d: 1, c: 1, b: 1}\n", {"is the only joint"});
  expect_error(reach + "measured: current\n", {"p.yaml:4: measured is current, but joint e has no motor"});
  expect_error(reach + "columns: {motor: true}\n", {"columns.motor is true, but no joint"});
  expect_error(reach + "samples: 12\n", {"p.yaml:4: samples = 12", "four to the fastest sine"});
  expect_error(reach + "medium: air\ncolumns: {drag: true}\n", {"p.yaml:5: columns", "an arm in air"});
  expect_error(reach + "down: [0, 0, 0]\n", {"p.yaml:4: down", "expected a direction"});
  expect_error(reach + "period: 0\n", {"p.yaml:4: period"});
}

}  // namespace
}  // namespace fathom::excite::arm_problem_reader_test
