#pragma once
#include <string>
#include <utility>

#include <fmt/format.h>

namespace fathom::excite::internal {

/// A value and a bound that it breaks, to four digits, or as many as it takes to tell them apart.
inline std::pair<std::string, std::string> distinct_texts(double value, double bound) {
  for (int digits = 4; digits < 17; ++digits) {
    auto texts = std::pair(fmt::format("{:.{}g}", value, digits), fmt::format("{:.{}g}", bound, digits));
    if (texts.first != texts.second) return texts;
  }
  return {fmt::format("{}", value), fmt::format("{}", bound)};
}

}  // namespace fathom::excite::internal
