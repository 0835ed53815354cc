#pragma once
#include <chrono>
#include <list>
#include <optional>
#include <string>
#include <utility>

#include "cli/frame.hpp"

namespace fathom::cli {

/// Frames from rank to rank. Nothing here waits: a rank that is no more never answers, and the first one must
/// still write what it has.
class MpiLink {
 public:
  /// Starts MPI. Throws InputError if it does not know of `size` ranks, this one being number `rank`: then the
  /// launcher is that of another MPI.
  MpiLink(int rank, int size);
  MpiLink(const MpiLink&) = delete;
  MpiLink& operator=(const MpiLink&) = delete;
  ~MpiLink();

  void send(int rank, const Frame& frame);
  std::optional<std::pair<int, Frame>> receive();  ///< from whom, and what
  bool broken() const { return broken_; }          ///< MPI has reported an error
  /// Ends MPI once what was sent has arrived; all ranks must do so.
  void close();

 private:
  struct Transfer;
  void check(int status);
  void forget_what_was_sent();

  bool broken_ = false;
  std::list<Transfer> sent_, arriving_;
};

}  // namespace fathom::cli
