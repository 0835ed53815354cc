#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fathom/log/dataset.hpp"

namespace fathom::log {

struct QualityOptions {
  double gap_factor = 1.5;  ///< a gap is a step longer than this times the median: 1.5 sees one lost sample
};

/// What the values of one column look like.
struct ColumnQuality {
  std::string name;
  std::size_t missing = 0;                        ///< NaN
  double least = 0, largest = 0;                  ///< of those that are there; 0 where none is
  std::size_t at_least = 0, at_largest = 0;       ///< samples that are exactly that
  std::size_t longest_low = 0, longest_high = 0;  ///< most of them in a row
  bool few_values = true;                         ///< at most two different ones: a flag

  std::size_t present(std::size_t rows) const { return rows - missing; }
  bool stuck(std::size_t rows) const { return present(rows) > 1 && least == largest; }
  /// The larger share of samples at one end, where that is no accident: a limit holds a signal for several
  /// samples in a row, and over a hundredth of all; 0 where it does not.
  double saturation(std::size_t rows) const;
};

/// What is wrong with the samples of a channel. Counting is all that happens: nothing is repaired.
struct Quality {
  std::size_t rows = 0;
  double first_time = 0;    ///< s, of the first row
  double duration = 0;      ///< s, from the first row to the last
  double median_step = 0;   ///< s, over the steps forward; 0 where there is none
  double jitter = 0;        ///< s, spread of the steps forward: 1.4826 times their median absolute deviation
  double longest_step = 0;  ///< s
  double forward_time = 0;  ///< s, sum of the steps forward
  std::size_t gaps = 0;     ///< steps longer than gap_factor * median_step
  std::size_t repeated_times = 0;    ///< rows with the time of the row before
  std::size_t repeated_rows = 0;     ///< rows with the values of the row before, bit for bit
  std::size_t clock_steps_back = 0;  ///< rows earlier than the row before
  std::size_t missing_values = 0;    ///< NaN
  std::size_t dropped_lines = 0;     ///< left out by the reader, as it was asked to
  std::vector<ColumnQuality> columns;

  /// Mean rate [Hz]: steps forward over their time, with gaps. The median step says little of uneven logs.
  double rate() const {
    const auto steps = static_cast<double>(rows) - 1 - static_cast<double>(repeated_times + clock_steps_back);
    return forward_time > 0 ? steps / forward_time : 0;
  }
  /// One line for people; only what is not zero.
  std::string text() const;
};

/// Counts row by row, in bounded memory: steps of time go into bins of 0.02 %, whose means are what the medians
/// are taken of.
class QualityCounter {
 public:
  /// Throws InputError if an option makes no sense.
  explicit QualityCounter(const ChannelInfo& info, const QualityOptions& options = {});

  void add(double t, std::span<const double> values);
  Quality quality() const;

 private:
  /// Steps that are nearly the same.
  struct Bin {
    std::size_t count = 0;
    double sum = 0;
    double mean() const { return sum / static_cast<double>(count); }
  };
  /// Samples at an end, in a row up to now; and the first two values that differ.
  struct Run {
    std::size_t low = 0, high = 0, different = 0;
    double first = 0, second = 0;
  };
  static void note_value(ColumnQuality& column, Run& run, double value);
  void add_value(ColumnQuality& column, Run& run, double value) const;
  void count_steps(Quality& quality) const;

  QualityOptions options_;
  Quality counted_;
  std::map<std::uint32_t, Bin> steps_;  // by the leading bits of the step: in order of their lengths
  std::vector<Run> runs_;
  std::vector<double> last_;
  double first_t_ = 0, last_t_ = 0;
};

/// Throws InputError if an option makes no sense.
Quality quality_of(const Channel& channel, const QualityOptions& options = {});

}  // namespace fathom::log
