#include "fathom/log/internal/mcap_walker.hpp"

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/log/internal/crc32.hpp"

namespace fathom::log::internal::mcap {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

/// Of interest; attachments may be larger than memory.
bool is_read(Opcode opcode) {
  switch (opcode) {
    case Opcode::schema:
    case Opcode::channel:
    case Opcode::message:
    case Opcode::chunk:
    case Opcode::chunk_index:
    case Opcode::statistics: return true;
    case Opcode::header:
    case Opcode::footer:
    case Opcode::message_index:
    case Opcode::summary_offset:
    case Opcode::data_end: return false;
  }
  return false;  // opcodes of later versions
}

}  // namespace

Walker::Walker(const ByteSource& source, std::uint64_t begin, std::uint64_t end)
    : source_(source), window_(source), begin_(begin), offset_(begin), end_(end) {}

void Walker::fail(const std::string& message) const {
  reject(source_.name(), 0, "", fmt::format("is damaged at byte {}: {}", begin_, message), "copy it again");
}

bool Walker::next(Record& record) {
  while (true) {
    if (next_in_chunk(record)) return true;
    if (!next_in_file(record)) return false;
    if (record.opcode != Opcode::chunk) return true;
    open_chunk(record.content);
  }
}

bool Walker::next_in_chunk(Record& record) {
  while (!chunk_.empty()) {
    Fields fields(chunk_);
    record.opcode = static_cast<Opcode>(fields.number<std::uint8_t>());
    record.content = fields.take(fields.number<std::uint64_t>());
    if (!fields.ok()) fail("a record in this chunk is longer than the chunk");
    chunk_ = fields.rest();
    if (record.opcode == Opcode::chunk) fail("a chunk in a chunk");
    if (is_read(record.opcode)) return true;
  }
  return false;
}

bool Walker::next_in_file(Record& record) {
  while (offset_ < end_) {
    begin_ = offset_;
    cut_off_ = end_ - offset_ < record_head;
    if (cut_off_) return false;
    Fields head(window_.at(offset_, record_head));
    record.opcode = static_cast<Opcode>(head.number<std::uint8_t>());
    const auto length = head.number<std::uint64_t>();
    if (record.opcode == Opcode::data_end || record.opcode == Opcode::footer) return false;
    cut_off_ = length > end_ - offset_ - record_head;
    if (cut_off_) return false;
    offset_ += record_head + length;
    if (!is_read(record.opcode) || left_out_.contains(begin_)) continue;
    if (length > most_bytes) fail(fmt::format("a record of {} bytes, at most 2^30 are read", length));
    record.content = window_.at(begin_ + record_head, length);
    return true;
  }
  return false;
}

void Walker::open_chunk(std::span<const std::byte> content) {
  met_chunks_ = true;
  Chunk chunk;
  if (!parse(content, chunk)) fail("a chunk that is shorter than it says");
  if (chunk.size > most_bytes) fail(fmt::format("a chunk of {} bytes, at most 2^30 are read", chunk.size));
  chunk_ = unpacker_.unpack(chunk.compression, chunk.packed, chunk.size);
  if (!unpacker_.why().empty()) fail("a chunk that cannot be unpacked: " + unpacker_.why());
  if (chunk.crc == 0) return;
  if (const std::uint32_t crc = crc32(chunk_); crc != chunk.crc)
    fail(fmt::format("a chunk with CRC {:08x}, it should be {:08x}", crc, chunk.crc));
}

}  // namespace fathom::log::internal::mcap
