#pragma once
#include <cstdint>

#include "fathom/log/convert.hpp"
#include "fathom/log/internal/even_clock.hpp"
#include "fathom/log/internal/row_plan.hpp"

namespace fathom::log::internal {

/// What is known of a channel before its rows are converted.
struct Scouted {
  const ChannelDescription* channel = nullptr;
  std::string source;  ///< for messages
  RowPlan plan;
  std::optional<std::int64_t> first_ns;  ///< by its clock; none where it has no times
  std::optional<EvenClock> even = {};    ///< of receive times

  /// The time of the first sample by the shared clock, with its offset; none where the clock is its own.
  std::optional<std::int64_t> shared_start_ns() const;
};

/// Takes the rows of one channel in the order of the file and hands them to the sink with their times.
class ChannelConverter {
 public:
  ChannelConverter(Scouted scouted, std::int64_t shared_zero_ns, Sink& sink);

  /// `line` is for messages; 0 where there are none.
  void take(std::int64_t stamp_ns, std::span<const double> raw, int line);
  /// Throws if there was no row.
  ConvertedChannel finish(std::size_t dropped_lines);

 private:
  double time_of(std::int64_t stamp_ns, int line) const;
  [[noreturn]] void fail(int line, std::string message, std::string hint) const;

  Scouted scouted_;
  std::int64_t zero_ns_;
  Sink* sink_;
  std::size_t number_;  // by which the sink knows the channel
  ConvertedChannel result_;
  QualityCounter counter_;
  std::vector<double> out_;
  std::size_t seen_ = 0, written_ = 0;
  double last_t_ = 0;
};

std::int64_t nanoseconds(double seconds);

}  // namespace fathom::log::internal
