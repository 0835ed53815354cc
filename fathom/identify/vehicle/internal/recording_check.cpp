#include "fathom/identify/vehicle/internal/recording_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <variant>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/identify/vehicle/internal/recording_commands.hpp"

namespace fathom::identify::internal {
namespace {

/// The first series of a kind, under the name of its channel.
std::optional<CheckedSensor> first_of(const SensorData& sensors, const std::vector<filter::Readings>& list,
                                      const char* list_name, const std::string& prefix) {
  const auto name = sensors.names.find(fmt::format("{} 0", list_name));
  if (list.empty() || name == sensors.names.end()) return std::nullopt;
  const std::string suffix = fmt::format(" {}", list_name);
  if (!name->second.ends_with(suffix)) return std::nullopt;  // rebuilt from rates: it agrees with them
  return CheckedSensor{prefix + name->second.substr(0, name->second.size() - suffix.size()), list.front()};
}

/// What the smoother has no use for.
std::optional<CheckedSensor> accelerations(const Source& source, const std::string& prefix,
                                           const model::Robot& robot, const RecordingOptions& options) {
  for (const model::Sensor& sensor : robot.sensors()) {
    const std::string channel = prefix + sensor.name;
    const bool is_asked = options.sensors.empty() || std::find(options.sensors.begin(), options.sensors.end(),
                                                               sensor.name) != options.sensors.end();
    if (sensor.kind != model::SensorKind::imu || !is_asked || !source.has(channel)) continue;
    Rows rows = source.open(channel);
    if (!rows.has_column("acceleration_x")) continue;
    const std::array<std::size_t, 3> columns = {rows.column({"acceleration_x", "m/s^2"}),
                                                rows.column({"acceleration_y", "m/s^2"}),
                                                rows.column({"acceleration_z", "m/s^2"})};
    CheckedSensor out{channel, {}};
    std::vector<double> values;
    const double latency = sensor.latency ? sensor.latency->value : 0;
    while (rows.next()) {
      out.readings.t.push_back(rows.t() - latency);
      for (const std::size_t column : columns) values.push_back(rows.values()[column]);
    }
    out.readings.values =
        sensor.pose().q_pc.toRotationMatrix() *
        Eigen::Map<const Eigen::Matrix3Xd>(values.data(), 3, static_cast<Eigen::Index>(out.readings.t.size()));
    out.readings.lever_b = sensor.position_b.value;
    return out;
  }
  return std::nullopt;
}

/// s: the mean time constant of the thrusters, as the file states it.
double lag_of(const model::Robot& robot) {
  double sum = 0;
  for (const model::Thruster& thruster : robot.thrusters())
    if (thruster.transient)
      if (const auto* lag = std::get_if<model::FirstOrder>(&thruster.transient->law)) sum += lag->time_constant;
  return robot.thrusters().empty() ? 0 : sum / static_cast<double>(robot.thrusters().size());
}

CheckedCommands thruster_forces(Rows rows, const model::Robot& robot, const model::Environment& environment,
                                double voltage, const std::string& channel) {
  CheckedCommands out{channel, {}, {}, {}, model::allocation_matrix(robot), lag_of(robot)};
  std::vector<dynamics::ThrusterModel> models;
  std::vector<std::size_t> columns;
  for (const model::Thruster& thruster : robot.thrusters()) {
    out.thrusters.push_back(thruster.name);
    columns.push_back(
        rows.column({"command_" + thruster.name, std::string(model::symbol_of(thruster.command_unit()))}));
    models.emplace_back(thruster, environment.density());
  }
  std::vector<double> forces, goal(models.size(), 0), force(models.size(), 0);
  while (rows.next()) {
    // The force of a lagging thruster at the middle of the interval that the command holds for, about.
    const double step = out.t.empty() ? 0 : rows.t() - out.t.back();
    const double kept = out.lag > 0 ? std::exp(-step / out.lag) : 0;
    out.t.push_back(rows.t());
    for (std::size_t k = 0; k < models.size(); ++k) {
      force[k] = goal[k] + kept * (force[k] - goal[k]);
      const double command = rows.values()[columns[k]];
      if (std::isfinite(command)) goal[k] = models[k].steady_force(command, 0, voltage);
      if (!std::isfinite(goal[k])) goal[k] = 0;
      const double half = out.lag > 0 ? std::exp(-0.5 * step / out.lag) : 0;
      forces.push_back(goal[k] + half * (force[k] - goal[k]));
    }
  }
  out.inputs = Eigen::Map<const Eigen::MatrixXd>(forces.data(), static_cast<Eigen::Index>(models.size()),
                                                 static_cast<Eigen::Index>(out.t.size()));
  return out;
}

CheckedCommands wrenches(Rows rows, std::unique_ptr<Input> input, const std::string& channel) {
  CheckedCommands out{channel, {}, {}, {}, Mat6X(Mat6::Identity())};
  std::vector<double> wrenches;
  while (rows.next()) {
    if (!out.t.empty()) input->advance(rows.t() - out.t.back());
    input->take(rows);
    out.t.push_back(rows.t());
    const Vec6 tau_b = input->wrench_b(Vec6::Zero());
    wrenches.insert(wrenches.end(), tau_b.data(), tau_b.data() + 6);
  }
  out.inputs = Eigen::Map<const Eigen::MatrixXd>(wrenches.data(), 6, static_cast<Eigen::Index>(out.t.size()));
  return out;
}

std::optional<CheckedCommands> commands_of(const Source& source, const std::string& prefix,
                                           const model::Robot& robot, const model::Environment& environment,
                                           double voltage) {
  const auto& path = robot.command_path();
  const bool by_axes = path && path->by == model::CommandPath::By::axes;
  const std::string thrusters = prefix + "thrusters", other = prefix + (by_axes ? "pilot" : "wrench");
  std::optional<CheckedCommands> out;
  if (source.has(thrusters)) {
    out = thruster_forces(source.open(thrusters), robot, environment, voltage, thrusters);
  } else if (source.has(other)) {
    Rows rows = source.open(other);
    auto input = by_axes ? pilot_axes(rows, robot, environment, voltage)
                 : path  ? commanded_wrench(rows, robot, environment, voltage)
                         : logged_wrench(rows);
    out = wrenches(std::move(rows), std::move(input), other);
  } else {
    return std::nullopt;
  }
  out->mass = model::rigid_body_inertia(robot.hull()) + robot.hull().added_mass.value;
  out->dry_mass = robot.hull().mass.value;
  out->dry_mass_sigma = robot.hull().mass.sigma.value_or(0);
  return out;
}

}  // namespace

Findings check_recording(const Source& source, const std::string& prefix, const model::Robot& robot,
                         const model::Environment& environment, const RecordingOptions& options,
                         const SensorData& sensors, std::vector<std::string>& contradictions) {
  const filter::Measurements& m = sensors.measurements;
  CheckedLog log;
  log.attitude = first_of(sensors, m.attitude, "attitude", prefix);
  log.rate = first_of(sensors, m.rate, "rate", prefix);
  log.velocity = first_of(sensors, m.velocity, "velocity", prefix);
  log.depth = first_of(sensors, m.depth, "depth", prefix);
  log.position = first_of(sensors, m.position, "position", prefix);
  log.acceleration = accelerations(source, prefix, robot, options);
  log.commands = commands_of(source, prefix, robot, environment, options.voltage);
  // Behind a command path stands somebody's autopilot: commands are requests, and need not be obeyed.
  const auto may_differ = [&](const Contradiction& one) {
    return robot.command_path() && log.commands &&
           std::find(one.channels.begin(), one.channels.end(), log.commands->channel) != one.channels.end();
  };
  Findings errors, warnings;
  for (const Contradiction& one : find_contradictions(log)) {
    const bool doubt = !one.named || may_differ(one);
    (doubt ? warnings : errors)
        .push_back(source.finding(doubt ? Severity::warning : Severity::error, one.message, one.remedy));
    if (!one.named && !may_differ(one)) contradictions.push_back(one.message);
  }
  if (errors.empty()) return warnings;
  errors.back().hint += "; --no-sensor-check goes on without this check (docs/sensor-check.md)";
  throw InputError(std::move(errors));
}

}  // namespace fathom::identify::internal
