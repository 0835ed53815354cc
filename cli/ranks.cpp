#include "cli/ranks.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/task/batch.hpp"

#include "cli/terminal/interrupt.hpp"
#include "version.hpp"
#ifdef FATHOM_WITH_MPI
#include <mpi.h>
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

#ifdef FATHOM_WITH_MPI
/// The ranks of a launch, which speak MPI only to meet. Nothing here waits for a rank that is gone: the first
/// one must still report what is missing in the second between mpirun's SIGTERM and its SIGKILL.
class MpiRanks {
 public:
  MpiRanks();
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  /// Ranks end together: mpirun kills the others as soon as one has ended with an error.
  ~MpiRanks() {
    if (meet()) MPI_Finalize();
  }

  /// A launcher that was killed sends no signal; its orphans have another parent.
  bool told_to_end() const { return was_interrupted() || ::getppid() != parent_; }
  bool meet() const;

 private:
  pid_t parent_ = ::getppid();
};

MpiRanks::MpiRanks() {
  ::setenv("OMPI_MCA_btl_base_warn_component_unused", "0", 0);
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == ranks().rank && size == ranks().size) return;
  MPI_Finalize();
  reject("", fmt::format("the launcher says {} ranks, MPI says {}", ranks().size, size),
         "use the mpirun of the MPI that Fathom was built with");
}

bool MpiRanks::meet() const {
  MPI_Request request = MPI_REQUEST_NULL;
  int here = 0;
  bool works = MPI_Ibarrier(MPI_COMM_WORLD, &request) == MPI_SUCCESS;
  while (works && !told_to_end()) {
    works = MPI_Test(&request, &here, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    if (here) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

std::string key_of(const SearchInputs& inputs) {
  std::string key = FATHOM_VERSION " " + inputs.command + '\n';
  for (const std::filesystem::path& file : inputs.files) key += read_file(file);
  return key;
}

class RankBatch : MpiRanks, public task::Batch {
 public:
  RankBatch(int threads, const SearchInputs& inputs)
      : task::Batch({.rank = ranks().rank,
                     .size = ranks().size,
                     .folder = inputs.out.string() + ".starts",
                     .key = key_of(inputs),
                     .noun = "start",
                     .threads = threads,
                     .stop = [this] { return told_to_end(); },
                     .meet = [this] { return MpiRanks::meet(); }}) {}
};
#endif

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

std::unique_ptr<WorkerPool> make_pool(int threads, [[maybe_unused]] const SearchInputs& inputs) {
  if (threads <= 0) threads = own_cores();
  if (ranks().size <= 1) return std::make_unique<ThreadPool>(threads, was_interrupted);
#ifdef FATHOM_WITH_MPI
  return std::make_unique<RankBatch>(threads, inputs);
#else
  reject("", fmt::format("launched as {} ranks, but this program was built without MPI", ranks().size),
         "install libopenmpi-dev and build again, or use --threads");
#endif
}

}  // namespace fathom::cli
