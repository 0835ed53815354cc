#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::log::internal {

/// Bytes of a file or of memory, by their place.
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

  /// Valid until the next call. The source must have as many bytes.
  std::span<const std::byte> at(std::uint64_t offset, std::size_t size);

 private:
  const ByteSource& source_;
  std::vector<std::byte> buffer_;
  std::uint64_t begin_ = 0;  ///< place of the buffer in the source
  std::size_t filled_ = 0;
};

}  // namespace fathom::log::internal
