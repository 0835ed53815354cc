#include "fathom/identify/vehicle/log_check.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fathom/identify/vehicle/internal/recording_check.hpp"

namespace fathom::identify {
namespace {

using internal::Source;

std::string vehicle_prefix(const std::string& channel) {
  const std::size_t dot = channel.find('.');
  return dot == std::string::npos ? "" : channel.substr(0, dot + 1);
}

/// The kind of sensor that has the channel's columns; an unknown place, an exact attitude.
std::optional<model::Sensor> sensor_by_columns(const log::ChannelInfo& channel) {
  const std::string name = channel.name.substr(vehicle_prefix(channel.name).size());
  if (internal::is_no_sensor(name)) return std::nullopt;
  struct Kind {
    model::SensorKind kind;
    std::array<std::string_view, 3> columns;
  };
  using enum model::SensorKind;
  static constexpr std::array<Kind, 5> kinds = {{{ahrs, {"roll", "pitch", "heading"}},
                                                 {imu, {"rate_x", "rate_y", "rate_z"}},
                                                 {dvl, {"velocity_x", "velocity_y", "velocity_z"}},
                                                 {position, {"position_x", "position_y", "position_z"}},
                                                 {depth, {"depth", "depth", "depth"}}}};
  const auto has = [&](std::string_view column) {
    return std::any_of(channel.columns.begin(), channel.columns.end(),
                       [&](const Column& one) { return one.name == column; });
  };
  for (const auto& [kind, columns] : kinds)
    if (std::all_of(columns.begin(), columns.end(), has)) {
      model::Sensor sensor;
      sensor.name = name;
      sensor.kind = kind;
      return sensor;
    }
  return std::nullopt;
}

/// Of one vehicle, by the columns of its channels where no robot names its sensors.
LogCheck check_vehicle(const Source& source, const std::string& prefix, const LogCheckOptions& options) {
  RecordingOptions reading;
  reading.voltage = options.voltage;
  reading.from = options.from;
  reading.until = options.until;
  if (options.robot) {
    const auto& sensors = options.robot->sensors();
    const auto is_logged = [&](const model::Sensor& sensor) { return source.has(prefix + sensor.name); };
    if (std::any_of(sensors.begin(), sensors.end(), is_logged))
      return internal::check_sensors_of(source, prefix, sensors, options.robot, options.environment, reading);
  }
  std::vector<model::Sensor> sensors;
  for (const std::string& channel : source.channels()) {
    if (vehicle_prefix(channel) != prefix) continue;
    try {
      if (auto sensor = sensor_by_columns(source.open(channel).info())) sensors.push_back(std::move(*sensor));
    } catch (const InputError&) {  // no channel of Fathom
    }
  }
  LogCheck result = internal::check_sensors_of(source, prefix, sensors, nullptr, options.environment, reading);
  if (options.robot && !sensors.empty())
    result.skipped.push_back(source.finding(
        Severity::warning,
        fmt::format(
            "commands are not compared, and places of sensors not known: {} has no channel with the name of "
            "a sensor of robot {}",
            prefix.empty() ? "the log" : prefix.substr(0, prefix.size() - 1), options.robot->name()),
        "`sensors` of the robot file and `channels` of the log need the same names"));
  return result;
}

LogCheck check_vehicles(const Source& source, const LogCheckOptions& options) {
  std::set<std::string> prefixes;
  for (const std::string& channel : source.channels()) prefixes.insert(vehicle_prefix(channel));
  LogCheck result;
  for (const std::string& prefix : prefixes) {
    LogCheck of_vehicle = check_vehicle(source, prefix, options);
    std::move(of_vehicle.findings.begin(), of_vehicle.findings.end(), std::back_inserter(result.findings));
    std::move(of_vehicle.skipped.begin(), of_vehicle.skipped.end(), std::back_inserter(result.skipped));
  }
  return result;
}

}  // namespace

bool is_sensor_channel(const log::ChannelInfo& channel) { return sensor_by_columns(channel).has_value(); }

LogCheck check_log(const std::filesystem::path& folder, const LogCheckOptions& options) {
  return check_vehicles(Source(folder), options);
}

LogCheck check_log(const log::Dataset& dataset, const std::string& name, const LogCheckOptions& options) {
  if (dataset.channels().empty()) return {};
  return check_vehicles(Source(dataset, name), options);
}

}  // namespace fathom::identify
