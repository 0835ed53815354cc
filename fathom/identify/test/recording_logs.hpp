#pragma once
// Logs of a plant that swims under known commands, in memory, as `fathom simulate` would write them.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "fathom/log/dataset.hpp"
#include "fathom/model/robot_file.hpp"
#include "fathom/simulate/plant.hpp"
#include "fathom/simulate/sensor.hpp"

namespace fathom::identify::test {

inline model::Robot heavy() { return model::read_robot(FATHOM_MODELS_DIR "/bluerov2-heavy.yaml"); }

inline model::Robot with_sensors(const model::Robot& robot, std::vector<model::Sensor> sensors) {
  model::RobotSpec spec = robot.spec();
  spec.sensors = std::move(sensors);
  return model::Robot::make(std::move(spec));
}

/// A sensor without errors, somewhere and turned.
inline model::Sensor exact_sensor(const std::string& name, const std::string& kind, double rate_hz,
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

/// From 3 m of depth, commands anew every ten steps.
inline Swim swim(
    const model::Robot& robot, double duration, double step, std::uint64_t seed = 1,
    const std::function<double(const model::Thruster&, std::size_t, double)>& command = gentle_command) {
  const std::vector<model::Thruster>& thrusters = robot.thrusters();
  simulate::Plant plant(robot, model::Dof::six, {model::Environment(), simulate::CurrentField()});
  dynamics::State start;
  start.p_nb_n = Vec3(0.3, -0.2, 3);
  Eigen::VectorXd x = plant.initial(start), dx(plant.size());
  simulate::RungeKutta4 rk4(plant.size());

  std::vector<simulate::SimulatedSensor> sensors;
  std::vector<log::Channel> channels(robot.sensors().size());
  for (std::size_t i = 0; i < robot.sensors().size(); ++i) {
    const model::Sensor& sensor = robot.sensors()[i];
    sensors.emplace_back(sensor, seed, "rov/" + sensor.name);
    channels[i].info.name = "rov." + sensor.name;
    for (const sensing::Column& column : sensors[i].columns())
      channels[i].info.columns.push_back({column.name, column.unit});
  }
  log::Channel told, state;
  told.info.name = "rov.thrusters";
  for (const model::Thruster& thruster : thrusters)
    told.info.columns.push_back({"command_" + thruster.name, ""});
  state.info.name = "rov.state";
  for (const char* name : {"north", "east", "down", "qw", "qx", "qy", "qz", "u", "v", "w", "p", "q", "r"})
    state.info.columns.push_back({name, ""});

  Swim swum;
  swum.step = step;
  const long steps = std::lround(duration / step);
  swum.tau_b.resize(6, steps + 1);
  std::vector<double> commands(thrusters.size());
  std::vector<simulate::Plant::ThrusterReading> readings(thrusters.size());
  for (long n = 0; n <= steps; ++n) {
    const double t = static_cast<double>(n) * step;
    if (n % 10 == 0) {
      for (std::size_t k = 0; k < thrusters.size(); ++k) commands[k] = command(thrusters[k], k, t);
      plant.command(commands);
      told.append(t, commands);
    }
    plant.derivative(t, x, dx);
    simulate::Truth now;
    now.t = t;
    now.state = plant.vehicle_state(x);
    now.nu_dot_b = dx.segment<6>(7);
    const Quat& q = now.state.q_nb;
    const Vec3& p = now.state.p_nb_n;
    const Vec6& nu = now.state.nu_b;
    state.append(
        t, std::array{p[0], p[1], p[2], q.w(), q.x(), q.y(), q.z(), nu[0], nu[1], nu[2], nu[3], nu[4], nu[5]});
    plant.read_thrusters(t, x, readings);
    swum.tau_b.col(n).setZero();
    for (std::size_t k = 0; k < thrusters.size(); ++k)
      swum.tau_b.col(n) += readings[k].force * plant.thruster(k).column();
    for (std::size_t i = 0; n > 0 && i < sensors.size(); ++i) {
      sensors[i].step(swum.truth.back(), now);
      simulate::Sample sample;
      while (sensors[i].poll(t, sample)) channels[i].append(sample.t_arrival, sample.values);
    }
    swum.truth.push_back(now);
    rk4.step(plant, t, step, x);
    plant.project(x);
  }
  for (log::Channel& channel : channels) swum.log.add(std::move(channel));
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
