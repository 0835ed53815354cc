#pragma once
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "fathom/base/thread_pool.hpp"

namespace fathom::task {

/// Reports the runs of a batch that are missing because a process died or was told to end.
struct BatchIncomplete : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Describes one of the processes that share the runs of a batch.
struct BatchOptions {
  int rank = 0, size = 1;        ///< Number of this process, from 0, and number of processes.
  std::filesystem::path folder;  ///< Shared by all processes; keeps finished runs until all are.
  std::string key;               ///< Text that the results depend on; runs of another key are deleted.
  std::string noun = "run";      ///< Word for a run in messages.
  int threads = 0;               ///< Threads of this process; 0 is one per core.
  Stop stop = {};                ///< Asks this process to end; see ThreadPool.
  /// Returns true once all processes have called it, and false where that will not happen.
  std::function<bool()> meet = [] { return true; };
};

/// Does independent runs with several processes that share a folder, however they were launched.
///
/// Each process writes each run that it has finished to a file of its own; the first one collects them. So a
/// process that dies takes no finished run with it: the same batch again does only the missing ones, with any
/// number of processes.
class Batch : public WorkerPool {
 public:
  explicit Batch(BatchOptions options) : options_(std::move(options)) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  /// Deletes the files of a batch that is complete.
  ~Batch() override;

  /// Does this process' share; all processes make the same calls. On the first one done() hears of every run,
  /// and the call throws what a run throws; on the others it hears of none. Throws BatchIncomplete, with the
  /// numbers of the missing runs, where stop() or meet() says that the processes will not finish.
  std::vector<std::string> run(int count, const Job& job, const Done& done) override;
  int size() const override { return options_.size * ThreadPool(options_.threads).size(); }

 private:
  std::filesystem::path file(int k) const;
  std::vector<int> missing(int count) const;
  void require_all(int count) const;
  void meet(int count) const;
  std::vector<std::string> work(const std::vector<int>& jobs, const Job& job, const Done& done) const;

  BatchOptions options_;
  int round_ = 0;  // counts the calls of run()
  bool complete_ = false;
};

}  // namespace fathom::task
