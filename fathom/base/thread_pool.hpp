#pragma once
#include <functional>
#include <string>
#include <vector>

namespace fathom {

/// Returns true once cancellation was requested. Any thread may call it; an empty function means "never".
using Stop = std::function<bool()>;
/// Is thrown by work that ends because cancellation was requested. It is no error.
struct Interrupted {};
inline void throw_if(const Stop& stop) {
  if (stop && stop()) throw Interrupted();
}

/// Runs numbered jobs in parallel. The result of a job depends on its number alone, so the results of all jobs
/// do not depend on the number of workers.
class WorkerPool {
 public:
  /// Computes job k. It is called from several threads at once and returns nothing but its result. Once
  /// `stop()` is true, the job should end soon with the result that it has.
  using Job = std::function<std::vector<double>(int k, const std::function<bool()>& stop)>;
  /// Is called for each finished job, one at a time, on the thread that called run(). False ends the run.
  using Done = std::function<bool(int k, const std::vector<double>& result)>;

  virtual ~WorkerPool() = default;
  /// Runs jobs 0 to count - 1, started in this order; done() is called in the order in which they finish. If
  /// the run ends early, because done() returned false or cancellation was requested, no further job starts,
  /// and done() is still called for the jobs that were running.
  /// @return Warnings for people. Exceptions of a job are rethrown.
  virtual std::vector<std::string> run(int count, const Job& job, const Done& done) = 0;
  virtual int size() const = 0;  ///< number of jobs that run at the same time
};

/// Runs jobs on threads of this process; 0 threads means one per core. `stop` is polled several times a second.
class ThreadPool : public WorkerPool {
 public:
  explicit ThreadPool(int threads = 0, Stop stop = {});
  std::vector<std::string> run(int count, const Job& job, const Done& done) override;
  int size() const override { return threads_; }
  /// Returns the cancellation function alone; the stop() of a job is also true after another job has failed.
  const Stop& stop() const { return stop_; }

 private:
  int threads_;
  Stop stop_;
};

}  // namespace fathom
