#pragma once
#include <functional>
#include <string>
#include <vector>

namespace fathom {

/// Does the user want the work to end? May be asked on any thread; an empty one says no.
using Stop = std::function<bool()>;
/// What such work ends with: no error, and nothing that is worth a message.
struct Interrupted {};
inline void throw_if(const Stop& stop) {
  if (stop && stop()) throw Interrupted();
}

/// Does numbered jobs side by side. A job's result depends on its number alone, so the outcome of a campaign
/// does not depend on who did what.
class Crew {
 public:
  /// The numbers that job k gives. Called from several threads at once, perhaps in another process: nothing but
  /// the result comes back. `stop()` is true once the campaign is to end; the job should then end soon, with
  /// what it has.
  using Job = std::function<std::vector<double>(int k, const std::function<bool()>& stop)>;
  /// Told of each finished job, one call at a time, on the thread that called run(); false ends the campaign.
  using Done = std::function<bool(int k, const std::vector<double>& result)>;

  virtual ~Crew() = default;
  /// Jobs 0 to count - 1, begun in this order; done() hears of them in the order in which they end. When the
  /// campaign ends early, because done() said so or the user interrupted it, no further job begins, and done()
  /// still hears of those under way, with what they had: its answer no longer matters then.
  /// Returns what went wrong on the way, for people ("rank 2 died (signal 9: killed); its jobs were done by
  /// others"); throws what a job throws.
  virtual std::vector<std::string> run(int count, const Job& job, const Done& done) = 0;
  virtual int size() const = 0;  ///< jobs at a time
};

/// Threads of this process; 0 is one per core. `stop` is asked several times a second; true ends the campaign.
class ThreadCrew : public Crew {
 public:
  explicit ThreadCrew(int threads = 0, Stop stop = {});
  std::vector<std::string> run(int count, const Job& job, const Done& done) override;
  int size() const override { return threads_; }
  /// For jobs that last: unlike the stop() that a job is given, it says nothing of others that have failed.
  const Stop& stop() const { return stop_; }

 private:
  int threads_;
  Stop stop_;
};

}  // namespace fathom
