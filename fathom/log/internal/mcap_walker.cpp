#include "fathom/log/internal/mcap_walker.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fathom/base/error.hpp"
#include "fathom/base/regular_file.hpp"

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
    if (cut_off_)
      open_cut_chunk(record.content);
    else
      open_chunk(record.content);
  }
}

bool Walker::next_in_chunk(Record& record) {
  while (!chunk_.empty()) {
    Fields fields(chunk_);
    record.opcode = static_cast<Opcode>(fields.number<std::uint8_t>());
    record.content = fields.take(fields.number<std::uint64_t>());
    if (!fields.ok() && cut_off_) {  // the last one, and only a part of it is there
      chunk_ = {};
      return false;
    }
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
    if (cut_off_) {
      const std::uint64_t there = end_ - offset_ - record_head;
      if (!is_recovering_ || record.opcode != Opcode::chunk || there > most_bytes) return false;
      record.content = window_.at(offset_ + record_head, there);
      offset_ = end_;
      return true;
    }
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

/// Its CRC is of the whole, so that a record which the disk has garbled shows only in what the record says.
void Walker::open_cut_chunk(std::span<const std::byte> content) {
  Fields fields(content);
  fields.take(16);  // times of the first and the last message
  const auto size = fields.number<std::uint64_t>();
  fields.number<std::uint32_t>();  // CRC
  const std::string_view compression = fields.text();
  fields.number<std::uint64_t>();  // length of the packed bytes
  if (!fields.ok() || size > most_bytes) return;
  met_chunks_ = true;
  chunk_ = unpacker_.unpack_beginning(compression, fields.rest(), size);
}

}  // namespace fathom::log::internal::mcap

namespace fathom::log::internal {

ByteSource::ByteSource(const std::filesystem::path& path) : name_(path.string()), fd_(open_regular_file(path)) {
  struct stat status {};
  if (::fstat(fd_, &status) != 0)
    reject(name_, 0, "", std::string("cannot be read: ") + std::strerror(errno), "check its permissions");
  size_ = static_cast<std::uint64_t>(status.st_size);
}

ByteSource::ByteSource(std::string_view bytes, std::string name)
    : name_(std::move(name)), size_(bytes.size()), bytes_(bytes) {}

ByteSource::~ByteSource() {
  if (fd_ >= 0) ::close(fd_);
}

void ByteSource::fill(std::uint64_t offset, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t n = ::pread(fd_, into.data(), into.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      reject(name_, 0, "", std::string("cannot be read: ") + std::strerror(errno), "is the disk healthy?");
    if (n == 0) reject(name_, 0, "", "became shorter while it was read", "wait until the recording has ended");
    offset += static_cast<std::uint64_t>(n);
    into = into.subspan(static_cast<std::size_t>(n));
  }
}

std::span<const std::byte> ByteWindow::at(std::uint64_t offset, std::size_t size) {
  if (source_.fd_ < 0) return std::as_bytes(std::span(source_.bytes_)).subspan(offset, size);
  if (offset < begin_ || offset > begin_ + filled_) begin_ = offset, filled_ = 0;
  if (offset + size <= begin_ + filled_) return std::span(buffer_).subspan(offset - begin_, size);

  const std::size_t kept = begin_ + filled_ - offset;  // its begin is there already
  if (kept > 0) std::memmove(buffer_.data(), buffer_.data() + (offset - begin_), kept);
  constexpr std::size_t least = std::size_t{1} << 18;
  const std::size_t wanted = std::min<std::uint64_t>(std::max(size, least), source_.size_ - offset);
  if (buffer_.size() < wanted) buffer_.resize(wanted);
  source_.fill(offset + kept, std::span(buffer_).subspan(kept, wanted - kept));
  begin_ = offset;
  filled_ = wanted;
  return std::span(buffer_).first(size);
}

}  // namespace fathom::log::internal
