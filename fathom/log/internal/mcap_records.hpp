#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "fathom/log/dataset.hpp"

namespace fathom::log::internal {

/// What ROS has no place for, in the metadata of an MCAP channel: pairs of texts.
struct McapInfo {
  ChannelInfo info;
  std::int64_t start_ns = 0;  ///< when t = 0 was
};

std::string metadata_of(const ChannelInfo& info, std::int64_t start_ns);

/// What metadata_of() wrote. Nothing where others wrote the metadata, or where it does not name `columns`
/// columns.
std::optional<McapInfo> info_in(std::string_view metadata, std::string_view topic, std::size_t columns);

}  // namespace fathom::log::internal

namespace fathom::log::internal::mcap {

inline constexpr std::string_view magic = "\x89MCAP0\r\n";

enum class Opcode : std::uint8_t {
  header = 1,
  footer = 2,
  schema = 3,
  channel = 4,
  message = 5,
  chunk = 6,
  message_index = 7,
  chunk_index = 8,
  statistics = 11,
  summary_offset = 14,
  data_end = 15
};

inline constexpr std::size_t record_head = 9;      ///< opcode, and length of what follows
inline constexpr std::size_t footer_content = 20;  ///< two places and a CRC

/// Takes little-endian fields from the front. Once one is missing, it gives zeros and ok() is false.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  std::span<const std::byte> rest() const { return bytes_; }

  template <class T>
  T number() {
    static_assert(std::is_unsigned_v<T>);
    T value = 0;
    if (const std::span<const std::byte> from = take(sizeof(T)); !from.empty())
      std::memcpy(&value, from.data(), sizeof(T));
    return value;
  }

  std::span<const std::byte> take(std::uint64_t size) {
    if (size > bytes_.size()) {
      ok_ = false;
      bytes_ = {};
      return {};
    }
    const std::span<const std::byte> front = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return front;
  }

  std::string_view text() {
    const std::span<const std::byte> bytes = take(number<std::uint32_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

struct Schema {
  std::uint16_t id = 0;
  std::string_view name, encoding, data;
};

struct Channel {
  std::uint16_t id = 0, schema = 0;
  std::string_view topic, encoding, metadata;
};

struct Message {
  std::uint16_t channel = 0;
  std::uint64_t time_ns = 0;
  std::span<const std::byte> data;
};

struct Chunk {
  std::uint64_t size = 0;  ///< unpacked
  std::uint32_t crc = 0;   ///< of what is unpacked; 0: unknown
  std::string_view compression;
  std::span<const std::byte> packed;
};

struct ChunkIndex {
  std::uint64_t offset = 0;
  std::map<std::uint16_t, std::uint64_t> message_indexes;  ///< which channels have messages in it
};

struct Statistics {
  std::uint64_t messages = 0;
  std::uint32_t channels = 0, chunks = 0;
  std::uint64_t start_ns = 0;
  std::map<std::uint16_t, std::uint64_t> messages_of;
};

struct Footer {
  std::uint64_t summary = 0;  ///< where it begins; 0: there is none
  std::uint32_t crc = 0;
};

/// False where the record is shorter than its fields.
bool parse(std::span<const std::byte> content, Schema& schema);
bool parse(std::span<const std::byte> content, Channel& channel);
bool parse(std::span<const std::byte> content, Chunk& chunk);
bool parse(std::span<const std::byte> content, ChunkIndex& index);
bool parse(std::span<const std::byte> content, Statistics& statistics);
bool parse(std::span<const std::byte> content, Footer& footer);

inline bool parse(std::span<const std::byte> content, Message& message) {
  Fields fields(content);
  message.channel = fields.number<std::uint16_t>();
  fields.number<std::uint32_t>();  // sequence
  message.time_ns = fields.number<std::uint64_t>();
  fields.number<std::uint64_t>();  // of publishing
  message.data = fields.rest();
  return fields.ok();
}

}  // namespace fathom::log::internal::mcap
