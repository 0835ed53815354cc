#include "fathom/model/internal/sensor_reader.hpp"

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/fields/yaml_values.hpp"
#include "fathom/model/fields.hpp"
#include "fathom/model/internal/value_reader.hpp"

namespace fathom::model::internal {
namespace {

using yaml::Field;
using yaml::Map;
using yaml::take_origin;

/// Reports an unknown kind.
std::optional<SensorKind> read_kind(Map& map) {
  const auto field = map.require("kind", "such as imu, dvl, depth");
  if (!field) return std::nullopt;
  const std::string word = field->text().value_or("");
  if (const auto kind = sensor_kind_of(word)) return kind;
  std::vector<std::string_view> words;
  for (const SensorKind kind : sensor_kinds) words.push_back(name_of(kind));
  field->error(fmt::format("= {}, expected one of {}", in_quotes(word), join(words, ", ")),
               did_you_mean(word, words));
  return std::nullopt;
}

void read_channels(const Field& field, const std::vector<NoiseChannel>& channels, const ChannelTable& table,
                   ByChannel& out) {
  Map map(field);
  for (const NoiseChannel& channel : channels)
    if (const auto entry = map.take(channel.name)) {
      const std::string unit = fmt::format("{}{}", channel.unit, table.per);
      read_value(*entry, unit, AsNumber{unit}, out[std::string(channel.name)]);
    }
  map.finish();
}

/// `0.02`, or `{probability: 0.02, mean_length: 5}`.
DropOut read_drop_out(const Field& field) {
  DropOut drop_out;
  if (!field.is_map()) {
    drop_out.probability = field.number("").value_or(0);
    return drop_out;
  }
  Map map(field);
  if (const auto f = map.require("probability", "the share of samples that never arrive, 0 to 1")) {
    f->also_known_as(field.key());
    drop_out.probability = f->number("").value_or(0);
  }
  if (const auto f = map.take("mean_length")) drop_out.mean_length = f->number("samples");
  map.finish();
  return drop_out;
}

DvlBeams read_beams(const Field& field) {
  DvlBeams beams;
  Map map(field);
  if (const auto f = map.take("tilt_deg")) beams.tilt_deg = f->number("degrees").value_or(beams.tilt_deg);
  if (const auto f = map.take("azimuth_deg")) {
    beams.azimuth_deg.clear();
    for (const Field& item : f->items()) beams.azimuth_deg.push_back(item.number("degrees").value_or(0));
  }
  if (const auto f = map.take("per_beam")) beams.per_beam = f->yes_or_no().value_or(false);
  map.finish();
  return beams;
}

}  // namespace

Sensor read_sensor(const Field& field) {
  Sensor sensor;
  Map map(field);
  sensor.name = take_name(map);
  take_origin(map, sensor);
  const std::optional<SensorKind> kind = read_kind(map);
  if (kind) sensor.kind = *kind;
  sensor.position_b = read_position(map);
  sensor.attitude_rpy = read_attitude(map);
  if (const auto f = map.take("rate_hz")) read_value(*f, "Hz", AsNumber{"Hz"}, sensor.rate_hz.emplace());
  for (const ChannelTable& table : channel_tables)
    if (const auto f = map.take(table.key); f && kind)
      read_channels(*f, noise_channels(*kind), table, sensor.*table.values);
  if (const auto f = map.take("latency")) read_value(*f, "s", AsNumber{"s"}, sensor.latency.emplace());
  if (const auto f = map.take("drop_out")) sensor.drop_out = read_drop_out(*f);
  if (kind == SensorKind::dvl) {
    if (const auto f = map.take("beams")) sensor.beams = read_beams(*f);
    if (const auto f = map.take("altitude"))
      if (const auto range = f->numbers(2, "[min, max] in m over the bottom"))
        sensor.altitude = AltitudeRange{(*range)[0], (*range)[1]};
  }
  map.finish();
  return sensor;
}

}  // namespace fathom::model::internal
