#include "fathom/log/internal/table_text.hpp"

#include <algorithm>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"

namespace fathom::log::internal {

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

std::size_t count_fields(std::string_view line, char separator) {
  return 1 + static_cast<std::size_t>(std::count(line.begin(), line.end(), separator));
}

std::errc parse_number(std::string_view text, double& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);  // std::from_chars takes none
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return stop == end ? error : std::errc::invalid_argument;
}

bool rewrite(std::string_view line, const TableOptions& options, std::string& out) {
  const bool blanks = options.separator == ' ';
  if (blanks) line = trimmed(line);
  out.clear();
  bool quoted = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    const bool is_separator = c == options.separator || (blanks && c == '\t');
    if (c == '"') {
      if (quoted && k + 1 < line.size() && line[k + 1] == '"')
        out += line[++k];  // two stand for one
      else
        quoted = !quoted;
    } else if (is_separator && quoted) {
      out += hidden_separator;
    } else if (is_separator && blanks) {
      if (!out.ends_with(' ')) out += ' ';
    } else {
      out += c == ',' && options.decimal == ',' ? '.' : c;
    }
  }
  return !quoted;
}

std::optional<double> value_of_word(std::string_view text) {
  if (text.empty()) return nan;
  if (text.size() > 5) return std::nullopt;
  std::string word(text);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  for (const std::string_view missing : {"nan", "-nan", "+nan", "na", "n/a", "null", "none"})
    if (word == missing) return nan;
  if (word == "true") return 1;
  if (word == "false") return 0;
  return std::nullopt;
}

bool looks_like_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  return comma != std::string_view::npos && comma + 1 < text.size() &&
         text.find_first_not_of("+-0123456789,.eE") == std::string_view::npos;
}

}  // namespace fathom::log::internal
