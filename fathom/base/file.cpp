#include "fathom/base/file.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "fathom/base/descriptor.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/read_stop.hpp"
#include "fathom/base/regular_file.hpp"

namespace fathom {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, std::string message, std::string hint) {
  reject(path.string(), 0, "", std::move(message), std::move(hint));
}

std::string system_message(int error) { return std::strerror(error); }

/// A file descriptor that closes itself, and removes the temporary file unless it was kept.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target)
      : path_(temporary_beside(target).string()),
        fd_(::open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644)) {
    if (fd_ < 0) fail(target, "cannot be written: " + system_message(errno), "is the folder writable?");
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!kept_) ::unlink(path_.c_str());
  }

  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return ::fsync(fd_) == 0;
  }

  bool rename_to(const fs::path& target) {
    kept_ = ::rename(path_.c_str(), target.c_str()) == 0;
    return kept_;
  }

 private:
  std::string path_;
  int fd_ = -1;
  bool kept_ = false;
};

Stop& read_stop() {
  static Stop stop;
  return stop;
}

/// Reads what comes next from a pipe or a device. A program that has opened the pipe may take its time; one
/// that never opens it would be waited for in vain.
ssize_t read_when_there(const fs::path& path, int fd, bool has_begun, char* block, std::size_t size) {
  constexpr std::chrono::seconds patience{5};
  const auto limit = std::chrono::steady_clock::now() + patience;
  while (true) {
    throw_if(read_stop());
    pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
    const bool is_silent = ::poll(&wanted, 1, 200) <= 0;
    const ssize_t count = ::read(fd, block, size);
    // Of a silent pipe: no error but EAGAIN, and an end only where no program has opened it yet.
    if (!is_silent || count > 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return count;
    if (count == 0 && has_begun) return 0;
    if (count == 0 && std::chrono::steady_clock::now() > limit)
      fail(path, fmt::format("is a pipe or a device that gave nothing for {} s", patience.count()),
           "start the program that writes to it first, or write to a file");
  }
}

}  // namespace

fs::path temporary_beside(const fs::path& path) {
  static std::atomic<unsigned> count{0};
  fs::path temporary = path;
  return temporary += fmt::format(".{}.{}.tmp", ::getpid(), count++);
}

void set_read_stop(Stop stop) { read_stop() = std::move(stop); }

std::string read_file(const fs::path& path, std::size_t max_bytes) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) fail(path, "does not exist", "check the path; it is relative to the current folder");
  if (fs::is_directory(status)) fail(path, "is a folder, expected a file", "name a file in it");
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.fd < 0) fail(path, "cannot be opened: " + system_message(errno), "check its permissions");

  std::string bytes;
  char block[1 << 16];
  while (true) {
    const ssize_t count = fs::is_regular_file(status)
                              ? ::read(file.fd, block, sizeof block)
                              : read_when_there(path, file.fd, !bytes.empty(), block, sizeof block);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) fail(path, "cannot be read: " + system_message(errno), "is the disk healthy?");
    if (count == 0) return bytes;
    bytes.append(block, static_cast<std::size_t>(count));
    if (bytes.size() > max_bytes)
      fail(path, fmt::format("is larger than {} bytes", max_bytes), "is this the right file?");
  }
}

int open_regular_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
    fail(path, "is a pipe or a device, expected a file", "write its content to a file first");
  // A file that becomes a pipe meanwhile does not block either.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) fail(path, "cannot be opened: " + system_message(errno), "check its permissions");
  return fd;
}

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  if (path.has_parent_path()) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) fail(path.parent_path(), "cannot be made: " + error.message(), "is it a file, or not writable?");
  }
  TemporaryFile temporary(path);
  if (!temporary.write(bytes)) fail(path, "cannot be written: " + system_message(errno), "is the disk full?");
  if (!temporary.rename_to(path)) fail(path, "cannot be replaced: " + system_message(errno), "is it a folder?");
}

}  // namespace fathom
