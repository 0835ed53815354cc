#include "fathom/log/internal/number.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace fathom::log::internal {
namespace {

/// value = significand * 10^exponent, without trailing zeros; 0 < significand < 10^17.
struct Decimal {
  std::uint64_t significand;
  int exponent;
};

/// The shortest decimal that rounds to `x` > 0. fmt carries Dragonbox (Jeon 2020), which is faster than
/// std::to_chars but stands only inside fmt::detail: versions of fmt that were not looked at get std::to_chars.
Decimal shortest(double x) {
#if FMT_VERSION >= 80000 && FMT_VERSION < 120000
  const auto decimal = fmt::detail::dragonbox::to_decimal(x);
  return {decimal.significand, decimal.exponent};
#else
  char text[32];
  const char* end = std::to_chars(text, text + sizeof text, x, std::chars_format::scientific).ptr;
  Decimal decimal{0, 0};
  int fraction = 0;
  const char* p = text;
  for (bool after_point = false; *p != 'e'; ++p) {
    if (*p == '.') {
      after_point = true;
      continue;
    }
    decimal.significand = 10 * decimal.significand + static_cast<std::uint64_t>(*p - '0');
    fraction += after_point ? 1 : 0;
  }
  ++p;                 // e
  if (*p == '+') ++p;  // from_chars takes no plus sign
  std::from_chars(p, end, decimal.exponent);
  decimal.exponent -= fraction;
  return decimal;
#endif
}

constexpr auto powers = [] {
  std::array<std::uint64_t, 18> table{1};
  for (std::size_t k = 1; k < table.size(); ++k) table[k] = 10 * table[k - 1];
  return table;
}();

/// The eight digits of x < 10^8, zeros in front, as the bytes of a word in the order of memory. All are found
/// at once, side by side in one register: halves of four, then pairs, then single digits.
std::uint64_t eight_digits(std::uint32_t x) {
  static_assert(std::endian::native == std::endian::little, "the first digit is the lowest byte");
  const std::uint64_t fours = x / 10000 | static_cast<std::uint64_t>(x % 10000) << 32;
  const std::uint64_t hundreds = fours * 10486 >> 20 & 0x7f0000007f;  // fours / 100
  const std::uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
  const std::uint64_t tens = twos * 103 >> 10 & 0x000f000f000f000f;  // twos / 10
  return (tens | (twos - 10 * tens) << 8) + 0x3030303030303030;
}

void write_8(char* out, std::uint32_t x) {
  const std::uint64_t digits = eight_digits(x);
  std::memcpy(out, &digits, 8);
}

void write_16(char* out, std::uint64_t x) {
  write_8(out, static_cast<std::uint32_t>(x / 100000000));
  write_8(out + 8, static_cast<std::uint32_t>(x % 100000000));
}

/// x < 10^8, which has `count` digits.
void write_short(char* out, std::uint32_t x, int count) {
  const std::uint64_t digits = eight_digits(x) >> 8 * (8 - count);
  std::memcpy(out, &digits, 8);
}

/// Digits of 0 < x < 10^17.
int digits_of(std::uint64_t x) {
  const int guess = static_cast<int>(std::bit_width(x)) * 1233 >> 12;  // log10(2) = 1233 / 4096 almost
  return guess + (x >= powers[static_cast<std::size_t>(guess)] ? 1 : 0);
}

/// x / 10^6 for x < 10^14.
char* write_millionths(char* out, std::uint64_t x) {
  const auto whole = static_cast<std::uint32_t>(x / 1000000),
             fraction = static_cast<std::uint32_t>(x % 1000000);
  const int count = whole == 0 ? 1 : digits_of(whole);
  write_short(out, whole, count);
  out += count;
  if (fraction == 0) return out;
  const std::uint64_t digits = eight_digits(100 * fraction);
  *out++ = '.';
  std::memcpy(out, &digits, 8);
  return out + 8 - std::countl_zero(digits - 0x3030303030303030) / 8;
}

/// From 10^-6 to 10^16 with a point; what is smaller or larger with an exponent. The digits go from registers
/// straight to their places: reading back what was just written costs more than finding it.
char* write_decimal(char* out, Decimal decimal) {
  const int count = digits_of(decimal.significand);
  const int lead = count + decimal.exponent - 1;  // power of ten of the first digit
  const std::uint64_t padded = decimal.significand * powers[static_cast<std::size_t>(17 - count)];  // 17 digits
  if (lead > 0 && lead < 16) {
    const std::uint64_t unit = powers[static_cast<std::size_t>(16 - lead)];
    const std::uint64_t whole = padded / unit, rest = padded % unit;
    if (lead < 8) {
      write_short(out, static_cast<std::uint32_t>(whole), lead + 1);
    } else {
      write_short(out, static_cast<std::uint32_t>(whole / 100000000), lead - 7);
      write_8(out + lead - 7, static_cast<std::uint32_t>(whole % 100000000));
    }
    out += lead + 1;
    if (rest == 0) return out;
    *out++ = '.';
    write_16(out, rest * powers[static_cast<std::size_t>(lead)]);
    return out + count - lead - 1;
  }
  const bool is_fraction = lead < 0 && lead >= -6;
  if (is_fraction) {
    std::copy_n("0.000000", 8, out);
    out += 1 - lead;
  }
  *out++ = static_cast<char>('0' + padded / powers[16]);
  if (!is_fraction && count > 1) *out++ = '.';
  write_16(out, padded % powers[16]);
  out += count - 1;
  if (is_fraction || lead == 0) return out;
  *out++ = 'e';
  return std::to_chars(out, out + 5, lead).ptr;
}

}  // namespace

char* write_number(char* out, double x) {
  *out = '-';
  out += std::signbit(x) ? 1 : 0;  // no branch: signs are hard to foresee
  const double size = std::abs(x);
  // Times and coarse sensors are whole numbers of millionths. Below 10^14 of them the decimal has at most 14
  // digits; if it rounds to x it is the only one of that length that does, so it is the shortest.
  const double millionths = size * 1e6;
  if (millionths < 1e14) {
    const auto whole = static_cast<std::int64_t>(
        millionths + 0.5);  // NOLINT(bugprone-incorrect-roundings): neither negative nor large
    const auto rounded = static_cast<double>(whole);
    const bool near = std::abs(millionths - rounded) <= 4e-16 * millionths;  // spares most numbers the division
    if (near && rounded / 1e6 == size) return write_millionths(out, static_cast<std::uint64_t>(whole));
  }
  return write_decimal(out, shortest(size));
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
