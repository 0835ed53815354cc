#pragma once
#include <cstddef>
#include <string>

#include "fathom/log/dataset.hpp"

namespace fathom::log {

struct QualityOptions {
  double gap_factor = 1.5;  ///< a gap is a step longer than this times the median: 1.5 sees one lost sample
};

/// What is wrong with the samples of a channel. Counting is all that happens: nothing is repaired.
struct Quality {
  std::size_t rows = 0;
  double median_step = 0;            ///< s, over the steps forward; 0 where there is none
  double longest_step = 0;           ///< s
  std::size_t gaps = 0;              ///< steps longer than gap_factor * median_step
  std::size_t repeated_times = 0;    ///< rows with the time of the row before
  std::size_t repeated_rows = 0;     ///< rows with the values of the row before, bit for bit
  std::size_t clock_steps_back = 0;  ///< rows earlier than the row before
  std::size_t missing_values = 0;    ///< NaN
  std::size_t dropped_lines = 0;     ///< left out by the reader, as it was asked to

  /// One line for people; only what is not zero.
  std::string text() const;
};

/// Throws InputError if an option makes no sense.
Quality quality_of(const Channel& channel, const QualityOptions& options = {});

}  // namespace fathom::log
