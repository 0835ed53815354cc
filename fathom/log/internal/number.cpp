#include "fathom/log/internal/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fathom::log::internal {
namespace {

/// Writes x / 10^6, without zeros at the end.
char* write_millionths(char* out, std::int64_t x) {
  out = std::to_chars(out, out + number_room, x / 1000000).ptr;
  const std::int64_t fraction = x % 1000000;
  if (fraction == 0) return out;
  char* end = std::to_chars(out, out + 7, 1000000 + fraction).ptr;  // the 1 in front keeps leading zeros
  *out = '.';
  while (end[-1] == '0') --end;
  return end;
}

/// Writes 1.5e-9 and 3e20 where std::to_chars writes 1.5e-09 and 3e+20.
char* write_with_exponent(char* out, double size) {
  char* const end = std::to_chars(out, out + number_room, size, std::chars_format::scientific).ptr;
  char* to = end[-4] == 'e' ? end - 3 : end - 4;  // the sign
  const char* digits = to + 1;
  if (*to == '-') ++to;
  if (*digits == '0') ++digits;
  return std::copy<const char*>(digits, end, to);
}

/// Writes what has a point and 10^-6 <= size < 10^8. std::to_chars takes less time for d.ddde-02 than for
/// 0.0dddd, and all digits but the first ones are put where they stay.
char* write_with_point(char* out, double size) {
  constexpr double edges[] = {1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
  int zeros = 0;  // before the first other digit
  while (size < edges[zeros]) ++zeros;
  std::copy_n("0.00000", 8, out);
  char* const digits = out + zeros;
  char* const end = std::to_chars(digits, digits + number_room, size, std::chars_format::scientific).ptr - 4;
  if (zeros > 0) {
    digits[1] = digits[0];
    digits[0] = zeros == 1 ? '.' : '0';
  } else {
    const int exponent = end[3] - '0';
    for (int k = 1; k <= exponent; ++k) digits[k] = digits[k + 1];
    digits[exponent + 1] = '.';
  }
  return end;
}

}  // namespace

char* write_number(char* out, double x) {
  *out = '-';
  out += std::signbit(x) ? 1 : 0;  // no branch: signs are hard to foresee
  const double size = std::abs(x);
  // Times and coarse sensors are whole numbers of millionths. Below 10^14 of them the decimal has at most 14
  // digits; if it rounds to x it is the only one of that length that does, so it is the shortest. Found here,
  // it takes a third of the time of std::to_chars.
  const double millionths = size * 1e6;
  if (millionths < 1e14) {
    const auto whole = static_cast<std::int64_t>(
        millionths + 0.5);  // NOLINT(bugprone-incorrect-roundings): neither negative nor large
    const auto rounded = static_cast<double>(whole);
    const bool near = std::abs(millionths - rounded) <= 4e-16 * millionths;  // spares most numbers the division
    if (near && rounded / 1e6 == size) return write_millionths(out, whole);
  }
  if (size < 1e-6 || size >= 1e16) return write_with_exponent(out, size);
  if (size < 1e8) return write_with_point(out, size);
  return std::to_chars(out, out + number_room, size, std::chars_format::fixed).ptr;
}

char* write_row(char* out, double t, std::span<const double> values) {
  out = write_number(out, t);
  for (const double value : values) {
    *out++ = ',';
    if (std::abs(value) <= std::numeric_limits<double>::max())
      out = write_number(out, value);
    else if (!std::isnan(value))
      return nullptr;
  }
  *out++ = '\n';
  return out;
}

}  // namespace fathom::log::internal
