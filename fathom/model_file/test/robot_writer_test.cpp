
#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/model/test/compare.hpp"
#include "fathom/model/test/random_robot.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::robot_writer_test {
namespace {

using test::difference;

Robot read_back(const Robot& robot) { return parse_robot(robot_to_yaml(robot), "written.yaml"); }

TEST(RobotWriter, KeepsEveryBitOfEveryRobot) {
  for (const Robot& robot : test::all_robots())
    EXPECT_EQ(difference(read_back(robot), robot), "") << robot.name();
}

TEST(RobotWriter, KeepsEveryBitOfEveryFormOfValue) {
  const Robot robot = parse_robot(test::rich_file(), "rich.yaml");
  EXPECT_EQ(difference(read_back(robot), robot), "") << robot_to_yaml(robot);
}

TEST(RobotWriterLong, KeepsEveryBitOfRandomRobots) {
  RandomStream random(1, "random robots");
  for (int k = 0; k < 300; ++k) {
    const Robot robot = Robot::make(test::random_spec(random));
    EXPECT_EQ(difference(read_back(robot), robot), "") << robot_to_yaml(robot);
  }
}

TEST(RobotWriterLong, GivesTheSameBytesAgainAfterReading) {
  RandomStream random(1, "same bytes");
  std::vector<Robot> robots = test::all_robots();
  for (int k = 0; k < 100; ++k) robots.push_back(Robot::make(test::random_spec(random)));
  for (const Robot& robot : robots) EXPECT_EQ(robot_to_yaml(read_back(robot)), robot_to_yaml(robot));
}

TEST(RobotWriter, KeepsNumbersThatHaveNoShortDecimal) {
  RobotSpec spec = test::small_robot().spec();
  Mat6& Ma = spec.hull.added_mass.value;
  const double values[] = {5e-324, 2.2250738585072014e-308, 0.1 + 0.2, 1.0 / 3, 1e-5, 123456789012.34567};
  for (int i = 0; i < 6; ++i) Ma(i, i) = values[i];
  const Robot robot = Robot::make(spec);
  EXPECT_EQ(difference(read_back(robot), robot), "");
}

TEST(RobotWriter, WritesExponentsWithAPoint) {
  RobotSpec spec = test::small_robot().spec();
  spec.hull.inertia.value *= 1e-30;
  spec.hull.mass.value = 1e20;
  const std::string text = robot_to_yaml(Robot::make_unchecked(spec));
  EXPECT_NE(text.find("mass: 1.0e+20\n"), std::string::npos) << text;
  EXPECT_NE(text.find("inertia: [1.6e-31, 1.7"), std::string::npos) << text;
}

TEST(RobotWriter, DropsTheSignOfZero) {
  RobotSpec spec = test::small_robot().spec();
  spec.hull.centre_of_mass.value.x() = -0.0;
  const Robot again = read_back(Robot::make(spec));
  EXPECT_FALSE(std::signbit(again.hull().centre_of_mass.value.x()));
}

TEST(RobotWriter, KeepsDegreesThatAFileWouldHave) {
  RobotSpec spec = test::small_robot().spec();
  spec.damping[0].attitude_rpy.value = Vec3(0, 30, -12.5) * degree;
  const Robot robot = Robot::make(spec);
  EXPECT_NE(robot_to_yaml(robot).find("attitude_deg: [0, 30, -12.5]\n"), std::string::npos)
      << robot_to_yaml(robot);
  EXPECT_EQ(difference(read_back(robot), robot), "");
}

TEST(RobotWriterLong, KeepsRadiansOfEverySize) {
  RandomStream random(1, "radians");
  for (int k = 0; k < 2000; ++k) {
    RobotSpec spec = test::small_robot().spec();
    for (int i = 0; i < 3; ++i)
      spec.damping[0].attitude_rpy.value[i] = random.normal() * std::pow(10, random.uniform(-20, 3));
    const Robot robot = Robot::make(spec);
    ASSERT_EQ(difference(read_back(robot), robot), "") << robot_to_yaml(robot);
  }
}

TEST(WriteRobot, WritesTheFileThatReadRobotReads) {
  const fathom::test::TemporaryFolder folder;
  const Robot robot = parse_robot(test::rich_file(), "rich.yaml");
  write_robot(robot, folder / "rich.yaml");
  EXPECT_EQ(difference(read_robot(folder / "rich.yaml"), robot), "");
  EXPECT_EQ(fathom::test::slurp(folder / "rich.yaml"), robot_to_yaml(robot));
}

TEST(WriteRobot, LeavesNothingBehindWhenItFails) {
  const fathom::test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "taken.yaml");
  EXPECT_THROW(write_robot(test::small_robot(), folder / "taken.yaml"), InputError);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"taken.yaml"});
}

}  // namespace
}  // namespace fathom::model::robot_writer_test
