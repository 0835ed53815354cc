#pragma once
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "fathom/task/options.hpp"

namespace fathom::cli {

// Numbers as a terminal shows them; what is not finite is a dash.

inline std::string significant(double value, int digits = 4) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "-";
}
/// With that many decimals.
inline std::string fixed(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-";
}
inline std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : "-";
}

using task::number_in;

}  // namespace fathom::cli
