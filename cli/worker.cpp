#include "cli/worker.hpp"

#include <atomic>
#include <cctype>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fathom::cli {
namespace {

/// False when the other side is no more.
bool send_all(int socket, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

/// The worker's own side: one thread listens, the others work.
class Workshop {
 public:
  Workshop(int socket, const WorkerPool::Job& job) : socket_(socket), job_(&job) {}
  [[noreturn]] void run(int threads) noexcept;  // the child must not unwind into its parent's code

 private:
  void listen();
  void work();
  Frame do_job(int k);

  int socket_;
  const WorkerPool::Job* job_;
  std::atomic<bool> stop_{false};
  std::mutex queue_mutex_, send_mutex_;
  std::condition_variable news_;
  std::deque<int> queue_;
};

void Workshop::run(int threads) noexcept {
  for (int k = 0; k < threads; ++k) std::thread([this] { work(); }).detach();
  send_all(socket_, to_bytes({Frame::Kind::ready, threads}));
  listen();
  // Not exit(): the buffers and handlers of the supervisor are copied here, and jobs may be under way.
  ::_exit(0);
}

void Workshop::listen() {
  FrameStream stream;
  char bytes[4096];
  while (true) {
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // the supervisor is no more, or needs nobody
    stream.append(bytes, static_cast<std::size_t>(count));
    while (const auto frame = stream.next()) {
      if (frame->kind == Frame::Kind::stop) stop_ = true;
      if (frame->kind != Frame::Kind::begin) continue;
      const std::lock_guard lock(queue_mutex_);
      queue_.push_back(frame->number);
      news_.notify_one();
    }
  }
}

void Workshop::work() {
  while (true) {
    int k = 0;
    {
      std::unique_lock lock(queue_mutex_);
      news_.wait(lock, [this] { return !queue_.empty(); });
      k = queue_.front();
      queue_.pop_front();
    }
    const std::string bytes = to_bytes(do_job(k));
    const std::lock_guard lock(send_mutex_);
    send_all(socket_, bytes);
  }
}

Frame Workshop::do_job(int k) {
  if (stop_) return {Frame::Kind::skipped, k};
  try {
    return {Frame::Kind::result, k, pack((*job_)(k, [this] { return stop_.load(); }))};
  } catch (...) {
    return {Frame::Kind::failure, k, pack(std::current_exception())};
  }
}

std::string death_text(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("exit status {}", WEXITSTATUS(status));
  std::string name = ::strsignal(WTERMSIG(status));
  if (!name.empty()) name.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(name.front())));
  return fmt::format("signal {}: {}", WTERMSIG(status), name);
}

}  // namespace

Worker::Worker(int threads, const WorkerPool::Job& job) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  std::fflush(nullptr);
  const pid_t supervisor = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) {
    const int reason = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw std::system_error(reason, std::generic_category(), "fork");
  }
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != supervisor) ::_exit(1);  // it died before prctl
    std::signal(SIGINT, SIG_IGN);               // the supervisor says when to stop
    std::signal(SIGTERM, SIG_IGN);
    std::signal(SIGHUP, SIG_IGN);
    ::close(ends[0]);
    Workshop(ends[1], job).run(threads);
  }
  ::close(ends[1]);
  socket_ = ends[0];
}

Worker::~Worker() {
  if (pid_ < 0) return;
  kill();
  bury();
}

void Worker::send(const Frame& frame) const {
  if (pid_ > 0) send_all(socket_, to_bytes(frame));  // a death shows when receiving
}

std::optional<Frame> Worker::receive() {
  while (pid_ > 0) {
    if (auto frame = stream_.next()) return frame;
    char bytes[65536];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count > 0) {
      stream_.append(bytes, static_cast<std::size_t>(count));
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return std::nullopt;
    } else {
      return bury();
    }
  }
  return std::nullopt;
}

void Worker::wait(std::chrono::milliseconds limit) const {
  pollfd watched{socket_, POLLIN, 0};
  ::poll(&watched, pid_ > 0 ? 1 : 0, static_cast<int>(limit.count()));
}

Frame Worker::bury() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  ::close(socket_);
  pid_ = -1;
  return {Frame::Kind::lost, 0, death_text(status)};
}

void Worker::kill() const {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

}  // namespace fathom::cli
