#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace fathom {

/// Standard deviation of a normal variable over its median absolute deviation.
inline constexpr double sigmas_of_mad = 1.4826;

/// Returns the median (the upper one of an even count) of a non-empty list, which is reordered.
inline double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace fathom
