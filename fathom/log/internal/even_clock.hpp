#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

}  // namespace fathom::log::internal
