#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/filter/clock_alignment.hpp"
#include "fathom/log/dataset.hpp"
#include "fathom/task/context.hpp"
#include "fathom/task/result.hpp"

namespace fathom::task {

/// Options of align(); keys are the flags of `fathom align`.
struct AlignOptions {
  std::string log = {};        ///< folder of the log's channels
  std::string robot = {};      ///< whose sensors they are: mounts and latencies are no offsets
  std::string reference = {};  ///< channel whose clock is right; empty: a gyro
  double most = filter::AlignmentOptions().most;  ///< s: the largest offset that is sought
};

/// The offsets, as summary.json has them.
struct AlignSummary {
  struct Channel {
    std::string channel;
    bool aligned = false;
    IfAny<std::string> why = {};
    IfAny<double> offset_s = {}, sigma_s = {}, drift = {}, drift_sigma = {};
    IfAny<bool> drift_taken_off = {};
  };
  struct Pair {
    std::string from, to, quantity;
    double correlation = 0;
    IfAny<double> offset_s = {}, sigma_s = {};
    IfAny<std::string> why_not = {};
  };
  std::string reference = {};
  double t0 = 0;
  std::vector<Channel> channels = {};
  std::vector<std::string> without_motion_columns = {};
  std::vector<Pair> pairs = {};
  double chi_square = 0;
  int loops = 0;
  bool contradicts_itself = false;
  std::vector<std::string> notes = {};  ///< what was not aligned because the log does not have it
  std::string command = {};
  std::vector<std::string> files = {};
};

struct AlignResult : ResultOf<AlignResult, AlignSummary> {
  log::Dataset dataset;  ///< with the clocks of the reference

  Status status() const { return reasons().empty() ? Status::done : Status::check_failed; }
  std::vector<std::string> reasons() const;
  report::Document report() const;
  /// Writes the aligned log and the summary.
  void save(OutputFolder& out);
  static AlignResult load(const std::filesystem::path& folder);
};

/// Finds the clock offsets between the channels of a log by the motion that they share (docs/filters.md).
/// Throws InputError.
AlignResult align(const AlignOptions& options, const Context& context = {});

}  // namespace fathom::task
