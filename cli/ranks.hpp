#pragma once
#include <memory>
#include <stdexcept>

#include "fathom/base/thread_pool.hpp"

namespace fathom::cli {

/// This process among those that a launcher such as mpirun has started, as its environment says: known before
/// MPI is up, and without it.
struct Ranks {
  int rank = 0, size = 1;
  int on_this_machine = 1;
};
const Ranks& ranks();

/// Where results are: what the other ranks print is lost, and they write nothing.
inline bool is_first_rank() { return ranks().rank == 0; }
/// Sends what a rank other than the first prints to nowhere.
void silence_other_ranks();

/// Threads of this process, or the ranks of the launch with these threads each; 0 is this rank's share of the
/// cores. SIGINT and SIGTERM end a campaign.
/// All ranks make the same calls: on those that are not the first, run() serves the first one until its
/// campaign is over, never calls done(), and returns nothing; such a rank then ends with Status::done.
/// Jobs of a crew of ranks run in processes forked by run(): what a job leaves in memory is lost, only its
/// result arrives, and the caller must have no other threads.
std::unique_ptr<WorkerPool> make_pool(int threads);

/// Every rank of the crew has died.
struct PoolLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace fathom::cli
