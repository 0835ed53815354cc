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

bool is_outside(double t, const RecordingOptions& options) {
  return (options.from && t < *options.from - smoothing_margin) ||
         (options.until && t > *options.until + smoothing_margin);
}

/// What the smoother has no use for.
std::optional<CheckedSensor> accelerations(const Source& source, const std::string& prefix,
                                           const std::vector<model::Sensor>& sensors,
                                           const RecordingOptions& options) {
  for (const model::Sensor& sensor : sensors) {
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
      if (is_outside(rows.t() - latency, options)) continue;
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
                                const RecordingOptions& options, const std::string& channel) {
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
  std::optional<double> before;
  while (rows.next()) {
    // The force of a lagging thruster at the middle of the interval that the command holds for, about.
    const double step = before ? rows.t() - *before : 0;
    const double kept = out.lag > 0 ? std::exp(-step / out.lag) : 0;
    before = rows.t();
    const bool is_kept = !is_outside(rows.t(), options);
    if (is_kept) out.t.push_back(rows.t());
    for (std::size_t k = 0; k < models.size(); ++k) {
      force[k] = goal[k] + kept * (force[k] - goal[k]);
      const double command = rows.values()[columns[k]];
      if (std::isfinite(command)) goal[k] = models[k].steady_force(command, 0, options.voltage);
      if (!std::isfinite(goal[k])) goal[k] = 0;
      if (!is_kept) continue;
      const double half = out.lag > 0 ? std::exp(-0.5 * step / out.lag) : 0;
      forces.push_back(goal[k] + half * (force[k] - goal[k]));
    }
  }
  out.inputs = Eigen::Map<const Eigen::MatrixXd>(forces.data(), static_cast<Eigen::Index>(models.size()),
                                                 static_cast<Eigen::Index>(out.t.size()));
  return out;
}

CheckedCommands wrenches(Rows rows, std::unique_ptr<Input> input, const RecordingOptions& options,
                         const std::string& channel) {
  CheckedCommands out{channel, {}, {}, {}, Mat6X(Mat6::Identity())};
  std::vector<double> wrenches;
  std::optional<double> before;
  while (rows.next()) {
    if (before) input->advance(rows.t() - *before);
    before = rows.t();
    input->take(rows);
    if (is_outside(rows.t(), options)) continue;
    out.t.push_back(rows.t());
    const Vec6 tau_b = input->wrench_b(Vec6::Zero());
    wrenches.insert(wrenches.end(), tau_b.data(), tau_b.data() + 6);
  }
  out.inputs = Eigen::Map<const Eigen::MatrixXd>(wrenches.data(), 6, static_cast<Eigen::Index>(out.t.size()));
  return out;
}

std::optional<CheckedCommands> commands_of(const Source& source, const std::string& prefix,
                                           const model::Robot& robot, const model::Environment& environment,
                                           const RecordingOptions& options) {
  const auto& path = robot.command_path();
  const bool by_axes = path && path->by == model::CommandPath::By::axes;
  const std::string thrusters = prefix + "thrusters", other = prefix + (by_axes ? "pilot" : "wrench");
  std::optional<CheckedCommands> out;
  if (source.has(thrusters)) {
    out = thruster_forces(source.open(thrusters), robot, environment, options, thrusters);
  } else if (source.has(other)) {
    Rows rows = source.open(other);
    auto input = by_axes ? pilot_axes(rows, robot, environment, options.voltage)
                 : path  ? commanded_wrench(rows, robot, environment, options.voltage)
                         : logged_wrench(rows);
    out = wrenches(std::move(rows), std::move(input), options, other);
  } else {
    return std::nullopt;
  }
  out->mass = model::rigid_body_inertia(robot.hull()) + robot.hull().added_mass.value;
  out->dry_mass = robot.hull().mass.value;
  out->dry_mass_sigma = robot.hull().mass.sigma.value_or(0);
  return out;
}

CheckedLog checked_sensors(const Source& source, const std::string& prefix,
                           const std::vector<model::Sensor>& sensors, const RecordingOptions& options,
                           const SensorData& data) {
  const filter::Measurements& m = data.measurements;
  CheckedLog log;
  log.attitude = first_of(data, m.attitude, "attitude", prefix);
  log.rate = first_of(data, m.rate, "rate", prefix);
  log.velocity = first_of(data, m.velocity, "velocity", prefix);
  log.depth = first_of(data, m.depth, "depth", prefix);
  log.position = first_of(data, m.position, "position", prefix);
  log.acceleration = accelerations(source, prefix, sensors, options);
  return log;
}

/// Whether an autopilot between commands and thrusters explains it: behind a command path, commands are
/// requests, and need not be obeyed.
bool may_be_autopilot(const Contradiction& one, const model::Robot& robot, const CheckedLog& log) {
  return robot.command_path() && log.commands &&
         std::find(one.channels.begin(), one.channels.end(), log.commands->channel) != one.channels.end();
}

/// Whether a repair explains it. One that leaves a fifth of the misfit does not: numbers that are nearly zero
/// contradict nothing, and levers that nobody stated may be what is left.
bool is_explained(const Contradiction& one) {
  constexpr double left_over = 0.2;
  return one.repaired <= left_over * one.as_is;
}

/// Commands beyond the thrusters' maps, and thrusters that the robot does not have.
void check_thruster_commands(const Source& source, const std::string& channel, const model::Robot& robot,
                             const model::Environment& environment, const RecordingOptions& options) {
  Rows rows = source.open(channel);
  CommandedThrusters input(rows, robot, environment, options.voltage);
  while (rows.next()) input.take(rows);
  Findings warnings;
  input.finish(rows, warnings);
}

}  // namespace

Findings check_recording(const Source& source, const std::string& prefix, const model::Robot& robot,
                         const model::Environment& environment, const RecordingOptions& options,
                         const SensorData& sensors, std::vector<std::string>& contradictions) {
  CheckedLog log = checked_sensors(source, prefix, robot.sensors(), options, sensors);
  log.commands = commands_of(source, prefix, robot, environment, options);
  Findings errors, warnings;
  for (const Contradiction& one : find_contradictions(log)) {
    const bool of_autopilot = may_be_autopilot(one, robot, log), doubt = !one.named || of_autopilot;
    (doubt ? warnings : errors)
        .push_back(source.finding(doubt ? Severity::warning : Severity::error, one.message, one.remedy));
    if (!one.named && !of_autopilot) contradictions.push_back(one.message);
  }
  if (errors.empty()) return warnings;
  errors.back().hint += "; --no-sensor-check goes on without this check (docs/sensor-check.md)";
  throw InputError(std::move(errors));
}

Findings check_sensors_of(const Source& source, const std::string& prefix,
                          const std::vector<model::Sensor>& sensors, const model::Robot* robot,
                          const model::Environment& environment, const RecordingOptions& options) {
  SensorData data;
  SensorReader reader(options, data);
  for (const model::Sensor& sensor : sensors) {
    if (!SensorReader::knows(sensor.kind) || !source.has(prefix + sensor.name)) continue;
    try {
      reader.read(source.open(prefix + sensor.name), sensor);
    } catch (const InputError&) {  // `identify` says why it cannot be read; the others are compared
    }
  }
  Findings findings;
  CheckedLog log;
  try {
    log = checked_sensors(source, prefix, sensors, options, data);
  } catch (const InputError&) {
    return findings;
  }
  data = {};
  if (robot) {
    try {
      if (const std::string thrusters = prefix + "thrusters"; source.has(thrusters))
        check_thruster_commands(source, thrusters, *robot, environment, options);
      log.commands = commands_of(source, prefix, *robot, environment, options);
    } catch (const InputError& error) {
      findings = error.findings();
    }
  }
  for (const Contradiction& one : find_contradictions(log)) {
    if (!robot && !is_explained(one)) continue;
    const Severity severity = !robot ? (one.may_be_mounting ? Severity::note : Severity::error)
                              : may_be_autopilot(one, *robot, log) ? Severity::warning
                                                                   : Severity::error;
    findings.push_back(source.finding(
        severity, one.message,
        severity == Severity::note ? one.remedy + "; with --robot FILE the places of the sensors are known"
                                   : one.remedy));
  }
  return findings;
}

}  // namespace fathom::identify::internal
