#include <fmt/format.h>

#include "fathom/base/file.hpp"
#include "fathom/log/description.hpp"
#include "fathom/log/internal/csv_header.hpp"
#include "fathom/log/internal/description_fields.hpp"

namespace fathom::log {
namespace {

using yaml::Field;
using yaml::Map;
using yaml::Reading;

constexpr std::size_t largest_description = 1 << 20;

void read_text(Map& map, std::string_view key, std::string& out) {
  if (const auto field = map.take(key)) out = field->text().value_or(out);
}

void read_condition(const Field& field, ChannelDescription& channel) {
  Map map(field);
  Condition condition;
  const auto column = map.require("column", "the column that tells which rows count");
  const auto name = column ? internal::read_column_name(*column) : std::nullopt;
  yaml::read(map, "is", "", condition.is);
  map.finish();
  if (!name) return;
  condition.column = *name;
  channel.where = condition;
}

void read_invalid(const Field& field, std::vector<double>& invalid) {
  if (const auto values = field.where_unknown_is_allowed().number_list()) invalid = *values;
}

void read_parts(Map& map, ChannelDescription& channel) {
  internal::read_table(map, channel.table);
  if (const auto clock = map.take("clock")) internal::read_clock(*clock, channel.clock);
  if (const auto invalid = map.take("invalid")) read_invalid(*invalid, channel.invalid);
  if (const auto drop = map.take("drop_old")) channel.drop_old = drop->yes_or_no().value_or(false);
  if (const auto where = map.take("where")) read_condition(*where, channel);
  std::string frame;
  if (const auto columns = map.take("columns")) internal::read_scalars(*columns, channel.columns);
  if (const auto vectors = map.take("vectors")) internal::read_vectors(*vectors, channel.vectors, frame);
  if (const auto attitude = map.take("attitude")) {
    internal::read_attitude(*attitude, channel);
    frame = "n";
  }
  if (!frame.empty()) channel.frame = frame;
  read_text(map, "frame", channel.frame);
}

void check_channel(const Field& field, const ChannelDescription& channel) {
  const ClockDescription& clock = channel.clock;
  if (channel.columns.empty() && channel.vectors.empty() && !channel.attitude)
    field.error("has no columns", "columns, vectors or attitude say what is written");
  if (clock.columns.empty() && clock.rate_hz == 0 && channel.topic.empty())
    field.error("has no clock",
                "clock: {column: t, unit: s}; or clock: {rate: 100} where the file has no times");
  if (clock.kind == ClockDescription::Kind::receive && clock.columns.empty() && channel.topic.empty())
    field.error("has a clock of receive times without a column", "clock: {column: t, kind: receive}");
  yaml::check_under(field, [&] { internal::check_writable(channel.info()); });
}

ChannelDescription read_channel_description(const Field& field, const std::string& name) {
  ChannelDescription channel;
  channel.name = name;
  Map map(field);
  read_text(map, "file", channel.file);
  read_text(map, "topic", channel.topic);
  read_text(map, "about", channel.about);
  read_parts(map, channel);
  map.finish();
  if (field.is_map()) check_channel(field, channel);
  return channel;
}

}  // namespace

ChannelInfo ChannelDescription::info() const {
  ChannelInfo info{name, frame, {}, about};
  for (const ScalarColumn& column : columns) info.columns.push_back(column.to);
  for (const VectorColumns& vector : vectors)
    info.columns.insert(info.columns.end(), vector.to.begin(), vector.to.end());
  if (attitude) info.columns.insert(info.columns.end(), attitude->to.begin(), attitude->to.end());
  return info;
}

Description parse_description(const std::string& text, const std::string& file) {
  const YAML::Node document =
      yaml::parse_document(text, file, "one description per file", "begin with 'format: fathom-description-1'");
  Reading reading(file);
  const Field root(document, "", reading);
  Map map(root);
  yaml::check_format(map, "fathom-description-1", {});
  Description description;
  description.file = file;
  read_text(map, "about", description.about);
  if (const auto messages = map.take("messages")) {
    const std::vector<std::string> types = internal::keys_in_order(*messages);
    Map each(*messages);
    for (const std::string& type : types) read_text(each, type, description.messages[type]);
  }
  if (const auto channels = map.require("channels", "the channels to write, by name")) {
    const std::vector<std::string> names = internal::keys_in_order(*channels);
    Map each(*channels);
    for (const std::string& name : names)
      if (const auto field = each.take(name))
        description.channels.push_back(read_channel_description(*field, name));
    if (channels->is_map() && names.empty()) channels->error("names no channel", "such as rov.dvl: {...}");
  }
  map.finish();
  if (!reading.findings().empty()) throw InputError(reading.findings());
  description.lines = reading.lines();
  return description;
}

Description read_description(const std::filesystem::path& path) {
  return parse_description(read_file(path, largest_description), path.string());
}

}  // namespace fathom::log
