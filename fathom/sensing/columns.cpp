#include "fathom/sensing/columns.hpp"

#include <fmt/format.h>

namespace fathom::sensing {
namespace {

void add_axes(std::vector<Column>& columns, const std::string& name, const char* unit) {
  for (const char axis : {'x', 'y', 'z'}) columns.push_back({fmt::format("{}_{}", name, axis), unit});
}

void add_each(std::vector<Column>& columns, const char* name, const char* unit,
              std::span<const std::string> thruster_names) {
  for (const std::string& thruster : thruster_names)
    columns.push_back({fmt::format("{}_{}", name, thruster), unit});
}

}  // namespace

std::vector<Column> columns_of(const model::Sensor& sensor, std::span<const std::string> thruster_names) {
  using model::SensorKind;
  std::vector<Column> columns;
  switch (sensor.kind) {
    case SensorKind::imu:
      add_axes(columns, "acceleration", "m/s^2");
      add_axes(columns, "rate", "rad/s");
      break;
    case SensorKind::ahrs: columns = {{"roll", "rad"}, {"pitch", "rad"}, {"heading", "rad"}}; break;
    case SensorKind::dvl:
      if (sensor.beams && sensor.beams->per_beam)
        for (std::size_t k = 1; k <= sensor.beams->azimuth_deg.size(); ++k)
          columns.push_back({fmt::format("beam_{}", k), "m/s"});
      else
        add_axes(columns, "velocity", "m/s");
      break;
    case SensorKind::depth: columns = {{"depth", "m"}}; break;
    case SensorKind::position:
      add_axes(columns, "position", "m");
      columns.push_back({"attitude_w", "1"});
      add_axes(columns, "attitude", "1");
      break;
    case SensorKind::usbl: columns = {{"range", "m"}, {"azimuth", "rad"}, {"elevation", "rad"}}; break;
    case SensorKind::thruster_rate: add_each(columns, "rate", "rad/s", thruster_names); break;
    case SensorKind::thruster_current: add_each(columns, "current", "A", thruster_names); break;
  }
  return columns;
}

std::string frame_of(const model::Sensor& sensor) {
  using model::SensorKind;
  switch (sensor.kind) {
    case SensorKind::imu:
    case SensorKind::dvl: return "c";
    case SensorKind::ahrs:
    case SensorKind::depth:
    case SensorKind::position: return "n";
    case SensorKind::usbl: return "s";
    case SensorKind::thruster_rate:
    case SensorKind::thruster_current: return "";
  }
  return "";
}

}  // namespace fathom::sensing
