#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace fathom::report::internal {

/// More points than a plot has pixels show nothing new.
inline constexpr std::size_t most_points = 4000;

/// The indices, rising, of at most `most` samples that look like all of them: the first and the last, and of
/// each of many equal stretches the least and the greatest value, and one that is not finite if there is any,
/// so that a gap stays a gap. All indices if there are no more than `most`; `most` is taken as at least 8.
std::vector<std::size_t> decimate(std::span<const double> y, std::size_t most = most_points);

/// The same for a band: the least of `low` and the greatest of `high`. Both have one length.
std::vector<std::size_t> decimate(std::span<const double> low, std::span<const double> high,
                                  std::size_t most = most_points);

/// At most `most` indices at equal distances, first and last among them: for motions.
std::vector<std::size_t> decimate_evenly(std::size_t size, std::size_t most = most_points);

}  // namespace fathom::report::internal
