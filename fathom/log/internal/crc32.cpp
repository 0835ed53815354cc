#include "fathom/log/internal/crc32.hpp"

#include <array>

namespace fathom::log::internal {
namespace {

constexpr std::size_t crc_slices = 16;
using CrcTables = std::array<std::array<std::uint32_t, 256>, crc_slices>;

/// Row k: what a byte does to the remainder k bytes later. With them many bytes are taken at once, without
/// waiting for each other.
constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < crc_slices; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = tables[k - 1][byte] >> 8 ^ tables[0][tables[k - 1][byte] & 0xff];
  return tables;
}

constexpr CrcTables crc_tables = make_crc_tables();

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  const std::byte* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= crc_slices; left -= crc_slices, p += crc_slices) {
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < crc_slices; ++k) {
      const std::uint32_t old = k < 4 ? crc >> (8 * k) & 0xff : 0;
      next ^= crc_tables[crc_slices - 1 - k][std::to_integer<std::uint32_t>(p[k]) ^ old];
    }
    crc = next;
  }
  for (; left > 0; --left, ++p)
    crc = crc >> 8 ^ crc_tables[0][(crc ^ std::to_integer<std::uint32_t>(*p)) & 0xff];
  return ~crc;
}

}  // namespace fathom::log::internal
