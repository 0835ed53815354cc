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

LogCheck checked(const log::Dataset& dataset, const model::Robot* of = nullptr) {
  LogCheckOptions options;
  options.robot = of;
  return check_log(dataset, "dive", options);
}

Findings found(const log::Dataset& dataset, const model::Robot* of = nullptr) {
  return checked(dataset, of).findings;
}

/// Every `step`-th number of a column becomes `value`, as where it stands for a missing one.
log::Dataset with_value(const std::string& channel, const std::vector<std::string>& columns, double value,
                        std::size_t step) {
  return test::changed(straight(), channel, [&](log::Channel& one) {
    for (std::size_t k = 0; k < one.info.columns.size(); ++k)
      if (std::find(columns.begin(), columns.end(), one.info.columns[k].name) != columns.end())
        for (std::size_t row = step; row < one.size(); row += step)
          one.values[row * one.info.columns.size() + k] = value;
  });
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
  const LogCheck with_robot = checked(correct(), &of);
  EXPECT_EQ(text(with_robot.findings) + text(with_robot.skipped), "");
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

// Velocities of two thirds are neither a unit nor axes that somebody mixed up.
TEST(LogCheckLong, NotesADifferenceThatNothingExplains) {
  const model::Robot of = straight_robot();
  const Findings findings =
      found(scaled("rov.dvl", {"velocity_x", "velocity_y", "velocity_z"}, 0.67, straight()), &of);
  ASSERT_EQ(findings.size(), 1U) << text(findings);
  EXPECT_EQ(findings[0].severity, Severity::note);
  EXPECT_NE(findings[0].message.find("do not quite agree"), std::string::npos) << text(findings);
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
  EXPECT_TRUE(check_log(scaled("rov.depth", {"depth"}, -1), "dive", options).findings.empty());
}

// -32.768 is no depth of these logs, nor a turn of their attitudes: the limit is relative to the other samples.
TEST(LogCheck, NamesAValueForMissingSamplesOfAnySensor) {
  const model::Robot of = straight_robot();
  expect_error(found(with_value("rov.depth", {"depth"}, -32.768, 40), &of), "-32.768 stands in",
               "invalid: [-32.768]");
  expect_error(
      found(with_value("rov.imu", {"acceleration_x", "acceleration_y", "acceleration_z"}, -32.768, 60), &of),
      "rov.imu: -32.768 stands in", "invalid");
  const double radians = -32.768 * std::numbers::pi / 180;
  expect_error(found(with_value("rov.ahrs", {"roll", "pitch", "heading"}, radians, 50), &of),
               "roll -32.768, pitch -32.768, heading", "invalid");
}

// A stamp of a million seconds earlier moved the part that is compared to where no sample is.
TEST(LogCheck, ComparesTheOthersWhereOneStampIsFarAway) {
  const model::Robot of = straight_robot();
  const log::Dataset outlying = test::changed(scaled("rov.depth", {"depth"}, -1, straight()), "rov.ahrs",
                                              [](log::Channel& channel) { channel.t.front() = -1e6; });
  for (const model::Robot* robot : {static_cast<const model::Robot*>(nullptr), &of}) {
    const Findings findings = found(outlying, robot);
    ASSERT_EQ(findings.size(), 2U) << text(findings);
    EXPECT_NE(findings[0].message.find("rov.ahrs: its first stamp is -1e+06 s"), std::string::npos)
        << text(findings);
    EXPECT_NE(findings[1].hint.find("sign: -1"), std::string::npos) << text(findings);
  }
}

TEST(LogCheck, SaysWhyCommandsAreNotCompared) {
  const model::Robot of = robot();
  const log::Dataset other = test::changed(
      correct(), "rov.wrench", [](log::Channel& channel) { channel.info.columns[0].name = "force"; });
  const LogCheck without = checked(other, &of);
  EXPECT_EQ(text(without.findings), "");
  ASSERT_EQ(without.skipped.size(), 1U);
  EXPECT_EQ(without.skipped[0].severity, Severity::warning);
  EXPECT_NE(without.skipped[0].message.find("commands are not compared: "), std::string::npos);
  const model::Robot stranger = test::with_sensors(
      test::newton_robot(),
      {test::exact_sensor("compass", model::SensorKind::ahrs, 20, Vec3::Zero(), Vec3::Zero(), 0)});
  const LogCheck unknown = checked(correct(), &stranger);
  ASSERT_EQ(unknown.skipped.size(), 1U);
  EXPECT_NE(unknown.skipped[0].message.find("has no channel with the name of a sensor of robot"),
            std::string::npos);
}

TEST(LogCheck, SkipsWhatIsNoSensor) {
  EXPECT_TRUE(check_log(log::Dataset(), "empty").findings.empty());
  const auto channel = [](const std::string& name, const std::vector<std::string>& columns) {
    return test::empty_channel(name, columns).info;
  };
  EXPECT_TRUE(is_sensor_channel(channel("rov.nav", {"heading", "pitch", "roll"})));
  EXPECT_FALSE(is_sensor_channel(channel("rov.state", {"depth"})));
  EXPECT_FALSE(is_sensor_channel(channel("rov.thrusters", {"command_a"})));
}

}  // namespace
}  // namespace fathom::identify::log_check_test
