#include "fathom/log/internal/mcap_records.hpp"

#include <charconv>
#include <map>

#include "fathom/log/internal/mcap_output.hpp"

namespace fathom::log::internal::mcap {

namespace {

/// A map is its length in bytes, then its pairs.
bool parse_counts(Fields& fields, std::map<std::uint16_t, std::uint64_t>& map) {
  Fields pairs(fields.take(fields.number<std::uint32_t>()));
  while (!pairs.rest().empty()) {
    const auto key = pairs.number<std::uint16_t>();
    map[key] = pairs.number<std::uint64_t>();
  }
  return fields.ok() && pairs.ok();
}

}  // namespace

bool parse(std::span<const std::byte> content, Schema& schema) {
  Fields fields(content);
  schema.id = fields.number<std::uint16_t>();
  schema.name = fields.text();
  schema.encoding = fields.text();
  schema.data = fields.text();
  return fields.ok() && schema.id != 0;
}

bool parse(std::span<const std::byte> content, Channel& channel) {
  Fields fields(content);
  channel.id = fields.number<std::uint16_t>();
  channel.schema = fields.number<std::uint16_t>();
  channel.topic = fields.text();
  channel.encoding = fields.text();
  channel.metadata = fields.text();
  return fields.ok();
}

bool parse(std::span<const std::byte> content, Chunk& chunk) {
  Fields fields(content);
  fields.take(16);  // times of the first and the last message
  chunk.size = fields.number<std::uint64_t>();
  chunk.crc = fields.number<std::uint32_t>();
  chunk.compression = fields.text();
  chunk.packed = fields.take(fields.number<std::uint64_t>());
  return fields.ok();
}

bool parse(std::span<const std::byte> content, ChunkIndex& index) {
  Fields fields(content);
  fields.take(16);  // times
  index.offset = fields.number<std::uint64_t>();
  fields.take(8);  // length
  return parse_counts(fields, index.message_indexes);
}

bool parse(std::span<const std::byte> content, Statistics& statistics) {
  Fields fields(content);
  statistics.messages = fields.number<std::uint64_t>();
  fields.take(2);  // schemas
  statistics.channels = fields.number<std::uint32_t>();
  fields.take(8);  // attachments, metadata
  statistics.chunks = fields.number<std::uint32_t>();
  statistics.start_ns = fields.number<std::uint64_t>();
  fields.take(8);  // end
  return parse_counts(fields, statistics.messages_of);
}

bool parse(std::span<const std::byte> content, Footer& footer) {
  Fields fields(content);
  footer.summary = fields.number<std::uint64_t>();
  fields.take(8);  // offsets within the summary
  footer.crc = fields.number<std::uint32_t>();
  return fields.ok();
}

}  // namespace fathom::log::internal::mcap

namespace fathom::log::internal {

namespace {

std::map<std::string_view, std::string_view> pairs_in(std::string_view metadata) {
  std::map<std::string_view, std::string_view> pairs;
  mcap::Fields fields(std::as_bytes(std::span(metadata)));
  while (fields.ok() && !fields.rest().empty()) {
    const std::string_view key = fields.text();
    pairs[key] = fields.text();
  }
  return fields.ok() ? pairs : std::map<std::string_view, std::string_view>();
}

/// A line for each column: its name, a tab, its unit.
std::vector<Column> columns_in(std::string_view text) {
  std::vector<Column> columns;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t tab = std::min(line.find('\t'), line.size());
    columns.push_back(
        {std::string(line.substr(0, tab)), std::string(line.substr(std::min(tab + 1, line.size())))});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return columns;
}

}  // namespace

std::string metadata_of(const ChannelInfo& info, std::int64_t start_ns) {
  std::string columns;
  for (const Column& column : info.columns) columns += column.name + "\t" + column.unit + "\n";
  mcap::Bytes metadata;
  for (const auto& [key, text] : {std::pair<std::string_view, std::string>("frame", info.frame),
                                  {"about", info.about},
                                  {"columns", columns},
                                  {"start_ns", std::to_string(start_ns)}}) {
    metadata.text(key);
    metadata.text(text);
  }
  return std::string(metadata.view());
}

std::optional<McapInfo> info_in(std::string_view metadata, std::string_view topic, std::size_t columns) {
  const auto pairs = pairs_in(metadata);
  const auto text = [&](std::string_view key) {
    const auto found = pairs.find(key);
    return found == pairs.end() ? std::string_view() : found->second;
  };
  McapInfo result;
  result.info = {std::string(topic.substr(topic.starts_with('/') ? 1 : 0)), std::string(text("frame")),
                 columns_in(text("columns")), std::string(text("about"))};
  const std::string_view start = text("start_ns");
  const auto [end, status] = std::from_chars(start.data(), start.data() + start.size(), result.start_ns);
  const bool is_whole = status == std::errc() && end == start.data() + start.size() && !start.empty();
  if (!is_whole || result.info.frame.empty() || result.info.columns.size() != columns) return std::nullopt;
  return result;
}

}  // namespace fathom::log::internal
