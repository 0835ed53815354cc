#include "fathom/base/utf8.hpp"

#include <fmt/format.h>

namespace fathom {
namespace {

/// Returns the length of the UTF-8 character at the front (Unicode 15, table 3-7); 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length == 0 || first > 0xf4) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool is_overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_surrogate = first == 0xed && second >= 0xa0;
  const bool is_too_large = first == 0xf4 && second >= 0x90;
  return is_overlong || is_surrogate || is_too_large ? 0 : length;
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::string as_utf8(std::string_view text) {
  std::string result;
  for (std::size_t at = find_invalid_utf8(text); at != std::string_view::npos; at = find_invalid_utf8(text)) {
    result += text.substr(0, at);
    result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    text.remove_prefix(at + 1);
  }
  return result += text;
}

}  // namespace fathom
