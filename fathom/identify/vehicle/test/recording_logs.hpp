#pragma once
// Logs of a plant that swims under known commands, in memory, as `fathom simulate` would write them.
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "fathom/log/dataset.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/simulate/ode.hpp"
#include "fathom/simulate/plant.hpp"
#include "fathom/simulate/sensor.hpp"

namespace fathom::identify::test {

inline model::Robot heavy() { return model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml"); }

inline model::Robot with_sensors(const model::Robot& robot, std::vector<model::Sensor> sensors) {
  model::RobotSpec spec = robot.spec();
  spec.sensors = std::move(sensors);
  return model::Robot::make(std::move(spec));
}

/// A sensor without errors, somewhere and turned.
inline model::Sensor exact_sensor(const std::string& name, model::SensorKind kind, double rate_hz,
                                  const Vec3& position_b, const Vec3& attitude_rpy, double latency) {
  model::Sensor sensor;
  sensor.name = name;
  sensor.kind = kind;
  sensor.rate_hz.emplace().value = rate_hz;
  sensor.position_b.value = position_b;
  sensor.attitude_rpy.value = attitude_rpy;
  sensor.latency.emplace().value = latency;
  return sensor;
}

/// What thruster k is told at t: slow, none like the other, within 60 % of its range.
inline double gentle_command(const model::Thruster& thruster, std::size_t k, double t) {
  const double least = thruster.map ? thruster.map->command.min : thruster.force->value.min;
  const double most = thruster.map ? thruster.map->command.max : thruster.force->value.max;
  const double i = static_cast<double>(k);
  return (least + most) / 2 + 0.3 * (most - least) * std::sin((0.7 + 0.13 * i) * t + 0.9 * i);
}

struct Swim {
  log::Dataset log;
  std::vector<simulate::Truth> truth;  // every `step`
  Mat6X tau_b;                         // of the thrusters, likewise
  double step = 0;
};

inline log::Channel empty_channel(const std::string& name, const std::vector<std::string>& columns) {
  log::Channel channel;
  channel.info.name = name;
  for (const std::string& column : columns) channel.info.columns.push_back({column, ""});
  return channel;
}

/// A simulated sensor and what it says.
struct LoggedSensor {
  simulate::SimulatedSensor sensor;
  log::Channel channel;

  LoggedSensor(const model::Sensor& spec, std::uint64_t seed) : sensor(spec, seed, "rov/" + spec.name) {
    channel.info.name = "rov." + spec.name;
    for (const Column& column : sensor.columns()) channel.info.columns.push_back({column.name, column.unit});
  }
  void step(const simulate::Truth& before, const simulate::Truth& after) {
    sensor.step(before, after);
    simulate::Sample sample;
    while (sensor.poll(after.t, sample)) channel.append(sample.t_arrival, sample.values);
  }
};

inline void append(log::Channel& channel, const simulate::Truth& truth) {
  const Quat& q = truth.state.q_nb;
  const Vec3& p = truth.state.p_nb_n;
  const Vec6& nu = truth.state.nu_b;
  channel.append(truth.t, std::array{p[0], p[1], p[2], q.w(), q.x(), q.y(), q.z(), nu[0], nu[1], nu[2], nu[3],
                                     nu[4], nu[5]});
}

inline Vec6 thruster_wrench(const simulate::Plant& plant, double t, const Eigen::VectorXd& x) {
  std::vector<simulate::Plant::ThrusterReading> readings(plant.thruster_count());
  plant.read_thrusters(t, x, readings);
  Vec6 tau_b = Vec6::Zero();
  for (std::size_t k = 0; k < readings.size(); ++k) tau_b += readings[k].force * plant.thruster(k).column();
  return tau_b;
}

/// From 3 m of depth, gentle commands anew every ten steps.
inline Swim swim(const model::Robot& robot, double duration, double step, std::uint64_t seed = 1) {
  simulate::Plant plant(robot, model::Dof::six, {model::Environment(), simulate::CurrentField()});
  dynamics::State start;
  start.p_nb_n = Vec3(0.3, -0.2, 3);
  Eigen::VectorXd x = plant.initial(start);
  simulate::RungeKutta4 rk4(plant.size());

  std::vector<LoggedSensor> sensors;
  for (const model::Sensor& sensor : robot.sensors()) sensors.emplace_back(sensor, seed);
  std::vector<std::string> columns;
  for (const model::Thruster& thruster : robot.thrusters()) columns.push_back("command_" + thruster.name);
  log::Channel told = empty_channel("rov.thrusters", columns);
  log::Channel state = empty_channel(
      "rov.state", {"north", "east", "down", "qw", "qx", "qy", "qz", "u", "v", "w", "p", "q", "r"});

  Swim swum;
  swum.step = step;
  const long steps = std::lround(duration / step);
  swum.tau_b.resize(6, steps + 1);
  std::vector<double> commands(robot.thrusters().size());
  for (long n = 0; n <= steps; ++n) {
    simulate::Truth now;
    now.t = static_cast<double>(n) * step;
    if (n % 10 == 0) {
      for (std::size_t k = 0; k < commands.size(); ++k)
        commands[k] = gentle_command(robot.thrusters()[k], k, now.t);
      plant.command(commands);
      told.append(now.t, commands);
    }
    now.state = plant.vehicle_state(x);
    now.nu_dot_b = rk4.begin(plant, now.t, x).segment<6>(7);
    append(state, now);
    swum.tau_b.col(n) = thruster_wrench(plant, now.t, x);
    for (std::size_t i = 0; n > 0 && i < sensors.size(); ++i) sensors[i].step(swum.truth.back(), now);
    swum.truth.push_back(now);
    rk4.finish(plant, now.t, step, x);
  }
  for (LoggedSensor& sensor : sensors) swum.log.add(std::move(sensor.channel));
  swum.log.add(std::move(told));
  swum.log.add(std::move(state));
  return swum;
}

/// A copy of the log with one channel changed, or left out if `change` empties its name.
inline log::Dataset changed(const log::Dataset& dataset, const std::string& name,
                            const std::function<void(log::Channel&)>& change) {
  log::Dataset copy;
  for (log::Channel channel : dataset.channels()) {
    if (channel.info.name == name) change(channel);
    if (!channel.info.name.empty()) copy.add(std::move(channel));
  }
  return copy;
}

inline log::Dataset without(const log::Dataset& dataset, const std::string& name) {
  return changed(dataset, name, [](log::Channel& channel) { channel.info.name.clear(); });
}

}  // namespace fathom::identify::test
