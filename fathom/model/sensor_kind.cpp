#include "fathom/model/sensor_kind.hpp"

#include <algorithm>

namespace fathom::model {
namespace {

struct Row {
  std::string_view name;
  std::vector<NoiseChannel> channels;
};

Row make_row(SensorKind kind) {
  switch (kind) {
    case SensorKind::ahrs: return {"ahrs", {{"attitude", "rad"}, {"heading", "rad"}}};
    case SensorKind::depth: return {"depth", {{"depth", "m"}}};
    case SensorKind::dvl: return {"dvl", {{"velocity", "m/s"}}};
    case SensorKind::imu: return {"imu", {{"acceleration", "m/s^2"}, {"rate", "rad/s"}}};
    case SensorKind::position: return {"position", {{"position", "m"}, {"attitude", "rad"}}};
    case SensorKind::thruster_current: return {"thruster_current", {{"current", "A"}}};
    case SensorKind::thruster_rate: return {"thruster_rate", {{"rate", "rad/s"}}};
    case SensorKind::usbl: return {"usbl", {{"range", "m"}, {"bearing", "rad"}}};
  }
  return {};
}

static_assert([] {
  for (std::size_t k = 0; k < sensor_kinds.size(); ++k)
    if (static_cast<std::size_t>(sensor_kinds[k]) != k) return false;
  return static_cast<std::size_t>(SensorKind::usbl) + 1 == sensor_kinds.size();  // the last one
}());

const Row& row_of(SensorKind kind) {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all;
    for (const SensorKind each : sensor_kinds) all.push_back(make_row(each));
    return all;
  }();
  return rows[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string_view name_of(SensorKind kind) { return row_of(kind).name; }

std::optional<SensorKind> sensor_kind_of(std::string_view name) {
  const auto found = std::find_if(sensor_kinds.begin(), sensor_kinds.end(),
                                  [name](SensorKind kind) { return name_of(kind) == name; });
  return found == sensor_kinds.end() ? std::nullopt : std::optional(*found);
}

bool watches_thrusters(SensorKind kind) {
  switch (kind) {
    case SensorKind::thruster_current:
    case SensorKind::thruster_rate: return true;
    case SensorKind::ahrs:
    case SensorKind::depth:
    case SensorKind::dvl:
    case SensorKind::imu:
    case SensorKind::position:
    case SensorKind::usbl: return false;
  }
  return false;
}

const std::vector<NoiseChannel>& noise_channels(SensorKind kind) { return row_of(kind).channels; }

}  // namespace fathom::model
