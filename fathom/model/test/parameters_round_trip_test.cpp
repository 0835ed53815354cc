#include <cmath>

#include <gtest/gtest.h>

#include "fathom/model/robot_parameters.hpp"
#include "fathom/model/test/compare.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::parameters_round_trip_test {
namespace {

using Kind = Term::Kind;

const Environment sea(sea_water, 9.80665);

/// Other values that nature allows as well: more inertia and damping on the diagonals, another trim.
Eigen::VectorXd other_values(const Robot& robot, const Structure& structure) {
  Eigen::VectorXd values = parameters_of(robot, sea, structure).parameters.values();
  const double weight = robot.hull().mass.value * sea.gravity();
  for (std::size_t k = 0; k < structure.size(); ++k) {
    const Term& term = structure.terms[k];
    double& value = values[static_cast<Eigen::Index>(k)];
    if (term.kind == Kind::inertia && term.row == term.column) value *= 1.05;
    if (term.kind == Kind::linear && term.row == term.column) value = 1.1 * value + 0.01;
    if (term.kind == Kind::quadratic && term.row == term.column && term.row == term.speed)
      value = 1.2 * value + 0.01;
    if (term.kind == Kind::net_weight) value += 0.01 * weight;
    if (term.kind == Kind::first_moment) value += 1e-3 * (term.row + 1) * weight;
  }
  return values;
}

/// What a value is a difference of: its rounding error is relative to that.
double scale_of(const Term& term, double value, const Robot& robot) {
  const double weight = robot.hull().mass.value * sea.gravity();
  if (term.kind == Kind::net_weight) return weight;
  if (term.kind == Kind::first_moment) return weight * 0.1 + std::abs(value);
  if (term.kind == Kind::inertia)
    return std::abs(value) + std::abs(rigid_body_inertia(robot.hull())(term.row, term.column));
  return std::abs(value);
}

void expect_values_come_back(const Robot& robot, const Structure& structure) {
  SCOPED_TRACE(robot.name() + " " + structure.name);
  const ParameterVector before = parameters_of(robot, sea, structure).parameters;
  for (const Eigen::VectorXd& values : {before.values(), other_values(robot, structure)}) {
    const Robot changed = with_parameters(robot, sea, structure, before.with_values(values), "test");
    const ParameterVector after = parameters_of(changed, sea, structure).parameters;
    for (std::size_t k = 0; k < structure.size(); ++k) {
      const double expected = values[static_cast<Eigen::Index>(k)];
      EXPECT_NEAR(after[k].value, expected, 1e-12 * scale_of(structure.terms[k], expected, robot))
          << after[k].name;
    }
  }
}

TEST(WithParameters, GivesTheSameValuesBackForEveryRobot) {
  for (const Robot& robot : test::all_robots()) {
    expect_values_come_back(robot, full_structure());
    expect_values_come_back(robot, full_structure(Dof::four));
    expect_values_come_back(robot, structure_by_name("vehicle-23"));
    expect_values_come_back(robot, structure_by_name("vehicle-24"));
  }
}

TEST(WithParameters, GivesTheSameValuesBackForARobotWithADisplacedElement) {
  expect_values_come_back(parse_robot(test::rich_file(), "rich.yaml"), full_structure());
}

TEST(WithParameters, ReallyChangesTheRobot) {
  // Guards the tests above against two mistakes that cancel: here the robot's own numbers are looked at.
  const Robot robot = test::small_robot();
  const Environment fresh;
  const Structure structure = structure_by_name("vehicle-24");
  const ParameterVector before = parameters_of(robot, fresh, structure).parameters;
  Eigen::VectorXd values = before.values();
  const auto set = [&](const std::string& name, double value) {
    values[static_cast<Eigen::Index>(*before.find(name))] = value;
  };
  set("m11", 11.5 + 10);
  set("m15", 11.5 * 0.02 + 0.05);
  set("d22", 60);
  set("q66|6|", 2.5);
  set("W-B", (11.5 - 12.0) * 9.81);
  set("zgW-zbB", 11.5 * 9.81 * 0.02 - 12.0 * 9.81 * (-0.01));
  const Hull hull = with_parameters(robot, fresh, structure, before.with_values(values), "test").hull();
  EXPECT_NEAR(hull.added_mass.value(0, 0), 10, 1e-12);
  EXPECT_NEAR(hull.added_mass.value(0, 4), 0.05, 1e-12);
  EXPECT_NEAR(hull.added_mass.value(4, 0), 0.05, 1e-12) << "both sides of the diagonal";
  EXPECT_NEAR(hull.volume.value, 0.012, 1e-15);
  EXPECT_NEAR(hull.centre_of_buoyancy.value.z(), -0.01, 1e-15);
  const DragElement drag =
      with_parameters(robot, fresh, structure, before.with_values(values), "test").damping()[0];
  EXPECT_NEAR(drag.linear.value(1, 1), 60, 1e-12);
  EXPECT_NEAR(drag.quadratic.value.by_speed[5](5, 5), 2.5, 1e-12);
  EXPECT_EQ(drag.linear.value(0, 0), 4);
}

TEST(WithParameters, TakesTheDryBodyAndTheRestAsKnown) {
  for (const Robot& robot : test::all_robots()) {
    const Structure structure = structure_by_name("vehicle-24");
    const ParameterVector before = parameters_of(robot, sea, structure).parameters;
    const Robot changed =
        with_parameters(robot, sea, structure, before.with_values(other_values(robot, structure)), "t");
    test::Comparison c;
    c.values("mass", changed.hull().mass, robot.hull().mass);
    c.values("inertia", changed.hull().inertia, robot.hull().inertia);
    c.values("centre_of_mass", changed.hull().centre_of_mass, robot.hull().centre_of_mass);
    c.optional_values("size", changed.hull().size, robot.hull().size);
    for (std::size_t k = 0; k < robot.thrusters().size(); ++k)
      test::compare(c, changed.thrusters()[k], robot.thrusters()[k]);
    for (std::size_t k = 0; k < robot.sensors().size(); ++k)
      test::compare(c, changed.sensors()[k], robot.sensors()[k]);
    EXPECT_EQ(c.difference(), "") << robot.name();
  }
}

TEST(WithParameters, LeavesDisplacedElementsAloneAndAddsOneAtTheOrigin) {
  RobotSpec spec = test::small_robot().spec();
  spec.damping[0].position_b.value = Vec3(0, 0, 0.5);
  const Robot robot = Robot::make(spec);
  const Structure structure = full_structure();
  const ParameterVector before = parameters_of(robot, sea, structure).parameters;
  Eigen::VectorXd values = before.values();
  values[static_cast<Eigen::Index>(*before.find("d11"))] += 3;
  const Robot changed = with_parameters(robot, sea, structure, before.with_values(values), "test");
  ASSERT_EQ(changed.damping().size(), 2u);
  test::Comparison c;
  test::compare(c, changed.damping()[0], robot.damping()[0]);
  EXPECT_EQ(c.difference(), "");
  EXPECT_EQ(changed.damping()[1].name, "identified");
  EXPECT_TRUE(changed.damping()[1].at_origin());
  Mat6 expected = Mat6::Zero();
  expected(0, 0) = 3;
  EXPECT_LT((changed.damping()[1].linear.value - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(ParametersOf, AreTheNumbersOfTheRobotInTheWordsOfTheStructure) {
  const ParameterVector p =
      parameters_of(test::small_robot(), Environment(1025, 9.81), structure_by_name("vehicle-25")).parameters;
  const auto value = [&](const std::string& name) { return p[*p.find(name)].value; };
  EXPECT_NEAR(value("m11"), 11.5 + 6.36, 1e-12);
  EXPECT_NEAR(value("m15"), 11.5 * 0.02, 1e-12);
  EXPECT_NEAR(value("m24"), -11.5 * 0.02, 1e-12);
  EXPECT_NEAR(value("m44"), 0.16 + 11.5 * 0.02 * 0.02 + 0.189, 1e-12);
  EXPECT_NEAR(value("m66"), 0.18 + 0.222, 1e-12);
  EXPECT_NEAR(value("d55"), 0.08, 1e-15);
  EXPECT_NEAR(value("q33|3|"), 36, 1e-15);
  EXPECT_NEAR(value("W"), 11.5 * 9.81, 1e-12);
  EXPECT_NEAR(value("B"), 1025 * 0.0115 * 9.81, 1e-12);
  EXPECT_NEAR(value("zgW-zbB"), 11.5 * 9.81 * 0.02, 1e-12);
}

TEST(ParametersOf, AddTheElementsOfDampingAndMoveThemToTheOrigin) {
  RobotSpec spec = test::small_robot().spec();
  DragElement skid;
  skid.name = "skid";
  skid.position_b.value = Vec3(0, 0, 0.5);
  skid.linear.value(0, 0) = 8;
  spec.damping.push_back(skid);
  const ParameterVector p = parameters_of(Robot::make(spec), sea, full_structure()).parameters;
  // A bar 0.5 m below sees u + 0.5 q.
  EXPECT_NEAR(p[*p.find("d11")].value, 4 + 8, 1e-12);
  EXPECT_NEAR(p[*p.find("d15")].value, 8 * 0.5, 1e-12);
  EXPECT_NEAR(p[*p.find("d51")].value, 8 * 0.5, 1e-12);
  EXPECT_NEAR(p[*p.find("d55")].value, 0.08 + 8 * 0.25, 1e-12);
}

TEST(ParametersOf, HaveNoQuadraticDragOfDisplacedElements) {
  // |u + 0.5 q| is no |u|: the structure has no such term, and left_out says so.
  RobotSpec spec = test::small_robot().spec();
  DragElement skid = spec.damping[0];
  skid.name = "skid";
  skid.position_b.value = Vec3(0, 0, 0.5);
  spec.damping.push_back(skid);
  const ParameterVector p = parameters_of(Robot::make(spec), sea, structure_by_name("vehicle-24")).parameters;
  EXPECT_EQ(p[*p.find("q11|1|")].value, 18);
}

}  // namespace
}  // namespace fathom::model::parameters_round_trip_test
