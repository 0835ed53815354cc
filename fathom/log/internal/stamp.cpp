#include "fathom/log/internal/stamp.hpp"

#include <charconv>
#include <chrono>
#include <limits>

namespace fathom::log::internal {
namespace {

constexpr std::int64_t most_ns = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t ns_of_second = 1'000'000'000;

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

/// Digits, a point, and the power of ten that the last digit kept stands for.
struct Digits {
  std::uint64_t value = 0;
  int power = 0;
  bool any = false;
};

/// Takes at most 19 digits that count: more than a nanosecond in 292 years has.
const char* take_digits(const char* p, const char* end, Digits& digits) {
  constexpr std::uint64_t full = 1'000'000'000'000'000'000;
  for (bool point = false; p < end; ++p) {
    if (*p == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_decimal(*p)) break;
    digits.any = true;
    if (digits.value < full) {
      digits.value = 10 * digits.value + static_cast<std::uint64_t>(*p - '0');
      digits.power -= point ? 1 : 0;
    } else {
      digits.power += point ? 0 : 1;
    }
  }
  return p;
}

/// value * 10^power, rounded to whole numbers.
std::optional<std::int64_t> scaled(std::uint64_t value, int power) {
  if (value == 0) return 0;
  for (; power > 0; --power) {
    if (value > static_cast<std::uint64_t>(most_ns) / 10) return std::nullopt;
    value *= 10;
  }
  for (; power < -1 && value > 0; ++power) value /= 10;
  if (power == -1) value = (value + 5) / 10;
  if (value > static_cast<std::uint64_t>(most_ns)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<std::int64_t> parse_number(std::string_view text, int unit) {
  const char *p = text.data(), *const end = p + text.size();
  const bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  Digits digits;
  p = take_digits(p, end, digits);
  if (!digits.any) return std::nullopt;
  int exponent = 0;
  if (p < end && (*p == 'e' || *p == 'E')) {
    if (++p < end && *p == '+') ++p;
    const auto [stop, error] = std::from_chars(p, end, exponent);
    if (error != std::errc() || exponent > 400 || exponent < -400) return std::nullopt;
    p = stop;
  }
  if (p != end) return std::nullopt;
  const auto ns = scaled(digits.value, digits.power + exponent + unit);
  return ns && negative ? std::optional(-*ns) : ns;
}

/// Reads fixed-width whole numbers off the front of a text.
struct Cursor {
  std::string_view rest;

  bool number(std::size_t width, int& value) {
    if (rest.size() < width) return false;
    value = 0;
    for (const char c : rest.substr(0, width)) {
      if (!is_decimal(c)) return false;
      value = 10 * value + (c - '0');
    }
    rest.remove_prefix(width);
    return true;
  }
  bool one_of(std::string_view letters) {
    if (rest.empty() || letters.find(rest.front()) == std::string_view::npos) return false;
    rest.remove_prefix(1);
    return true;
  }
};

/// Of `.877`, in nanoseconds; 0 where there is none.
std::optional<std::int64_t> fraction_ns(Cursor& text) {
  if (text.rest.empty() || (text.rest.front() != '.' && text.rest.front() != ',')) return 0;
  text.rest.remove_prefix(1);
  std::size_t width = 0;
  while (width < text.rest.size() && is_decimal(text.rest[width])) ++width;
  if (width == 0) return std::nullopt;
  std::int64_t ns = 0;
  for (std::size_t k = 0; k < 9; ++k) ns = 10 * ns + (k < width ? text.rest[k] - '0' : 0);
  text.rest.remove_prefix(width);
  return ns;
}

/// Minutes east of Greenwich: Z, nothing, +02:00 or +0200.
std::optional<int> zone_minutes(Cursor& text) {
  if (text.rest.empty() || text.rest == "Z" || text.rest == "z") return 0;
  const int sign = text.rest.front() == '-' ? -1 : 1;
  int hours = 0, minutes = 0;
  if (!text.one_of("+-") || !text.number(2, hours)) return std::nullopt;
  text.one_of(":");
  if (!text.number(2, minutes) || !text.rest.empty()) return std::nullopt;
  return sign * (60 * hours + minutes);
}

std::optional<std::int64_t> parse_date(std::string_view text) {
  Cursor at{text};
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  const bool written = at.number(4, year) && at.one_of("-/") && at.number(2, month) && at.one_of("-/") &&
                       at.number(2, day) && at.one_of("T ") && at.number(2, hour) && at.one_of(":") &&
                       at.number(2, minute) && at.one_of(":") && at.number(2, second);
  if (!written || hour > 23 || minute > 59 || second > 60 || year < 1700 || year > 2200) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return std::nullopt;
  const auto fraction = fraction_ns(at);
  const auto zone = fraction ? zone_minutes(at) : std::nullopt;
  if (!zone) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = 86400 * days + 3600LL * hour + 60LL * (minute - *zone) + second;
  return seconds * ns_of_second + *fraction;
}

}  // namespace

std::optional<std::int64_t> parse_stamp(std::string_view text, const StampForm& form) {
  return form.date ? parse_date(text) : parse_number(text, form.power);
}

}  // namespace fathom::log::internal
