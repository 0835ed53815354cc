#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "fathom/log/convert.hpp"
#include "fathom/log/description.hpp"
#include "fathom/log/internal/far_cells.hpp"

namespace fathom::log::internal {

/// The times at which samples were taken, by a sender with a steady rate, where only the times are known at
/// which they arrived: late, and often many at once.
struct EvenClock {
  double period_ns = 0;
  std::vector<std::size_t> starts;  ///< rows at which the count begins anew, because samples were lost before
  std::vector<std::int64_t> start_ns;          ///< when those were taken
  double median_delay = 0, longest_delay = 0;  ///< s, of arrival after that; the least is 0 by construction

  std::int64_t operator()(std::size_t row) const;
};

/// Sample k of a run without losses was taken at a + b k, and arrived no earlier. The line is the highest that
/// lies below all arrivals and nearest to them in the mean: a linear program whose a is the least of r_k - b k,
/// and what is left is convex in b (S. B. Moon, P. Skelly and D. Towsley: Estimation and Removal of Clock Skew
/// from Network Delay Measurements, 1999). Lost samples break the count; that is a jump of the arrivals that
/// nothing after it makes up for, and the line begins anew there, with the same b. `rate_hz` is the rate where
/// it is known, else 0. There must be two samples.
EvenClock even_clock(std::span<const std::int64_t> receive_ns, double rate_hz = 0);

/// What makes a row of a channel from the columns of a file.
class RowPlan {
 public:
  /// `find` gives the place of a column in the file.
  RowPlan(const ChannelDescription& channel, const std::function<std::size_t(const ColumnName&)>& find);

  /// The columns of the file that it needs, each once.
  const std::vector<std::size_t>& picked() const { return picked_; }
  std::size_t width() const { return width_; }

  /// Whether the row counts (`where`).
  bool counts(std::span<const double> raw) const;
  /// `raw` has one value for each of picked(). Returns the first of them that is infinite, if any: then `out`
  /// is not filled.
  std::optional<std::size_t> fill(std::span<const double> raw, std::span<double> out);
  std::size_t invalid_values() const { return invalid_values_; }

 private:
  struct Scalar {
    std::size_t from;
    double factor, offset;
  };
  struct Vector {
    std::size_t from[3];
    double coefficient[3][3];  // rotation times factor
  };
  struct Attitude {
    std::vector<std::size_t> from;
    bool to_angles;
    Quat world, body;
    double factor;
  };
  std::size_t place(std::size_t column);
  double value(double raw);
  void turn(const Vector& vector, double* out) const;
  void turn(const Attitude& attitude, double* out);

  std::vector<std::size_t> picked_;
  std::vector<double> invalid_;
  std::optional<std::pair<std::size_t, double>> where_;
  std::vector<Scalar> scalars_;
  std::vector<Vector> vectors_;
  std::optional<Attitude> attitude_;
  std::vector<double> valid_;  // raw, with NaN for what is invalid
  std::size_t width_ = 0, invalid_values_ = 0;
};

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
  /// Warns of cells that were written and are far outside all others.
  Findings far_cells() const;

 private:
  double time_of(std::int64_t stamp_ns, int line) const;
  [[noreturn]] void fail(int line, std::string message, std::string hint) const;

  Scouted scouted_;
  std::int64_t zero_ns_;
  Sink* sink_;
  std::size_t number_;  // by which the sink knows the channel
  ConvertedChannel result_;
  QualityCounter counter_;
  FarCells far_cells_;
  std::vector<double> out_;
  std::size_t seen_ = 0, written_ = 0;
  double last_t_ = 0;
};

std::int64_t nanoseconds(double seconds);

}  // namespace fathom::log::internal
