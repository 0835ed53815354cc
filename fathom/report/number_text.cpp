#include "fathom/report/internal/number_text.hpp"

#include <cmath>

#include <fmt/format.h>

namespace fathom::report::internal {
namespace {

constexpr const char* dash = "\u2013";

void replace_all(std::string& text, std::string_view old, std::string_view now) {
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old))
    text.replace(at, old.size(), now);
}

}  // namespace

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return dash;
  const std::string text = fmt::format("{:.{}g}", std::abs(value), digits);
  return value < 0 ? "\u2212" + text : text;
}

std::string fixed(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : dash;
}

std::string percent(double share) { return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : dash; }

std::string unit_text(std::string unit) {
  replace_all(unit, " ", "\u00a0");
  replace_all(unit, "^2", "\u00b2");
  return unit;
}

}  // namespace fathom::report::internal
