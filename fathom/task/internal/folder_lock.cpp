#include "fathom/task/internal/folder_lock.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fathom/base/descriptor.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"

namespace fathom::task::internal {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_lock(const fs::path& target, const std::string& message) {
  reject(target.string(), 0, "", message, "choose another folder with --out");
}

int lock_without_waiting(int fd) {
  int result = 0;
  do result = ::flock(fd, LOCK_EX | LOCK_NB);
  while (result != 0 && errno == EINTR);
  return result;
}

bool is_same_file(int fd, const fs::path& path) {
  struct stat open {
  }, named{};
  return ::fstat(fd, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

/// Returns the text of the lock of another run; it writes it right after it has taken the lock.
std::string holder_of(int fd) {
  char text[256];
  for (int attempt = 0; attempt < 50; ++attempt) {
    const ssize_t size = ::pread(fd, text, sizeof text, 0);
    const std::string_view read(text, size > 0 ? static_cast<std::size_t>(size) : 0);
    if (const std::size_t end = read.find('\n'); end != std::string_view::npos)
      return printable(read.substr(0, end));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return "another process";
}

[[noreturn]] void fail_held(const fs::path& target, int fd) {
  reject(target.string(), 0, "", "is being written by " + holder_of(fd),
         "wait until it ends, or choose another folder with --out");
}

/// Throws if another run holds the folder by the lock at the other place. Each run takes its own lock before it
/// looks for the other one, so that of two runs at least one sees the other.
void check_other_lock(const fs::path& target, const fs::path& other) {
  const Descriptor lock(::open(other.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (lock.fd < 0) return;
  if (lock_without_waiting(lock.fd) == 0) {
    if (is_same_file(lock.fd, other)) ::unlink(other.c_str());  // left by a killed run
  } else if (errno == EWOULDBLOCK) {
    fail_held(target, lock.fd);
  }
}

}  // namespace

FolderLock::FolderLock(const fs::path& target, const std::string& run) {
  // A folder has one lock, by whatever path it is named.
  std::error_code error;
  folder_ = fs::weakly_canonical(fs::absolute(target, error), error);
  if (error) fail_to_lock(target, "cannot be made: " + error.message());
  if (folder_.filename().empty()) folder_ = folder_.parent_path();
  const fs::path parent = folder_.parent_path();
  const fs::path beside = parent / fmt::format(".{}.fathom-lock", folder_.filename().string());
  const fs::path inside = folder_ / ".fathom-lock";
  for (fs::path p = parent; !p.empty() && !fs::exists(p, error); p = p.parent_path())
    made_parents_.push_back(p);
  try {
    constexpr int most_attempts = 1000;  // each time another run has just ended and removed the file
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      error.clear();
      fs::create_directories(parent, error);
      if (error == std::errc::no_such_file_or_directory) continue;  // another run removed a parent
      if (error) fail_to_lock(target, "cannot be made: " + error.message());
      file_ = beside;
      if (!open_file()) {
        const int reason = errno;
        if (reason == ENOENT && !fs::exists(parent, error)) continue;
        file_ = inside;  // the folder may be writable where the one above is not
        if (!fs::is_directory(folder_, error) || !open_file())
          fail_to_lock(target, std::string("cannot be made: ") + std::strerror(reason));
      }
      if (!take(target)) continue;
      check_other_lock(target, file_ == beside ? inside : beside);
      const std::string text = fmt::format("process {} ({})\n", ::getpid(), run);
      // The text is for people alone: a full disk does not matter here.
      if (::ftruncate(fd_, 0) != 0 || ::pwrite(fd_, text.data(), text.size(), 0) < 0) errno = 0;
      return;
    }
    fail_to_lock(target, "cannot be locked: other runs come and go there");
  } catch (...) {
    release();
    throw;
  }
}

FolderLock::~FolderLock() { release(); }

std::vector<fs::path> FolderLock::paths() const {
  std::vector<fs::path> list{file_};
  list.insert(list.end(), made_parents_.begin(), made_parents_.end());
  return list;
}

void FolderLock::release() {
  if (fd_ >= 0) {
    // Still locked: nobody takes a file that is about to go. Another run may have made its own where somebody
    // removed this one.
    if (is_held_ && is_same_file(fd_, file_)) ::unlink(file_.c_str());
    ::close(fd_);
  }
  fd_ = -1;
  is_held_ = false;
  std::error_code error;
  for (const fs::path& parent : made_parents_) fs::remove(parent, error);  // as far as they are empty
}

bool FolderLock::open_file() {
  constexpr int how = O_CLOEXEC | O_NOFOLLOW;
  fd_ = ::open(file_.c_str(), O_RDWR | O_CREAT | how, 0644);
  // Another user's lock in a folder that both may write to.
  if (fd_ < 0 && errno == EACCES) {
    fd_ = ::open(file_.c_str(), O_RDONLY | how);
    if (fd_ < 0) errno = EACCES;
  }
  return fd_ >= 0;
}

/// False where the file was removed meanwhile. Throws where another run holds the lock.
bool FolderLock::take(const fs::path& target) {
  const int result = lock_without_waiting(fd_);
  if (result != 0 && errno == EWOULDBLOCK) fail_held(target, fd_);
  is_exclusive_ = result == 0;  // some file systems have no locks
  is_held_ = is_same_file(fd_, file_);
  if (!is_held_) ::close(std::exchange(fd_, -1));
  return is_held_;
}

}  // namespace fathom::task::internal
