#include "fathom/log/internal/mcap_output.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/log/internal/unpack.hpp"

namespace fathom::log::internal::mcap {

namespace fs = std::filesystem;

Output::Output(const fs::path& path) : path_(path), part_(temporary_beside(path)) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error)
    reject(path.parent_path().string(), 0, "", "cannot be made: " + error.message(),
           "is it a file, or not writable?");
  fd_ = ::open(part_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  if (fd_ < 0) fail("cannot be written");
}

Output::~Output() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(part_.c_str());
}

void Output::fail(const std::string& what) const {
  reject(path_.string(), 0, "", what + ": " + std::strerror(errno), "is the folder writable, the disk full?");
}

void Output::write(std::string_view bytes) {
  crc_ = crc32(std::as_bytes(std::span(bytes)), crc_);
  place_ += bytes.size();
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void Output::write(Opcode opcode, const Bytes& content) {
  Bytes head;
  head.number(static_cast<std::uint8_t>(opcode));
  head.number(std::uint64_t{content.size()});
  write(head.view());
  write(content.view());
}

void Output::close() {
  if (::fsync(fd_) != 0 && errno != EINVAL) fail("cannot be written");
  if (::close(std::exchange(fd_, -1)) != 0) fail("cannot be closed");
  if (::rename(part_.c_str(), path_.c_str()) == 0) return;
  const int error = errno;
  ::unlink(part_.c_str());
  errno = error;
  fail("cannot be replaced");
}

}  // namespace fathom::log::internal::mcap
