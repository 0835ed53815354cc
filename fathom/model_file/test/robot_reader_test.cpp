
#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::robot_reader_test {
namespace {

using test::changed;

Robot rich() { return parse_robot(test::rich_file(), "rich.yaml"); }

Vec6 vec6(double a, double b, double c, double d, double e, double f) {
  return (Vec6() << a, b, c, d, e, f).finished();
}

TEST(RobotReader, ReadsEveryRobotOfTheModelsFolder) {
  for (const auto& file : test::all_robot_files())
    EXPECT_EQ(read_robot(file).name(), file.stem()) << "a robot is found by the name of its file";
}

TEST(RobotReader, ReadsNamesAndTexts) {
  const Robot robot = rich();
  EXPECT_EQ(robot.name(), "rich");
  EXPECT_EQ(robot.spec().title, "A title: with a colon");
  EXPECT_EQ(robot.spec().notes, "Folded text.");
}

TEST(RobotReader, ReadsTheRigidBody) {
  const Robot robot = rich();
  const Hull& hull = robot.hull();
  EXPECT_EQ(hull.mass.value, 20.5);
  EXPECT_EQ(hull.mass.sigma, 0.05);
  EXPECT_EQ(hull.mass.source, "scale, \"3 May\"");
  Mat3 inertia;
  inertia << 0.5, 0.01, -0.02, 0.01, 0.6, 0.03, -0.02, 0.03, 0.7;
  EXPECT_EQ(hull.inertia.value, inertia);
  EXPECT_EQ(hull.centre_of_mass.value, Vec3(0.01, -0.02, 0.03));
  EXPECT_EQ(hull.volume.value, 0.0205);
  EXPECT_EQ(hull.centre_of_buoyancy.value, Vec3(0, 0, -0.01));
  EXPECT_EQ(hull.centre_of_buoyancy.sigma, Vec3(0.001, 0.002, 0.003));
  ASSERT_TRUE(hull.size);
  EXPECT_EQ(hull.size->value, Vec3(0.8, 0.5, 0.4));
}

TEST(RobotReader, TurnsTheSignOfSnameValuesButNotOfTheirSigmas) {
  const Robot robot = rich();
  EXPECT_EQ(robot.hull().added_mass.value, Mat6(vec6(5, 6, 7, 0.1, 0.2, 0.3).asDiagonal()));
  EXPECT_EQ(*robot.hull().added_mass.sigma, Mat6(vec6(0.5, 0.6, 0.7, 0.01, 0.02, 0.03).asDiagonal()));
  const DragElement& skid = robot.damping()[1];
  EXPECT_EQ(skid.linear.value, Mat6(vec6(1, 2, 3, 0, 0, 0).asDiagonal()));
  EXPECT_EQ(skid.quadratic.value.by_speed[0], Mat6(vec6(6, 0, 0, 0, 0, 0).asDiagonal()));
  EXPECT_EQ(skid.quadratic.value.by_speed[2](2, 2), 9);
  EXPECT_EQ(skid.quadratic.value.by_speed[2](2, 4), -1);
  EXPECT_FALSE(std::signbit(skid.linear.value(0, 1))) << "no negative zeros";
}

TEST(RobotReader, ReadsRowsAsRows) {
  const Robot robot = rich();
  const Mat6& linear = robot.damping()[0].linear.value;
  EXPECT_EQ(linear(0, 1), 0.5);   // force along x from sway
  EXPECT_EQ(linear(1, 0), 0.25);  // force along y from surge
}

TEST(RobotReader, PutsSixQuadraticNumbersOnTheDiagonalOfTheirOwnSpeed) {
  const Robot robot = rich();
  const Value<QuadraticDrag>& drag = robot.damping()[0].quadratic;
  const Vec6 expected = vec6(18, 21, 36, 1.5, 1.6, 1.7), sigma = vec6(1, 2, 3, 0.1, 0.2, 0.3);
  for (std::size_t j = 0; j < 6; ++j) {
    const auto k = static_cast<Eigen::Index>(j);
    EXPECT_EQ(drag.value.by_speed[j], Mat6(Vec6(expected[k] * Vec6::Unit(k)).asDiagonal())) << j;
    EXPECT_EQ(drag.sigma->by_speed[j], Mat6(Vec6(sigma[k] * Vec6::Unit(k)).asDiagonal())) << j;
  }
}

TEST(RobotReader, TakesAttitudesInRadiansOrDegrees) {
  const Robot robot = rich();
  EXPECT_EQ(robot.damping()[1].attitude_rpy.value, Vec3(0, 10 * degree, -90 * degree));
  EXPECT_EQ(robot.damping()[2].attitude_rpy.value, Vec3(0.1, 0.2, 0.3));
  EXPECT_EQ(robot.sensors()[0].attitude_rpy.value, Vec3(0, 0, 3));
}

TEST(RobotReader, LeavesOutWhatAnElementDoesNotSay) {
  const Robot robot = rich();
  const DragElement& bare = robot.damping()[2];
  EXPECT_TRUE(bare.position_b.value.isZero(0));
  EXPECT_TRUE(bare.linear.value.isZero(0));
  for (const Mat6& Q : bare.quadratic.value.by_speed) EXPECT_TRUE(Q.isZero(0));
  EXPECT_FALSE(robot.sensors()[1].rate_hz);
  EXPECT_TRUE(robot.sensors()[1].noise.empty());
  EXPECT_FALSE(test::small_robot().hull().size);
  EXPECT_TRUE(test::small_robot().thrusters().empty());
}

TEST(RobotReader, ReadsThrusters) {
  const Robot robot = rich();
  ASSERT_EQ(robot.thrusters().size(), 8u);
  EXPECT_EQ(robot.thrusters()[0].position_b.value, Vec3(-0.15, -0.12, 0));
  EXPECT_EQ(robot.thrusters()[0].direction_b.value, Vec3(2, 0, 0));
  EXPECT_EQ(robot.thrusters()[0].axis_b(), Vec3(1, 0, 0));
  EXPECT_EQ(robot.thrusters()[0].force->value.min, -35);
  EXPECT_EQ(robot.thrusters()[0].force->value.max, 45);
  EXPECT_EQ(robot.thrusters()[1].force->sigma->max, 2);
  EXPECT_EQ(robot.thrusters()[1].position_b.sigma, Vec3(0.01, 0.01, 0.01));
}

TEST(RobotReader, ReadsSensors) {
  const Robot robot = rich();
  const Sensor& imu = robot.sensors()[0];
  EXPECT_EQ(imu.kind, SensorKind::imu);
  EXPECT_EQ(imu.position_b.value, Vec3(0.1, 0.2, 0.3));
  EXPECT_EQ(imu.rate_hz->value, 100);
  ASSERT_EQ(imu.noise.size(), 2u);
  EXPECT_EQ(imu.noise.at("acceleration").value, 0.05);
  EXPECT_EQ(imu.noise.at("rate").value, 0.005);
}

TEST(RobotReader, ReadsTheErrorsOfSensors) {
  const Robot robot = rich();
  const Sensor& imu = robot.sensors()[0];
  EXPECT_FALSE(imu.latency || imu.drop_out || imu.beams || imu.altitude);
  EXPECT_TRUE(imu.bias.empty() && imu.bias_walk.empty() && imu.quantisation.empty());
  const Sensor& dvl = robot.sensors()[2];
  EXPECT_EQ(dvl.quantisation.at("velocity").value, 0.001);
  EXPECT_EQ(dvl.bias.at("velocity").value, 0.002);
  EXPECT_EQ(dvl.bias.at("velocity").source, "tank");
  EXPECT_EQ(dvl.bias_walk.at("velocity").value, 0.0001);
  EXPECT_EQ(dvl.bias_walk.at("velocity").sigma, 0.00001);
  EXPECT_EQ(dvl.latency->value, 0.1);
  EXPECT_TRUE(dvl.latency->assumed);
  EXPECT_EQ(dvl.drop_out->probability, 0.02);
  EXPECT_EQ(dvl.drop_out->mean_length, 4);
  EXPECT_EQ(dvl.beams->tilt_deg, 25);
  EXPECT_EQ(dvl.beams->azimuth_deg, (std::vector<double>{0, 120, 240}));
  EXPECT_TRUE(dvl.beams->per_beam);
  EXPECT_EQ(dvl.altitude->min, 0.3);
  EXPECT_EQ(dvl.altitude->max, 50);
  const Sensor& depth = robot.sensors()[3];
  EXPECT_EQ(depth.latency->value, 0.01);
  EXPECT_EQ(depth.drop_out->probability, 0.1);
  EXPECT_FALSE(depth.drop_out->mean_length);
}

TEST(RobotReader, GivesBeamsTheirDefaults) {
  const Robot robot = parse_robot(test::small_file() + "sensors: [{name: d, kind: dvl, beams: {}}]\n", "f");
  EXPECT_EQ(robot.sensors()[0].beams->tilt_deg, 30);
  EXPECT_EQ(robot.sensors()[0].beams->azimuth_deg, (std::vector<double>{45, 135, 225, 315}));
  EXPECT_FALSE(robot.sensors()[0].beams->per_beam);
}

TEST(RobotReader, ReadsSymmetryPlanes) {
  const Symmetry none = test::small_robot().hull().symmetry;
  EXPECT_FALSE(none.port_starboard || none.fore_aft || none.top_bottom);
  const Symmetry two =
      parse_robot(changed("damping:", "  symmetry: [top_bottom, port_starboard]\ndamping:"), "f")
          .hull()
          .symmetry;
  EXPECT_TRUE(two.port_starboard);
  EXPECT_FALSE(two.fore_aft);
  EXPECT_TRUE(two.top_bottom);
}

TEST(RobotReader, TakesNumbersInEverySpellingOfYaml) {
  for (const char* spelling : {"11.5", "+11.5", "1.15e1", "1.15e+01", "11.50", "115.0e-1"})
    EXPECT_EQ(parse_robot(changed("11.5\n", std::string(spelling) + "\n"), "f").hull().mass.value, 11.5)
        << spelling;
}

TEST(RobotReader, TakesNoDampingAtAll) {
  const std::string text = test::small_file().substr(0, test::small_file().find("damping:")) + "damping: []\n";
  EXPECT_TRUE(parse_robot(text, "f").damping().empty());
}

TEST(RobotReader, TakesWindowsLineEndsAndAByteOrderMark) {
  std::string text = "\xef\xbb\xbf";
  for (const char c : test::small_file()) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(parse_robot(text, "f").hull().mass.value, 11.5);
}

TEST(ReadRobot, RefusesAMissingFileAndOneOfMoreThanFourMegabytes) {
  const fathom::test::TemporaryFolder folder;
  EXPECT_THROW(read_robot(folder / "none.yaml"), InputError);
  fathom::test::spill(folder / "big.yaml", test::small_file() + "#" + std::string(1 << 22, ' ') + "\n");
  EXPECT_THROW(read_robot(folder / "big.yaml"), InputError);
  fathom::test::spill(folder / "fits.yaml", test::small_file() + "#" + std::string(1 << 21, ' ') + "\n");
  EXPECT_EQ(read_robot(folder / "fits.yaml").name(), "small");
}

}  // namespace
}  // namespace fathom::model::robot_reader_test
