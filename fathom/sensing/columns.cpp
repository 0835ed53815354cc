#include "fathom/sensing/columns.hpp"

#include <fmt/format.h>

#include "fathom/base/error.hpp"

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
  std::vector<Column> columns;
  const std::string& kind = sensor.kind;
  if (kind == "imu") {
    add_axes(columns, "acceleration", "m/s^2");
    add_axes(columns, "rate", "rad/s");
  } else if (kind == "ahrs") {
    columns = {{"roll", "rad"}, {"pitch", "rad"}, {"heading", "rad"}};
  } else if (kind == "dvl" && sensor.beams && sensor.beams->per_beam) {
    for (std::size_t k = 1; k <= sensor.beams->azimuth_deg.size(); ++k)
      columns.push_back({fmt::format("beam_{}", k), "m/s"});
  } else if (kind == "dvl") {
    add_axes(columns, "velocity", "m/s");
  } else if (kind == "depth") {
    columns = {{"depth", "m"}};
  } else if (kind == "position") {
    add_axes(columns, "position", "m");
    columns.push_back({"attitude_w", "1"});
    add_axes(columns, "attitude", "1");
  } else if (kind == "usbl") {
    columns = {{"range", "m"}, {"azimuth", "rad"}, {"elevation", "rad"}};
  } else if (kind == "thruster_rate") {
    add_each(columns, "rate", "rad/s", thruster_names);
  } else if (kind == "thruster_current") {
    add_each(columns, "current", "A", thruster_names);
  } else {
    refuse(sensor.name + ".kind", fmt::format("= '{}' is no kind of sensor", kind), "such as imu, dvl, depth");
  }
  return columns;
}

std::string frame_of(const model::Sensor& sensor) {
  const std::string& kind = sensor.kind;
  if (kind == "imu" || kind == "dvl") return "c";
  if (kind == "ahrs" || kind == "depth" || kind == "position") return "n";
  return kind == "usbl" ? "s" : "";
}

}  // namespace fathom::sensing
