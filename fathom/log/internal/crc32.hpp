#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace fathom::log::internal {

/// CRC-32 as zlib and MCAP have it. `before`: of the bytes that precede, to go on from there.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace fathom::log::internal
