#include "fathom/identify/vehicle/internal/recording_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <variant>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/identify/vehicle/internal/check_part.hpp"
#include "fathom/identify/vehicle/internal/recording_commands.hpp"

namespace fathom::identify::internal {
namespace {

/// The first series of a kind with the name of its channel.
struct FirstSeries {
  std::optional<CheckedSensor> CheckedLog::*to;
  const filter::Readings* readings;
  std::string channel;
};

std::vector<FirstSeries> first_series(const SensorData& sensors, const std::string& prefix) {
  const filter::Measurements& m = sensors.measurements;
  std::vector<FirstSeries> all;
  const auto add = [&](std::optional<CheckedSensor> CheckedLog::*to, const std::vector<filter::Readings>& list,
                       const char* list_name) {
    const auto name = sensors.names.find(fmt::format("{} 0", list_name));
    if (list.empty() || name == sensors.names.end()) return;
    const std::string suffix = fmt::format(" {}", list_name);
    if (!name->second.ends_with(suffix)) return;  // rebuilt from rates: it agrees with them
    all.push_back({to, &list.front(), prefix + name->second.substr(0, name->second.size() - suffix.size())});
  };
  add(&CheckedLog::attitude, m.attitude, "attitude");
  add(&CheckedLog::rate, m.rate, "rate");
  add(&CheckedLog::velocity, m.velocity, "velocity");
  add(&CheckedLog::depth, m.depth, "depth");
  add(&CheckedLog::position, m.position, "position");
  return all;
}

/// Samples of a part, and what the comparison blurs beyond its ends.
filter::Readings cut_to(const CheckPart& part, const filter::Readings& readings) {
  const auto first = std::lower_bound(readings.t.begin(), readings.t.end(), part.from - smoothing_margin),
             last = std::upper_bound(first, readings.t.end(), part.until + smoothing_margin);
  filter::Readings out;
  out.t.assign(first, last);
  out.values = readings.values.middleCols(first - readings.t.begin(), last - first);
  out.lever_b = readings.lever_b;
  return out;
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

/// The part of a log that is compared, and what its stamps show.
struct SensorsOfPart {
  CheckedLog log;
  RecordingOptions part;  ///< its `from` and `until` are the ends
  std::vector<Contradiction> outliers;
};

SensorsOfPart sensors_of_part(const SensorData& data, const std::string& prefix,
                              const RecordingOptions& options) {
  SensorsOfPart out{{}, options, {}};
  const std::vector<FirstSeries> series = first_series(data, prefix);
  std::vector<SampleTimes> times;
  for (const FirstSeries& one : series) times.emplace_back(one.channel, one.readings->t);
  const std::optional<CheckPart> part = checked_part(times);
  if (!part) return out;
  out.outliers = outlying_stamps(times);
  out.part.from = part->from;
  out.part.until = part->until;
  for (const FirstSeries& one : series)
    out.log.*one.to = CheckedSensor{one.channel, cut_to(*part, *one.readings)};
  return out;
}

/// Whether an autopilot between commands and thrusters explains it: behind a command path, commands are
/// requests, and need not be obeyed.
bool may_be_autopilot(const Contradiction& one, const model::Robot& robot, const std::string& commands) {
  return robot.command_path() &&
         std::find(one.channels.begin(), one.channels.end(), commands) != one.channels.end();
}

/// Contradictions of stamps, then those of the sensors. Takes the samples of the log.
std::vector<Contradiction> contradictions_of(SensorsOfPart&& sensors) {
  std::vector<Contradiction> all = std::move(sensors.outliers);
  for (Contradiction& one : find_contradictions(std::move(sensors.log))) all.push_back(std::move(one));
  return all;
}

std::string channel_of(const std::optional<CheckedCommands>& commands) {
  return commands ? commands->channel : std::string();
}

/// Whether a repair explains it. One that leaves a fifth of the misfit does not: numbers that are nearly zero
/// contradict nothing, and levers that nobody stated may be what is left.
bool is_explained(const Contradiction& one) {
  constexpr double left_over = 0.2;
  return one.repaired <= left_over * one.as_is;
}

/// Commands beyond the thrusters' maps. Throws InputError where log and robot do not have the same thrusters.
Findings beyond_maps(const Source& source, const std::string& channel, const model::Robot& robot,
                     const model::Environment& environment, const RecordingOptions& options) {
  Rows rows = source.open(channel);
  CommandedThrusters input(rows, robot, environment, options.voltage);
  while (rows.next()) input.take(rows);
  Findings warnings;
  try {
    input.finish(rows, warnings);
  } catch (const InputError& error) {
    return error.findings();
  }
  return {};
}

/// First, middle and last times of the sensors that can be read, in one pass without their values.
std::vector<SampleTimes> times_of(const Source& source, const std::string& prefix,
                                  const std::vector<model::Sensor>& sensors, const RecordingOptions& options) {
  std::vector<SampleTimes> all;
  for (const model::Sensor& sensor : sensors) {
    const std::string channel = prefix + sensor.name;
    if (!SensorReader::knows(sensor.kind) || !source.has(channel)) continue;
    try {
      Rows rows = source.open(channel);
      SampleTimes times(channel);
      while (rows.next())
        if (!is_outside(rows.t(), options)) times.add(rows.t());
      if (times.count() > 0) all.push_back(std::move(times));
    } catch (const InputError&) {  // its reader says why
    }
  }
  return all;
}

Finding not_compared(const Source& source, Severity severity, const std::string& what, const std::string& why) {
  return source.finding(severity, fmt::format("{} not compared: {}", what, why), "");
}

/// Reads all sensors but accelerometers; `skipped` gets those that cannot be read.
SensorData read_part(const Source& source, const std::string& prefix, const std::vector<model::Sensor>& sensors,
                     const RecordingOptions& part, Findings& skipped) {
  SensorData data;
  SensorReader reader(part, data);
  for (const model::Sensor& sensor : sensors) {
    const std::string channel = prefix + sensor.name;
    if (!SensorReader::knows(sensor.kind) || !source.has(channel)) continue;
    try {
      reader.read(source.open(channel), sensor);
    } catch (const InputError& error) {  // the others are compared
      skipped.push_back(not_compared(source, Severity::note, channel + " is", error.what()));
    }
  }
  return data;
}

}  // namespace

Findings check_recording(const Source& source, const std::string& prefix, const model::Robot& robot,
                         const model::Environment& environment, const RecordingOptions& options,
                         const SensorData& sensors, std::vector<std::string>& contradictions) {
  SensorsOfPart checked = sensors_of_part(sensors, prefix, options);
  checked.log.acceleration = accelerations(source, prefix, robot.sensors(), checked.part);
  checked.log.commands = commands_of(source, prefix, robot, environment, checked.part);
  const std::string commands = channel_of(checked.log.commands);
  Findings errors, warnings;
  for (const Contradiction& one : contradictions_of(std::move(checked))) {
    const bool of_autopilot = may_be_autopilot(one, robot, commands), doubt = !one.named || of_autopilot;
    const Severity severity = one.is_slight ? Severity::note : doubt ? Severity::warning : Severity::error;
    (doubt ? warnings : errors).push_back(source.finding(severity, one.message, one.remedy));
    if (severity == Severity::warning && !of_autopilot) contradictions.push_back(one.message);
  }
  if (errors.empty()) return warnings;
  errors.back().hint += "; --no-sensor-check goes on without this check (docs/sensor-check.md)";
  throw InputError(std::move(errors));
}

LogCheck check_sensors_of(const Source& source, const std::string& prefix,
                          const std::vector<model::Sensor>& sensors, const model::Robot* robot,
                          const model::Environment& environment, const RecordingOptions& options) {
  LogCheck result;
  const std::vector<SampleTimes> times = times_of(source, prefix, sensors, options);
  const std::optional<CheckPart> part = checked_part(times);
  if (!part) return result;
  RecordingOptions reading = options;
  reading.from = part->from;
  reading.until = part->until;
  SensorsOfPart checked =
      sensors_of_part(read_part(source, prefix, sensors, reading, result.skipped), prefix, reading);
  checked.outliers = outlying_stamps(times);
  try {
    checked.log.acceleration = accelerations(source, prefix, sensors, reading);
  } catch (const InputError& error) {
    result.skipped.push_back(not_compared(source, Severity::note, "accelerations are", error.what()));
  }
  if (robot) {
    try {
      if (const std::string thrusters = prefix + "thrusters"; source.has(thrusters))
        result.findings = beyond_maps(source, thrusters, *robot, environment, options);
      if (result.findings.empty())
        checked.log.commands = commands_of(source, prefix, *robot, environment, reading);
    } catch (const InputError& error) {
      result.skipped.push_back(not_compared(source, Severity::warning, "commands are", error.what()));
    }
  }
  const std::string commands = channel_of(checked.log.commands);
  for (const Contradiction& one : contradictions_of(std::move(checked))) {
    if (!robot && !is_explained(one)) continue;
    const bool is_note = one.is_slight || (!robot && one.may_be_mounting);
    const Severity severity = is_note                                            ? Severity::note
                              : robot && may_be_autopilot(one, *robot, commands) ? Severity::warning
                                                                                 : Severity::error;
    result.findings.push_back(source.finding(
        severity, one.message,
        !robot && is_note ? one.remedy + "; with --robot FILE the places of the sensors are known"
                          : one.remedy));
  }
  return result;
}

}  // namespace fathom::identify::internal
