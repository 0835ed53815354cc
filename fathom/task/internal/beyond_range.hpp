#pragma once
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/statistics.hpp"

namespace fathom::task::internal {

/// Returns what a summary says of quantities that leave the range, as shares of
/// so many samples.
template <class Beyond>
std::vector<Beyond> beyond_range_of(const std::vector<identify::BeyondRange>& found, double samples) {
  std::vector<Beyond> list;
  for (const identify::BeyondRange& b : found)
    list.push_back({b.name, b.unit, b.value, {b.least, b.most}, static_cast<double>(b.samples) / samples});
  return list;
}

/// Returns "sway wrench 61 N (-24 to 24 N; 3.1 % of the samples), ...".
template <class Beyond>
std::string beyond_range_text(const std::vector<Beyond>& list) {
  std::vector<std::string> texts;
  for (const Beyond& b : list)
    texts.push_back(fmt::format("{} {:.3g} {} ({:.3g} to {:.3g} {}; {:.1f} % of the samples)", b.name, b.value,
                                b.unit, b.range[0], b.range[1], b.unit, 100 * b.share));
  return join(texts, ", ");
}

}  // namespace fathom::task::internal
