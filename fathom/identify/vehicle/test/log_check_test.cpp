// Logs of a simulated vehicle with and without one slip, and what the check says of them.
#include "fathom/identify/vehicle/log_check.hpp"

#include <algorithm>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/identify/vehicle/test/recording_logs.hpp"

namespace fathom::identify::log_check_test {
namespace {

/// Sensors without errors, with places, latencies and a DVL that is turned about the vertical axis.
model::Robot robot() {
  using model::SensorKind;
  return test::with_sensors(
      test::heavy(),
      {test::exact_sensor("ahrs", SensorKind::ahrs, 20, Vec3(0.1, 0, 0), Vec3::Zero(), 0.02),
       test::exact_sensor("imu", SensorKind::imu, 50, Vec3(0.1, 0, 0), Vec3::Zero(), 0.005),
       test::exact_sensor("depth", SensorKind::depth, 10, Vec3(-0.3, 0.2, 0.1), Vec3::Zero(), 0.02),
       test::exact_sensor("dvl", SensorKind::dvl, 5, Vec3(0, -0.1, 0.2), Vec3(0, 0, 0.7), 0.05)});
}

const log::Dataset& correct() {
  static const log::Dataset dataset = test::swim(robot(), 60, 0.02).log;
  return dataset;
}

log::Dataset scaled(const std::string& channel, const std::vector<std::string>& columns, double factor) {
  return test::changed(correct(), channel, [&](log::Channel& one) {
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

TEST(LogCheck, TakesSensorsThatStandAskewForAMounting) {
  using model::SensorKind;
  const Vec3 at(0.2, 0.1, 0.3);
  for (const Vec3& askew : {Vec3(3.1, 0.2, 1.5), Vec3(0.5, -0.4, 2.5), Vec3(0, 0, 3), Vec3(1.6, 0, 0)}) {
    const auto with = [&](const Vec3& of_imu, const Vec3& of_ahrs) {
      return test::with_sensors(test::heavy(),
                                {test::exact_sensor("ahrs", SensorKind::ahrs, 20, at, of_ahrs, 0.02),
                                 test::exact_sensor("imu", SensorKind::imu, 50, at, of_imu, 0.2),
                                 test::exact_sensor("depth", SensorKind::depth, 10, at, Vec3::Zero(), 0.02),
                                 test::exact_sensor("dvl", SensorKind::dvl, 5, at, Vec3(0, 0, 0.7), 0.1)});
    };
    for (const model::Robot& of : {with(askew, Vec3::Zero()), with(Vec3::Zero(), askew)}) {
      const log::Dataset dataset = test::swim(of, 40, 0.02).log;
      const Findings unknown = found(dataset);
      EXPECT_TRUE(std::none_of(unknown.begin(), unknown.end(), is_error)) << text(unknown);
      EXPECT_EQ(text(found(dataset, &of)), "");
    }
  }
}

TEST(LogCheck, NamesUnitsAndSignsWithoutARobot) {
  const double degrees = 180 / std::numbers::pi;
  expect_error(found(scaled("rov.imu", {"rate_x", "rate_y", "rate_z"}, degrees)), "rov.imu", "deg/s");
  expect_error(found(scaled("rov.ahrs", {"roll", "pitch", "heading"}, degrees)), "rov.ahrs", "unit: deg");
  expect_error(found(scaled("rov.depth", {"depth"}, -1)), "rov.depth", "sign: -1");
}

TEST(LogCheck, NamesAxesWithTheRobot) {
  const model::Robot of = robot();
  expect_error(found(scaled("rov.dvl", {"velocity_y", "velocity_z"}, -1), &of), "rov.dvl", "`axes: FLU`");
}

TEST(LogCheck, ComparesCommandsWithTheRobotAlone) {
  std::vector<std::string> columns;
  for (const model::Thruster& thruster : robot().thrusters()) columns.push_back("command_" + thruster.name);
  const log::Dataset reversed = scaled("rov.thrusters", columns, -1);
  const Findings unknown = found(reversed);
  EXPECT_TRUE(std::none_of(unknown.begin(), unknown.end(), is_error)) << text(unknown);
  const model::Robot of = robot();
  expect_error(found(reversed, &of), "rov.thrusters", "");
  expect_error(found(scaled("rov.thrusters", columns, 1000), &of), "outside", "microseconds");
}

TEST(LogCheck, TakesOnlyAPartOfTheLog) {
  LogCheckOptions options;
  options.from = 100;
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
