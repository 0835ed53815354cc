#include "fathom/log/internal/csv_header.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"

namespace fathom::log::internal {

namespace {

constexpr std::string_view letters_and_digits =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr std::size_t longest_name = 200;        // a file's name has at most 255 bytes
constexpr std::size_t longest_header = 1 << 19;  // half of what the reader takes for one line

bool is_channel_word(std::string_view text) {
  const std::string allowed = std::string(letters_and_digits) + "_-.";
  return !text.empty() && text.size() <= longest_name &&
         letters_and_digits.find(text[0]) != std::string_view::npos &&
         text.find_first_not_of(allowed) == std::string_view::npos;
}

/// Why `text` cannot stand in the header line, or "".
std::string not_allowed(std::string_view text) {
  const std::size_t at = text.find_first_of(",;\"[]#");
  if (at != std::string_view::npos) return fmt::format("has the character {}", text[at]);
  if (printable(text) != text) return "has a control character or is not UTF-8";
  if (trimmed(text) != text) return "begins or ends with a blank";
  return "";
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

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

std::string column_title(const Column& column) {
  return column.unit.empty() ? column.name : fmt::format("{} [{}]", column.name, column.unit);
}

Column parse_column(std::string_view title) {
  const auto fail = [&](std::string message) {
    reject("", fmt::format("column {}: {}", in_quotes(title), message), "write name [unit], such as u [m/s]");
  };
  const std::string_view text = trimmed(title);
  const std::size_t open = text.find('[');
  Column column;
  column.name = trimmed(text.substr(0, open));
  if (open != std::string_view::npos) {
    if (text.back() != ']') fail("the bracket is not closed at its end");
    column.unit = trimmed(text.substr(open + 1, text.size() - open - 2));
  }
  if (column.name.empty()) fail("has no name");
  if ((column.name + column.unit).find_first_of("[]") != std::string::npos) fail("has brackets inside");
  return column;
}

void check_writable(const ChannelInfo& info) {
  Findings findings;
  const auto add = [&](std::string message, std::string hint) {
    findings.push_back(
        {Severity::error, "", 0, "channel " + in_quotes(info.name) + ":", std::move(message), std::move(hint)});
  };
  const std::string word = "letters, digits, _ - . and a letter or digit first";
  if (!is_channel_word(info.name)) add("the name cannot be a file's name", word);
  if (!is_channel_word(info.frame))
    add("frame = " + in_quotes(info.frame) + " is no frame", "n, b, s, c, none or a sensor's name");
  if (info.columns.empty()) add("has no columns", "a row needs a value beside t");
  std::set<std::string_view> seen;
  std::size_t length = 0;
  for (const Column& column : info.columns) {
    const std::string name = not_allowed(column.name), unit = not_allowed(column.unit);
    const std::string which = "column " + in_quotes(column.name);
    if (column.name.empty()) add("a column has no name", "");
    if (!name.empty()) add(which + ": the name " + name, "names and units stand between commas and brackets");
    if (!unit.empty())
      add(which + ": unit " + in_quotes(column.unit) + ' ' + unit,
          "names and units stand between commas and brackets");
    if (column.name == "t") add("a column is called t", "t is the clock, which every channel has");
    if (!seen.insert(column.name).second) add(which + " stands there twice", "each needs a name of its own");
    length += column.name.size() + column.unit.size() + 4;
  }
  if (length > longest_header)
    add(fmt::format("has {} columns", info.columns.size()), "make several channels of it");
  for (const std::string_view line : lines_of(info.about))
    if (printable(line) != line || line.size() > longest_header)
      add("about has a control character, is not UTF-8 or very long", "it is text for people");
  if (!findings.empty()) throw InputError(std::move(findings));
}

std::string csv_header(const ChannelInfo& info) {
  std::string text = fmt::format("{} 1\n# channel: {}\n# frame: {}\n", log_marker, info.name, info.frame);
  if (!info.about.empty())
    for (const std::string_view line : lines_of(info.about))
      text += line.empty() ? "# about:\n" : fmt::format("# about: {}\n", line);
  text += "t [s]";
  for (const Column& column : info.columns) text += ',' + column_title(column);
  return text + '\n';
}

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
