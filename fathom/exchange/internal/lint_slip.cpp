#include "fathom/exchange/internal/lint_slip.hpp"

#include <cmath>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

namespace fathom::exchange::internal {
namespace {

/// As a person would write it.
std::string as_written(double value) { return fmt::format("{:.10g}", value); }

/// Every number that differs from `value` by two neighbouring digits that changed places.
std::vector<double> with_digits_swapped(double value) {
  std::vector<double> result;
  const std::string text = as_written(value);
  std::size_t last = std::string::npos;  // the digit before, whatever points stand between
  for (std::size_t k = 0; k < text.size() && text[k] != 'e'; ++k) {
    if (text[k] < '0' || text[k] > '9') continue;
    if (last != std::string::npos && text[last] != text[k]) {
      std::string swapped = text;
      std::swap(swapped[last], swapped[k]);
      result.push_back(std::strtod(swapped.c_str(), nullptr));
    }
    last = k;
  }
  return result;
}

}  // namespace

std::optional<Slip> likely_slip(double value, const Expected& expected, std::span<const UnitSlip> units) {
  if (!std::isfinite(value) || value == 0) return std::nullopt;
  std::optional<Slip> best;
  const auto off = [&](double x) { return std::abs(std::log(x / expected.value)); };
  const auto consider = [&](double meant, std::string_view what) {
    if (!(meant >= expected.least && meant <= expected.most)) return;
    if (!best || off(meant) < off(best->meant)) best = {meant, std::string(what)};
  };
  consider(-value, "a sign slip");
  if (best) return best;
  const double size = std::abs(value);
  for (const UnitSlip& unit : units) consider(size * unit.factor, unit.what);
  for (const double swapped : with_digits_swapped(size)) consider(swapped, "two digits swapped");
  for (const double shift : {10.0, 0.1, 100.0, 0.01, 1000.0, 0.001})
    consider(size * shift, "a slipped decimal point");
  return best;
}

std::string slip_text(const std::optional<Slip>& slip) {
  return slip ? fmt::format("; {:.6g} would fit: {}?", slip->meant, slip->what) : std::string();
}

bool digits_swapped(double a, double b) {
  for (const double swapped : with_digits_swapped(a))
    if (as_written(swapped) == as_written(b)) return true;
  return false;
}

}  // namespace fathom::exchange::internal
