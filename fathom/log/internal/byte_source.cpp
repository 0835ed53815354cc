#include "fathom/log/internal/byte_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fathom/base/error.hpp"

namespace fathom::log::internal {

ByteSource::ByteSource(const std::filesystem::path& path)
    : name_(path.string()), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat status {};
  if (fd_ < 0 || ::fstat(fd_, &status) != 0)
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
