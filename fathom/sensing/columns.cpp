#include "fathom/sensing/columns.hpp"

#include <fmt/format.h>

namespace fathom::sensing {
namespace {

Part part_of(const model::SamplePart& declared, const model::Sensor& sensor,
             std::span<const std::string> thruster_names) {
  Part part{declared.quantity, {}, {}};
  const auto add = [&](std::string name, const model::SampleColumn& column) {
    part.columns.push_back({std::move(name), std::string(column.unit)});
    if (!column.channel.empty()) part.error_channels.push_back(column.channel);
  };
  const model::SampleColumn& first = declared.columns.front();
  if (model::is_per_thruster(declared.quantity))
    for (const std::string& thruster : thruster_names) add(fmt::format("{}_{}", first.name, thruster), first);
  else if (declared.quantity == model::Quantity::velocity && sensor.beams && sensor.beams->per_beam)
    for (std::size_t k = 1; k <= sensor.beams->azimuth_deg.size(); ++k) add(fmt::format("beam_{}", k), first);
  else
    for (const model::SampleColumn& column : declared.columns) add(std::string(column.name), column);
  return part;
}

}  // namespace

std::vector<Part> parts_of(const model::Sensor& sensor, std::span<const std::string> thruster_names) {
  std::vector<Part> parts;
  for (const model::SamplePart& declared : model::declaration_of(sensor.kind).parts)
    parts.push_back(part_of(declared, sensor, thruster_names));
  return parts;
}

std::vector<Column> columns_of(const model::Sensor& sensor, std::span<const std::string> thruster_names) {
  std::vector<Column> columns;
  for (const Part& part : parts_of(sensor, thruster_names))
    columns.insert(columns.end(), part.columns.begin(), part.columns.end());
  return columns;
}

std::string frame_of(const model::Sensor& sensor) {
  return std::string(model::declaration_of(sensor.kind).frame);
}

}  // namespace fathom::sensing
