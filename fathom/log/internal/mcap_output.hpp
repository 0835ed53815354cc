#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "fathom/log/internal/mcap_records.hpp"

namespace fathom::log::internal::mcap {

/// Bytes that grow by little-endian fields.
class Bytes {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_integral_v<T> || std::is_floating_point_v<T>);
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    text_.append(bytes, sizeof(T));
  }
  void raw(std::string_view bytes) { text_ += bytes; }
  void text(std::string_view bytes) {
    number(static_cast<std::uint32_t>(bytes.size()));
    text_ += bytes;
  }
  void record(Opcode opcode, const Bytes& content) {
    number(static_cast<std::uint8_t>(opcode));
    number(std::uint64_t{content.size()});
    text_ += content.text_;
  }

  void clear() { text_.clear(); }
  std::size_t size() const { return text_.size(); }
  std::string_view view() const { return text_; }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(text_)); }

 private:
  std::string text_;
};

/// A file that gets its name when it is whole. Keeps the CRC of what was written since the last reset.
class Output {
 public:
  explicit Output(const std::filesystem::path& path);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  void write(std::string_view bytes);
  void write(Opcode opcode, const Bytes& content);
  std::uint64_t place() const { return place_; }
  std::uint32_t crc() const { return crc_; }
  void reset_crc() { crc_ = 0; }
  /// To the disk, and under its name.
  void close();

 private:
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path path_, part_;
  int fd_ = -1;
  std::uint64_t place_ = 0;
  std::uint32_t crc_ = 0;
};

}  // namespace fathom::log::internal::mcap
