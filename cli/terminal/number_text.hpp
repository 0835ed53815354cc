#pragma once
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

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

/// The finite number that the whole text is.
inline std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = status == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  return is_number ? std::optional(value) : std::nullopt;
}

}  // namespace fathom::cli
