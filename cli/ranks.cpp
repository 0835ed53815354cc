#include "cli/ranks.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "fathom/base/error.hpp"

#include "cli/terminal/interrupt.hpp"
#ifdef FATHOM_WITH_MPI
#include "cli/rank_crew.hpp"
#endif

namespace fathom::cli {
namespace {

/// The first of these variables that is a number, else `otherwise`.
int number_in_environment(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names) {
    const char* const text = std::getenv(name);
    int value = 0;
    if (text && std::from_chars(text, text + std::strlen(text), value).ec == std::errc()) return value;
  }
  return otherwise;
}

Ranks ranks_in_environment() {
  Ranks found;  // Open MPI's names, then those of MPICH and of Slurm's PMI
  found.size = number_in_environment({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1);
  if (found.size <= 1) return {};
  found.rank = number_in_environment({"OMPI_COMM_WORLD_RANK", "PMI_RANK"}, 0);
  found.on_this_machine =
      std::max(1, number_in_environment({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}, found.size));
  return found;
}

/// This rank's share of the machine; less where the launcher has bound it to fewer cores.
int own_cores() {
  const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
  const int share = static_cast<int>(cores) / ranks().on_this_machine;
  return std::max(1, std::min(share, static_cast<int>(std::thread::hardware_concurrency())));
}

}  // namespace

const Ranks& ranks() {
  static const Ranks found = ranks_in_environment();
  return found;
}

void silence_other_ranks() {
  if (is_first_rank()) return;
  for (std::FILE* stream : {stdout, stderr})
    if (!std::freopen("/dev/null", "w", stream)) ::_exit(3);
}

std::unique_ptr<WorkerPool> make_pool(int threads) {
  if (threads <= 0) threads = own_cores();
  if (ranks().size <= 1) return std::make_unique<ThreadPool>(threads, was_interrupted);
#ifdef FATHOM_WITH_MPI
  return std::make_unique<RankPool>(threads, was_interrupted);
#else
  reject("", fmt::format("launched as {} ranks, but this program was built without MPI", ranks().size),
         "install libopenmpi-dev and build again, or use --threads");
#endif
}

}  // namespace fathom::cli
