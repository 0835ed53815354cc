#pragma once
#include <chrono>
#include <optional>

#include <sys/types.h>

#include "fathom/base/thread_pool.hpp"

#include "cli/frame.hpp"

namespace fathom::cli {

/// A process that does jobs, forked from this one, its supervisor: a job that crashes takes nobody with it. It
/// ends with its supervisor.
class Worker {
 public:
  /// Forks; to be called while the process has no threads but MPI's own: the child has none of them, so a lock
  /// that one of ours held would stay locked. MPI may be up: the child never calls it, and ends by _exit.
  Worker(int threads, const WorkerPool::Job& job);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  void send(const Frame& frame) const;
  /// The next frame that has arrived; after a death, once, Kind::lost.
  std::optional<Frame> receive();
  /// Returns when something has arrived, or after `limit`.
  void wait(std::chrono::milliseconds limit) const;
  void kill() const;  ///< receive() then tells of its death

 private:
  Frame bury();

  pid_t pid_ = -1;  // -1: it is no more
  int socket_ = -1;
  FrameStream stream_;
};

}  // namespace fathom::cli
