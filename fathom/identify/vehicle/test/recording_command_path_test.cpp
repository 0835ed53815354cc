// Wrenches and sticks on their way through the thrusters of a robot, by hand.
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/identify/vehicle/internal/recording_commands.hpp"
#include "fathom/identify/vehicle/internal/recording_wrench.hpp"
#include "fathom/identify/vehicle/test/recording_logs.hpp"

namespace fathom::identify::recording_command_path_test {
namespace {

using internal::Source;
using internal::WrenchData;

model::Value<double> number(double value) { return {value, "", false, std::nullopt}; }

/// Four level thrusters on the axes and one upright: what each is told follows without an inverse.
model::Robot cross(const model::CommandPath& command_path) {
  model::RobotSpec spec = test::heavy().spec();
  spec.thrusters.clear();
  spec.sensors.clear();
  const auto add = [&](const char* name, const Vec3& at, const Vec3& along) {
    model::Thruster thruster;
    thruster.name = name;
    thruster.position_b.value = at;
    thruster.direction_b.value = along;
    spec.thrusters.push_back(thruster);
  };
  add("port", Vec3(0, -0.5, 0), Vec3::UnitX());
  add("starboard", Vec3(0, 0.5, 0), Vec3::UnitX());
  add("side", Vec3::Zero(), Vec3::UnitY());
  add("up", Vec3::Zero(), Vec3::UnitZ());
  spec.command_path = command_path;
  return model::Robot::make(std::move(spec));
}

log::Dataset constant(const char* name, const std::vector<std::string>& columns, const Vec6& row) {
  log::Channel channel = test::empty_channel(name, columns);
  for (int k = 0; k <= 100; ++k) channel.append(0.02 * k, std::span<const double>(row.data(), 6));
  log::Dataset log;
  log.add(std::move(channel));
  return log;
}

const std::vector<std::string> wrench = {"X", "Y", "Z", "K", "M", "N"};
const std::vector<std::string> axes = {"surge", "sway", "heave", "roll", "pitch", "yaw"};

WrenchData read(const log::Dataset& log, const model::Robot& robot) {
  filter::Track track;
  track.t0 = 0.5;
  track.dt = 0.05;
  track.nu_b.setZero(6, 20);
  track.measured.assign(20, 1);
  return internal::read_wrench(Source(log, "log"), "rov.", robot, model::Environment(), {}, track);
}

TEST(RecordingCommandPath, ThrustersLoseTheirDeadBandAndGain) {
  const Vec6 asked = (Vec6() << 12, -5, 1, 0, 0, 2).finished();
  const model::Robot robot = cross({model::CommandPath::By::wrench, number(1.5), number(0.5)});
  const WrenchData data = read(constant("rov.wrench", wrench, asked), robot);
  // X and N: port 6 + 2, starboard 6 - 2; left are 6.5 and 2.5. Heave, 1 N, is lost.
  const Vec6 left = 0.5 * (Vec6() << 9, -3.5, 0, 0, 0, 2).finished();
  EXPECT_LT((data.tau_b.colwise() - left).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((data.asked.colwise() - asked).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((data.told.colwise() - Eigen::Vector4d(8, 4, -5, 1)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(RecordingCommandPath, WhatNoThrusterGivesDoesNotAct) {
  const Vec6 asked = (Vec6() << 12, 0, 0, 3, 3, 0).finished();
  const WrenchData data =
      read(constant("rov.wrench", wrench, asked), cross({model::CommandPath::By::wrench, {}, {}}));
  EXPECT_LT((data.tau_b.colwise() - (Vec6() << 12, 0, 0, 0, 0, 0).finished()).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(RecordingCommandPath, SticksGoThroughMixerAndMaps) {
  model::RobotSpec spec = test::heavy().spec();
  spec.sensors.clear();
  spec.command_path = model::CommandPath{model::CommandPath::By::axes, {}, number(0.4)};
  const model::Robot robot = model::Robot::make(spec);
  const Vec6 sticks = (Vec6() << 0.5, 0, 0, 0, 0, 0).finished();
  const WrenchData data = read(constant("rov.pilot", axes, sticks), robot);
  // Two thrusters push forward at half stick, two in reverse, all at 45 degrees.
  const dynamics::ThrusterModel thruster(robot.thrusters()[0], model::Environment().density());
  const double force =
      2 * std::sqrt(0.5) * (thruster.steady_force(0.5, 0, 16) - thruster.steady_force(-0.5, 0, 16));
  EXPECT_NEAR(data.tau_b(0, 10), 0.4 * force, 1e-6 * force);
  EXPECT_NEAR(data.tau_b(1, 10), 0, 1e-9);
  EXPECT_NEAR(data.tau_b(5, 10), 0, 1e-6);
}

TEST(RecordingCommandPath, SticksBeyondOneAreRefused) {
  model::RobotSpec spec = test::heavy().spec();
  spec.command_path = model::CommandPath{model::CommandPath::By::axes, {}, {}};
  const model::Robot robot = model::Robot::make(spec);
  try {
    read(constant("rov.pilot", axes, (Vec6() << 0, 1.2, 0, 0, 0, 0).finished()), robot);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("sway = 1.2, must be from -1 to 1"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace fathom::identify::recording_command_path_test
