#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/log/internal/mcap_records.hpp"
#include "fathom/log/internal/unpack.hpp"

namespace fathom::log::internal {

/// Gives the bytes of a file or of memory by their place.
class ByteSource {
 public:
  /// Throws InputError if it cannot be opened.
  explicit ByteSource(const std::filesystem::path& path);
  ByteSource(std::string_view bytes, std::string name);
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  ~ByteSource();

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }

 private:
  friend class ByteWindow;
  void fill(std::uint64_t offset, std::span<std::byte> into) const;

  std::string name_;
  std::uint64_t size_ = 0;
  int fd_ = -1;
  std::string_view bytes_;  ///< where there is no file
};

/// Looks at one part of a source after the other, in a buffer as large as the largest part.
class ByteWindow {
 public:
  explicit ByteWindow(const ByteSource& source) : source_(source) {}

  /// Returns bytes that are valid until the next call. The source must have as many.
  std::span<const std::byte> at(std::uint64_t offset, std::size_t size);

 private:
  const ByteSource& source_;
  std::vector<std::byte> buffer_;
  std::uint64_t begin_ = 0;  ///< place of the buffer in the source
  std::size_t filled_ = 0;
};

}  // namespace fathom::log::internal

namespace fathom::log::internal::mcap {

struct Record {
  Opcode opcode = Opcode::header;
  std::span<const std::byte> content;  ///< valid until the next record
};

/// Goes from record to record, into chunks too, in the memory of one chunk. Gives schemas, channels and
/// messages, and what index and footer say; steps over the others. Damage is an InputError.
class Walker {
 public:
  /// Walks from `begin` up to the end of the section that begins there, or to `end`.
  Walker(const ByteSource& source, std::uint64_t begin, std::uint64_t end);

  /// Steps over the chunks at these places.
  void leave_out(std::set<std::uint64_t> chunks) { left_out_ = std::move(chunks); }

  /// Goes to the next record. Returns false at the end.
  bool next(Record& record);
  /// Gives the whole messages of a chunk that the end of the file cuts off, too.
  void recover() { is_recovering_ = true; }
  bool cut_off() const { return cut_off_; }  ///< the end came within a record
  std::uint64_t place() const { return offset_; }
  bool met_chunks() const { return met_chunks_; }

 private:
  [[noreturn]] void fail(const std::string& message) const;
  bool next_in_chunk(Record& record);
  bool next_in_file(Record& record);
  void open_chunk(std::span<const std::byte> content);
  void open_cut_chunk(std::span<const std::byte> content);

  const ByteSource& source_;
  ByteWindow window_;
  Unpacker unpacker_;
  std::uint64_t begin_, offset_, end_;
  std::span<const std::byte> chunk_;  ///< what is left of the one that is open
  std::set<std::uint64_t> left_out_;
  bool cut_off_ = false, met_chunks_ = false, is_recovering_ = false;
};

}  // namespace fathom::log::internal::mcap
