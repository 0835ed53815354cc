#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fathom/base/thread_pool.hpp"

#include "cli/frame.hpp"

namespace fathom::cli {

/// What the first rank knows of a campaign: who is there, who does what, what is still to be done. It hears
/// frames and sends frames, and knows nothing of how they travel.
class Campaign {
 public:
  using Send = std::function<void(int rank, const Frame& frame)>;
  Campaign(int count, int ranks, const WorkerPool::Done& done, Send send);

  void hear(int rank, const Frame& frame);
  void stop();        ///< no further job begins; those under way should end soon
  bool over() const;  ///< nothing is left to do, or nobody is left to do it
  /// To be called last. What to tell people; throws what the first failed job threw, or PoolLost.
  std::vector<std::string> conclude() const;

 private:
  struct Rank {
    int free = 0;  // jobs that it could begin now
    std::set<int> jobs;
    bool lost = false;
    std::string death;
    std::size_t left_behind = 0;  // jobs under way when it died
  };
  void finish(Rank& rank, const Frame& frame);
  void lose(Rank& rank, const Frame& frame);
  void hand_out();
  std::size_t under_way() const;
  bool all_lost() const;

  std::vector<Rank> ranks_;
  std::set<int> waiting_;
  const WorkerPool::Done* done_;
  Send send_;
  bool stopped_ = false;
  std::optional<std::set<int>> suspects_;  // jobs that were under way at every death
  int failed_job_ = -1;
  std::exception_ptr failure_;
};

}  // namespace fathom::cli
