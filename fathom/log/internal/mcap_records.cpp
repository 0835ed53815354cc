#include "fathom/log/internal/mcap_records.hpp"

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
