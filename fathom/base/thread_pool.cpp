#include "fathom/base/thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include <fmt/format.h>

namespace fathom {
namespace {

struct Finished {
  int k = 0;
  std::vector<double> result;
  std::exception_ptr error;
};

/// The threads of one campaign, and the queue through which they hand their results to the caller.
class ThreadCampaign {
 public:
  ThreadCampaign(int count, const WorkerPool::Job& job) : count_(count), job_(&job) {}
  ThreadCampaign(const ThreadCampaign&) = delete;
  ThreadCampaign& operator=(const ThreadCampaign&) = delete;
  ~ThreadCampaign() { join(); }

  /// As many threads as the system gives; throws if it gives none.
  int start(int threads);
  /// What a job has given; empty when none has within `wait`.
  std::optional<Finished> next(std::chrono::milliseconds wait);
  bool over();  ///< every thread has ended and every result was taken
  void stop() { stop_ = true; }

 private:
  void work();
  void join();

  const int count_;
  const WorkerPool::Job* job_;
  std::atomic<bool> stop_{false};
  std::atomic<int> next_job_{0};
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<Finished> finished_;  // guarded by mutex_
  int working_ = 0;                // guarded by mutex_
  std::vector<std::thread> threads_;
};

int ThreadCampaign::start(int threads) {
  for (int k = 0; k < threads; ++k) {
    {
      const std::lock_guard lock(mutex_);
      ++working_;
    }
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      const std::lock_guard lock(mutex_);
      --working_;
      if (threads_.empty()) throw;
      break;
    }
  }
  return static_cast<int>(threads_.size());
}

void ThreadCampaign::work() {
  const std::function<bool()> stop = [this] { return stop_.load(); };
  while (!stop_) {
    const int k = next_job_++;
    if (k >= count_) break;
    Finished finished{.k = k, .result = {}, .error = {}};
    try {
      finished.result = (*job_)(k, stop);
    } catch (...) {
      finished.error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    finished_.push_back(std::move(finished));
    news_.notify_one();
  }
  const std::lock_guard lock(mutex_);
  --working_;
  news_.notify_one();
}

std::optional<Finished> ThreadCampaign::next(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  news_.wait_for(lock, wait, [this] { return !finished_.empty() || working_ == 0; });
  if (finished_.empty()) return std::nullopt;
  Finished first = std::move(finished_.front());
  finished_.pop_front();
  return first;
}

bool ThreadCampaign::over() {
  const std::lock_guard lock(mutex_);
  return working_ == 0 && finished_.empty();
}

void ThreadCampaign::join() {
  stop_ = true;
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace

ThreadPool::ThreadPool(int threads, Stop stop)
    : threads_(threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))),
      stop_(std::move(stop)) {}

std::vector<std::string> ThreadPool::run(int count, const Job& job, const Done& done) {
  if (count <= 0) return {};
  constexpr std::chrono::milliseconds poll{50};
  Finished failed{.k = count, .result = {}, .error = {}};  // of the failed jobs the first by number
  std::vector<std::string> notes;
  ThreadCampaign campaign(count, job);
  const int wanted = std::min(threads_, count), started = campaign.start(wanted);
  if (started < wanted) notes.push_back(fmt::format("only {} of {} threads could be started", started, wanted));
  while (!campaign.over()) {
    if (stop_ && stop_()) campaign.stop();
    std::optional<Finished> finished = campaign.next(poll);
    if (!finished) continue;
    if (finished->error) {
      campaign.stop();
      if (finished->k < failed.k) failed = std::move(*finished);
    } else if (!failed.error && !done(finished->k, finished->result)) {
      campaign.stop();
    }
  }
  if (failed.error) std::rethrow_exception(failed.error);
  return notes;
}

}  // namespace fathom
