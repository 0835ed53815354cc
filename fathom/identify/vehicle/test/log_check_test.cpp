// Logs of a simulated vehicle with and without one slip, and what the check says of them.
#include "fathom/identify/vehicle/log_check.hpp"

#include <algorithm>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/identify/vehicle/test/command_path_plant.hpp"

namespace fathom::identify::log_check_test {
namespace {

/// `off`: 1 puts the sensors some decimetres beside the origin.
model::Robot with_sensors_at(const Vec3& of_ahrs, const Vec3& of_imu, const Vec3& of_dvl, double latency,
                             double off = 1) {
  using model::SensorKind;
  return test::with_sensors(
      test::newton_robot(),
      {test::exact_sensor("ahrs", SensorKind::ahrs, 20, off * Vec3(0.1, 0, 0), of_ahrs, 0.02),
       test::exact_sensor("imu", SensorKind::imu, 50, off * Vec3(0.1, 0, 0), of_imu, latency),
       test::exact_sensor("depth", SensorKind::depth, 10, off * Vec3(-0.3, 0.2, 0.1), Vec3::Zero(), 0.02),
       test::exact_sensor("dvl", SensorKind::dvl, 5, off * Vec3(0, -0.1, 0.2), of_dvl, 0.05)});
}

/// Sensors without errors; the DVL is turned about the vertical axis.
model::Robot robot() { return with_sensors_at(Vec3::Zero(), Vec3::Zero(), Vec3(0, 0, 0.7), 0.005); }

const log::Dataset& correct() {
  static const log::Dataset dataset = test::logged({}, robot(), 1);
  return dataset;
}

/// All sensors at the origin along the axes of the body: the check needs no robot file to know where they are.
model::Robot straight_robot() { return with_sensors_at(Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), 0.005, 0); }
const log::Dataset& straight() {
  static const log::Dataset dataset = test::logged({}, straight_robot(), 1);
  return dataset;
}

log::Dataset scaled(const std::string& channel, const std::vector<std::string>& columns, double factor,
                    const log::Dataset& of = correct()) {
  return test::changed(of, channel, [&](log::Channel& one) {
    for (std::size_t k = 0; k < one.info.columns.size(); ++k)
      if (std::find(columns.begin(), columns.end(), one.info.columns[k].name) != columns.end())
        for (std::size_t row = 0; row < one.size(); ++row)
          one.values[row * one.info.columns.size() + k] *= factor;
  });
}

Findings found(const log::Dataset& dataset, const model::Robot* of = nullptr) {
  LogCheckOptions options;
  options.robot = of;
  return check_log(dataset, "swim", options);
}

std::string text(const Findings& findings) {
  std::string all;
  for (const Finding& finding : findings) all += finding.text() + "\n";
  return all;
}

bool is_error(const Finding& finding) { return finding.severity == Severity::error; }

void expect_error(const Findings& findings, const std::string& message, const std::string& remedy) {
  const auto at = std::find_if(findings.begin(), findings.end(), is_error);
  ASSERT_NE(at, findings.end()) << message;
  EXPECT_NE(at->message.find(message), std::string::npos) << at->message;
  EXPECT_NE(at->hint.find(remedy), std::string::npos) << at->hint;
}

TEST(LogCheck, FindsNothingInACorrectLog) {
  const model::Robot of = robot();
  EXPECT_EQ(text(found(correct(), &of)), "");
  const Findings unknown = found(correct());  // a DVL that is turned by 40 degrees may be
  EXPECT_TRUE(std::none_of(unknown.begin(), unknown.end(), is_error)) << text(unknown);
}

TEST(LogCheckLong, TakesSensorsThatStandAskewForAMounting) {
  for (const Vec3& askew : {Vec3(3.1, 0.2, 1.5), Vec3(1.6, 0, 0)})
    for (const model::Robot& of : {with_sensors_at(Vec3::Zero(), askew, Vec3::Zero(), 0.2),
                                   with_sensors_at(askew, Vec3::Zero(), Vec3(0, 0, 0.7), 0.01)}) {
      const log::Dataset dataset = test::logged({}, of, 1);
      const Findings unknown = found(dataset);
      EXPECT_TRUE(std::none_of(unknown.begin(), unknown.end(), is_error)) << text(unknown);
      EXPECT_EQ(text(found(dataset, &of)), "");
    }
}

TEST(LogCheckLong, NamesUnitsAndSignsWithoutARobot) {
  const double degrees = 180 / std::numbers::pi;
  expect_error(found(scaled("rov.imu", {"rate_x", "rate_y", "rate_z"}, degrees, straight())), "rov.imu",
               "deg/s");
  expect_error(found(scaled("rov.ahrs", {"roll", "pitch", "heading"}, degrees, straight())), "rov.ahrs",
               "unit: deg");
  expect_error(found(scaled("rov.depth", {"depth"}, -1, straight())), "rov.depth", "sign: -1");
  expect_error(found(scaled("rov.dvl", {"velocity_y", "velocity_z"}, -1, straight())), "rov.dvl",
               "`axes: FLU`");
}

TEST(LogCheckLong, NamesAxesWithTheRobot) {
  const model::Robot of = straight_robot();
  expect_error(found(scaled("rov.dvl", {"velocity_y", "velocity_z"}, -1, straight()), &of), "rov.dvl",
               "`axes: FLU`");
}

TEST(LogCheckLong, ComparesCommandsWithTheRobotAlone) {
  const log::Dataset reversed = scaled("rov.wrench", {"X", "Y", "Z", "K", "M", "N"}, -1);
  const Findings unknown = found(reversed);
  EXPECT_TRUE(std::none_of(unknown.begin(), unknown.end(), is_error)) << text(unknown);
  const model::Robot of = robot();
  expect_error(found(reversed, &of), "rov.wrench", "sign: -1");
}

TEST(LogCheck, NamesCommandsBeyondTheMap) {
  const model::Robot of = test::heavy();
  const log::Dataset dataset =
      test::changed(test::swim(of, 6, 0.02).log, "rov.thrusters", [](log::Channel& channel) {
        for (double& value : channel.values) value = 1500 + 400 * value;
      });
  expect_error(found(dataset, &of), "outside", "microseconds");
}

TEST(LogCheck, TakesOnlyAPartOfTheLog) {
  LogCheckOptions options;
  options.from = 1000;
  EXPECT_TRUE(check_log(scaled("rov.depth", {"depth"}, -1), "swim", options).empty());
}

TEST(LogCheck, SkipsWhatIsNoSensor) {
  EXPECT_TRUE(check_log(log::Dataset(), "empty").empty());
  const auto channel = [](const std::string& name, const std::vector<std::string>& columns) {
    return test::empty_channel(name, columns).info;
  };
  EXPECT_TRUE(is_sensor_channel(channel("rov.nav", {"heading", "pitch", "roll"})));
  EXPECT_FALSE(is_sensor_channel(channel("rov.state", {"depth"})));
  EXPECT_FALSE(is_sensor_channel(channel("rov.thrusters", {"command_a"})));
}

}  // namespace
}  // namespace fathom::identify::log_check_test
