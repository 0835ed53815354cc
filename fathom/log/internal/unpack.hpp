#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::log::internal {

/// CRC-32 as zlib and MCAP have it. `before`: of the bytes that precede, to go on from there.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

/// The way back: `bytes` by one of the same compressions.
std::string pack(std::string_view compression, std::string_view bytes);

/// Unpacks one block after the other: "" (as it is), "lz4" (frames) and "zstd". Keeps its memory.
class Unpacker {
 public:
  Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  ~Unpacker();

  /// `size` bytes, valid until the next call; where it fails, why() is not empty.
  std::span<const std::byte> unpack(std::string_view compression, std::span<const std::byte> packed,
                                    std::uint64_t size);
  const std::string& why() const { return why_; }
  /// As many of the `size` bytes as the beginning of a block that was cut off gives; valid until the next call.
  std::span<const std::byte> unpack_beginning(std::string_view compression, std::span<const std::byte> packed,
                                              std::uint64_t size);

 private:
  std::size_t lz4_bytes(std::span<const std::byte> packed);
  std::size_t zstd_bytes(std::span<const std::byte> packed);
  bool lz4(std::span<const std::byte> packed);
  bool zstd(std::span<const std::byte> packed);

  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
  std::vector<std::byte> buffer_;
  std::span<std::byte> into_;
  std::string why_;
};

}  // namespace fathom::log::internal
