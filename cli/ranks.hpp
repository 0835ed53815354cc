#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

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

/// What the starts of a search depend on, and where its results go.
struct SearchInputs {
  std::filesystem::path out;
  std::string command;
  std::vector<std::filesystem::path> files;
};

/// Returns the threads of this process, or under a launcher a task::Batch of all ranks with these threads each,
/// which keeps finished starts in the folder `out`.starts; 0 is this rank's share of the cores. SIGINT and
/// SIGTERM end the work. A rank that is not the first ends with Status::done after run().
std::unique_ptr<WorkerPool> make_pool(int threads, const SearchInputs& inputs);

}  // namespace fathom::cli
