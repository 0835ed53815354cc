#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace fathom::log::test {

/// Bytes of MCAP, put together by hand after its specification (mcap.dev/spec).
class McapBytes {
 public:
  template <class T>
  McapBytes& operator<<(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.append(raw, sizeof(T));
    return *this;
  }
  McapBytes& text(std::string_view value) {
    *this << static_cast<std::uint32_t>(value.size());
    bytes += value;
    return *this;
  }
  McapBytes& raw(std::string_view value) {
    bytes += value;
    return *this;
  }
  McapBytes& record(std::uint8_t opcode, const McapBytes& content) {
    *this << opcode << std::uint64_t{content.bytes.size()};
    bytes += content.bytes;
    return *this;
  }

  std::string bytes;
};

inline const std::string& mcap_magic() {
  static const std::string text = "\x89MCAP0\r\n";
  return text;
}

inline McapBytes mcap_schema(std::uint16_t id, std::string_view type, std::string_view encoding,
                             std::string_view text) {
  McapBytes content;
  content << id;
  return content.text(type).text(encoding).text(text);
}

inline McapBytes mcap_channel(std::uint16_t id, std::uint16_t schema, std::string_view topic,
                              std::string_view encoding = "cdr") {
  McapBytes content;
  content << id << schema;
  return content.text(topic).text(encoding).text("");
}

/// A message with one float64.
inline McapBytes mcap_message(std::uint16_t channel, std::uint64_t time_ns, double value) {
  McapBytes content;
  content << channel << std::uint32_t{0} << time_ns << time_ns;
  content.raw(std::string_view("\0\1\0\0", 4));
  return content << value;
}

inline McapBytes mcap_chunk(const McapBytes& records, std::string_view compression = "",
                            std::uint32_t crc = 0) {
  McapBytes content;
  content << std::uint64_t{0} << std::uint64_t{0} << std::uint64_t{records.bytes.size()} << crc;
  content.text(compression) << std::uint64_t{records.bytes.size()};
  return content.raw(records.bytes);
}

/// Header, `records`, end of data, a footer without a summary.
inline std::string mcap_file(const McapBytes& records, std::uint32_t data_crc = 0) {
  McapBytes header, end, footer, file;
  header.text("ros2").text("by hand");
  end << data_crc;
  footer << std::uint64_t{0} << std::uint64_t{0} << std::uint32_t{0};
  file.raw(mcap_magic())
      .record(1, header)
      .raw(records.bytes)
      .record(15, end)
      .record(2, footer)
      .raw(mcap_magic());
  return file.bytes;
}

/// Its end is missing.
inline std::string mcap_beginning(const McapBytes& records) { return mcap_magic() + records.bytes; }

inline McapBytes mcap_numbers() {
  McapBytes records;
  return records.record(3, mcap_schema(1, "std_msgs/msg/Float64", "ros2msg", "float64 data"))
      .record(4, mcap_channel(7, 1, "/x"));
}

}  // namespace fathom::log::test
