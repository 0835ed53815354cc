#include "fathom/log/internal/unpack.hpp"

#include <algorithm>
#include <array>
#include <new>

#include <fmt/format.h>
#include <lz4frame.h>
#include <zstd.h>

#include "fathom/base/text.hpp"

namespace fathom::log::internal {

namespace {

// What a byte can become at most. A length beyond that is no reason to ask for memory.
constexpr std::uint64_t lz4_ratio = 255;
constexpr std::uint64_t zstd_ratio = 32768;  // a block of four bytes that says: 128 KiB of this one

constexpr int zstd_level = 1;  // noise of sensors hardly gets smaller by more

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

std::string pack(std::string_view compression, std::string_view bytes) {
  if (compression.empty()) return std::string(bytes);
  const bool lz4 = compression == "lz4";
  std::string packed(lz4 ? LZ4F_compressFrameBound(bytes.size(), nullptr) : ZSTD_compressBound(bytes.size()),
                     '\0');
  const std::size_t size =
      lz4 ? LZ4F_compressFrame(packed.data(), packed.size(), bytes.data(), bytes.size(), nullptr)
          : ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), zstd_level);
  packed.resize(size);  // there is room enough, so that neither can fail
  return packed;
}

struct Unpacker::Contexts {
  LZ4F_dctx* lz4 = nullptr;
  ZSTD_DCtx* zstd = nullptr;
};

Unpacker::Unpacker() : contexts_(std::make_unique<Contexts>()) {}

Unpacker::~Unpacker() {
  LZ4F_freeDecompressionContext(contexts_->lz4);
  ZSTD_freeDCtx(contexts_->zstd);
}

/// Unpacks as far as it goes, and returns the number of bytes.
std::size_t Unpacker::lz4_bytes(std::span<const std::byte> packed) {
  LZ4F_dctx*& context = contexts_->lz4;
  if (!context && LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) throw std::bad_alloc();
  LZ4F_resetDecompressionContext(context);
  std::size_t in = 0, out = 0;
  while (in < packed.size()) {
    std::size_t taken = packed.size() - in, given = into_.size() - out;
    const std::size_t result =
        LZ4F_decompress(context, into_.data() + out, &given, packed.data() + in, &taken, nullptr);
    if (LZ4F_isError(result)) {
      why_ = LZ4F_getErrorName(result);
      break;
    }
    in += taken;
    out += given;
    if (result == 0 || (taken == 0 && given == 0)) break;
  }
  return out;
}

std::size_t Unpacker::zstd_bytes(std::span<const std::byte> packed) {
  ZSTD_DCtx*& context = contexts_->zstd;
  if (!context && !(context = ZSTD_createDCtx())) throw std::bad_alloc();
  ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  ZSTD_outBuffer out{into_.data(), into_.size(), 0};
  while (out.pos < out.size) {
    const std::size_t in_before = in.pos, out_before = out.pos;
    if (ZSTD_isError(ZSTD_decompressStream(context, &out, &in))) break;
    if (in.pos == in_before && out.pos == out_before) break;
  }
  return out.pos;
}

bool Unpacker::lz4(std::span<const std::byte> packed) {
  const std::size_t out = lz4_bytes(packed);
  if (!why_.empty()) return false;
  if (out != into_.size()) why_ = fmt::format("{} bytes come out, {} were announced", out, into_.size());
  return out == into_.size();
}

bool Unpacker::zstd(std::span<const std::byte> packed) {
  ZSTD_DCtx*& context = contexts_->zstd;
  if (!context && !(context = ZSTD_createDCtx())) throw std::bad_alloc();
  const std::size_t out =
      ZSTD_decompressDCtx(context, into_.data(), into_.size(), packed.data(), packed.size());
  if (ZSTD_isError(out)) {
    why_ = ZSTD_getErrorName(out);
    return false;
  }
  if (out != into_.size()) why_ = fmt::format("{} bytes come out, {} were announced", out, into_.size());
  return out == into_.size();
}

std::span<const std::byte> Unpacker::unpack(std::string_view compression, std::span<const std::byte> packed,
                                            std::uint64_t size) {
  why_.clear();
  if (compression.empty()) {
    if (packed.size() == size) return packed;
    why_ = fmt::format("{} bytes are there, {} were announced", packed.size(), size);
    return {};
  }
  const bool is_lz4 = compression == "lz4";
  if (!is_lz4 && compression != "zstd") {
    why_ = fmt::format("unknown compression {}", in_quotes(compression));
    return {};
  }
  if (size / (is_lz4 ? lz4_ratio : zstd_ratio) > packed.size()) {
    why_ = fmt::format("{} bytes cannot become {}", packed.size(), size);
    return {};
  }
  if (buffer_.size() < size) buffer_.resize(size);
  into_ = std::span(buffer_).first(size);
  if (is_lz4 ? lz4(packed) : zstd(packed)) return into_;
  return {};
}

std::span<const std::byte> Unpacker::unpack_beginning(std::string_view compression,
                                                      std::span<const std::byte> packed, std::uint64_t size) {
  why_.clear();
  if (compression.empty()) return packed.first(std::min<std::uint64_t>(packed.size(), size));
  const bool is_lz4 = compression == "lz4";
  if (!is_lz4 && compression != "zstd") return {};
  size = std::min(size, packed.size() * (is_lz4 ? lz4_ratio : zstd_ratio));
  if (buffer_.size() < size) buffer_.resize(size);
  into_ = std::span(buffer_).first(size);
  const std::size_t out = is_lz4 ? lz4_bytes(packed) : zstd_bytes(packed);
  return into_.first(out);
}

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
