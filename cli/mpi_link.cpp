#include "cli/mpi_link.hpp"

#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <mpi.h>

#include "fathom/base/error.hpp"

namespace fathom::cli {

/// A message under way. A list never moves its elements, so the bytes stay where MPI was told they are.
struct MpiLink::Transfer {
  std::string bytes;
  int rank = 0;
  MPI_Request request = MPI_REQUEST_NULL;
};

MpiLink::MpiLink(int rank, int size) {
  ::setenv("OMPI_MCA_mpi_warn_on_fork", "0", 0);  // workers of later campaigns; they never touch MPI
  ::setenv("OMPI_MCA_btl_base_warn_component_unused", "0", 0);
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int own_rank = 0, own_size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &own_size);
  if (own_rank == rank && own_size == size) return;
  MPI_Finalize();
  reject("", fmt::format("the launcher says {} ranks, MPI says {}", size, own_size),
         "use the mpirun of the MPI that Fathom was built with");
}

MpiLink::~MpiLink() = default;

void MpiLink::check(int status) {
  if (status != MPI_SUCCESS) broken_ = true;
}

void MpiLink::forget_what_was_sent() {
  sent_.remove_if([this](Transfer& transfer) {
    int complete = 0;
    check(MPI_Test(&transfer.request, &complete, MPI_STATUS_IGNORE));
    return complete != 0;
  });
}

void MpiLink::send(int rank, const Frame& frame) {
  forget_what_was_sent();
  Transfer& transfer = sent_.emplace_back(Transfer{to_bytes(frame), rank});
  // forget_what_was_sent() tests it: NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker)
  check(MPI_Isend(transfer.bytes.data(), static_cast<int>(transfer.bytes.size()), MPI_BYTE, rank, 0,
                  MPI_COMM_WORLD, &transfer.request));
}

std::optional<std::pair<int, Frame>> MpiLink::receive() {
  int here = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  // Open MPI looks at its wires after it has looked at what has arrived: the second look sees what is there
  // now.
  for (int look = 0; look < 2 && !here; ++look)
    check(MPI_Improbe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &here, &message, &status));
  if (here && !broken_) {
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    Transfer& transfer = arriving_.emplace_back(Transfer{std::string(count, '\0'), status.MPI_SOURCE});
    check(MPI_Imrecv(transfer.bytes.data(), count, MPI_BYTE, &message, &transfer.request));
  }
  for (auto transfer = arriving_.begin(); transfer != arriving_.end(); ++transfer) {
    int complete = 0;
    check(MPI_Test(&transfer->request, &complete, MPI_STATUS_IGNORE));
    if (!complete) continue;
    FrameStream stream;
    stream.append(transfer->bytes.data(), transfer->bytes.size());
    const int rank = transfer->rank;
    arriving_.erase(transfer);
    if (auto frame = stream.next()) return std::pair{rank, std::move(*frame)};
    return std::nullopt;
  }
  return std::nullopt;
}

void MpiLink::close() {
  while (!sent_.empty() && !broken_) {
    forget_what_was_sent();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!broken_) MPI_Finalize();
}

}  // namespace fathom::cli
