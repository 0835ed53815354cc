// A batch gives the results of one process, whatever the number of processes and whichever of them die.
// Processes are threads here, each with a Batch of its own; tests/ranks.py has real ones.
#include "fathom/task/batch.hpp"

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "fathom/base/error.hpp"

namespace fathom::task::batch_test {
namespace {

namespace fs = std::filesystem;
using Results = std::map<int, std::vector<double>>;

std::vector<double> numbers_of(int k) {
  std::vector<double> numbers;
  for (int i = 0; i < k; ++i) numbers.push_back(1.0 / (k + i));
  return numbers;
}

/// The processes of a launch. When one dies, the others are told to end, as mpirun does.
class Launch {
 public:
  explicit Launch(int processes, std::string batch_key = "key")
      : size_(processes), key_(std::move(batch_key)) {}

  /// Returns what done() heard; `error` is what the first process threw.
  Results run(int count) {
    Results results;
    std::vector<std::thread> processes;
    for (int rank = 0; rank < size_; ++rank) processes.emplace_back([&, rank] { run(rank, count, results); });
    for (std::thread& process : processes) process.join();
    return results;
  }

  int throws = -1, dies = -1, enough = 1 << 20;
  std::atomic<int> done{0};
  std::string error;
  const fs::path folder = fs::temp_directory_path() / ("fathom-batch-" + std::to_string(::getpid()));

 private:
  void run(int rank, int count, Results& results) {
    std::atomic<bool> dead{false};
    std::atomic<int> begun{0};
    const auto job = [&](int k, const Stop& stop) {
      if (k == throws) reject("job", "cannot be done");
      if (rank == dies && ++begun > 1) {
        while (done < 6) std::this_thread::yield();  // the two threads of two others have saved a run
        dead = true;
        while (!stop()) std::this_thread::yield();  // so that this run is never finished
      }
      ++done;
      return numbers_of(k);
    };
    try {
      Batch({.rank = rank,
             .size = size_,
             .folder = folder,
             .key = key_,
             .threads = 2,
             .stop = [&] { return dead || lost_; },
             .meet = [&] { return meet(); }})
          .run(count, job, [&](int k, const std::vector<double>& result) {
            EXPECT_EQ(rank, 0);
            EXPECT_TRUE(results.emplace(k, result).second);
            return static_cast<int>(results.size()) < enough;
          });
    } catch (const std::exception& thrown) {
      if (rank == 0) error = thrown.what();
    }
    if (!dead) return;
    const std::lock_guard lock(mutex_);
    lost_ = true;
    news_.notify_all();
  }

  bool meet() {
    std::unique_lock lock(mutex_);
    const int all = (arrived_++ / size_ + 1) * size_;
    news_.notify_all();
    news_.wait(lock, [&] { return lost_ || arrived_ >= all; });
    return arrived_ >= all;
  }

  const int size_;
  const std::string key_;
  std::mutex mutex_;
  std::condition_variable news_;
  int arrived_ = 0;  // guarded by mutex_
  std::atomic<bool> lost_{false};
};

Results alone(int count) {
  Results results;
  for (int k = 0; k < count; ++k) results[k] = numbers_of(k);
  return results;
}

TEST(Batch, GivesTheSameResultsWhateverTheProcesses) {
  for (const int size : {1, 2, 5})
    for (const int count : {0, 1, 23}) {
      Launch launch(size);
      EXPECT_EQ(launch.run(count), alone(count));
      EXPECT_EQ(launch.done, count);
      EXPECT_EQ(launch.error, "");
      EXPECT_FALSE(fs::exists(launch.folder)) << "a complete batch leaves nothing behind";
    }
}

TEST(Batch, NamesTheRunsOfADeadProcessAndResumesThem) {
  Launch first(3);
  first.dies = 1;
  first.run(11);
  EXPECT_NE(first.error.find("missing: a process died or was told to end"), std::string::npos) << first.error;
  const auto kept = std::distance(fs::directory_iterator(first.folder), fs::directory_iterator()) - 1;  // key
  EXPECT_LT(kept, 11);
  EXPECT_GT(kept, 0);

  Launch second(2);
  EXPECT_EQ(second.run(11), alone(11));
  EXPECT_EQ(second.done, 11 - kept) << first.error;
}

TEST(Batch, DoesNotTakeTheRunsOfAnotherKey) {
  Launch first(3);
  first.dies = 2;
  first.run(9);
  EXPECT_FALSE(first.error.empty());
  Launch other(3, "another key");
  EXPECT_EQ(other.run(9), alone(9));
  EXPECT_EQ(other.done, 9);
}

TEST(Batch, ThrowsOnTheFirstProcessWhatARunThrows) {
  for (const int throws : {0, 1, 2}) {
    Launch launch(3);
    launch.throws = throws;
    launch.run(7);
    EXPECT_EQ(launch.error, "job cannot be done");
    fs::remove_all(launch.folder);
  }
}

TEST(Batch, EndsEarlyWhenThatIsEnough) {
  Launch launch(2);
  launch.enough = 3;
  EXPECT_GE(launch.run(40).size(), 3u);
  EXPECT_EQ(launch.error, "");
}

}  // namespace
}  // namespace fathom::task::batch_test
