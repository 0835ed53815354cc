#include "fathom/report/internal/escape.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "fathom/base/text.hpp"

namespace fathom::report::internal {

std::string clean_text(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\n\t");
    result += printable(text.substr(0, end));
    if (end == std::string_view::npos) break;
    result += text[end];
    text.remove_prefix(end + 1);
  }
  return result;
}

std::string escape_html(std::string_view text) {
  std::string result;
  for (const char c : clean_text(text)) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string escape_json_in_script(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  for (const char c : json) {  // in JSON these stand only inside strings
    switch (c) {
      case '<': result += "\\u003c"; break;
      case '>': result += "\\u003e"; break;
      case '&': result += "\\u0026"; break;
      default: result += c;
    }
  }
  return result;
}

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) { return i + k < bytes.size() ? bytes[i + k] : std::uint8_t{0}; };
    const unsigned group = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (int k = 0; k < 4; ++k) result += i + k > bytes.size() ? '=' : letters[group >> (18 - 6 * k) & 63];
  }
  return result;
}

std::string floats_base64(std::span<const double> values) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(4 * values.size());
  for (const double value : values) {
    float single = static_cast<float>(value);
    if (!std::isfinite(single)) single = std::numeric_limits<float>::quiet_NaN();
    const auto bits = std::bit_cast<std::uint32_t>(single);
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(bits >> shift));
  }
  return base64(bytes);
}

std::vector<double> time_steps(std::span<const double> t) {
  std::vector<double> steps;
  steps.reserve(t.size());
  double sum = t.empty() ? 0 : t.front();
  for (const double time : t) {
    steps.push_back(static_cast<double>(static_cast<float>(time - sum)));
    sum += steps.back();
  }
  return steps;
}

}  // namespace fathom::report::internal
