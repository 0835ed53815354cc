#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/fields/codec.hpp"

namespace fathom::fields {
namespace {

/// The shortest decimal that reads back to the same double, with a point: YAML 1.1 readers take 1e-3 for text.
std::string number(double value) {
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  std::string text = fmt::format("{}", value == 0 ? 0.0 : value);
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

/// Words that every YAML reader takes for text, without quotes.
bool is_plain(const std::string& text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || !is_letter(text.front())) return false;
  for (const char c : text)
    if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '_' && c != '-' && c != '.') return false;
  std::string lower;
  for (const char c : text) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  for (const char* word : {"true", "false", "yes", "no", "on", "off", "null", "nan", "inf"})
    if (lower == word) return false;
  return true;
}

/// A double-quoted scalar on one line.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  return result + '"';
}

std::string text_of(const std::string& text) { return is_plain(text) ? text : quoted(text); }

std::string scalar(const Json& json) {
  switch (json.type()) {
    case Json::value_t::number_float: return number(json.get<double>());
    case Json::value_t::string: return text_of(json.get_ref<const std::string&>());
    case Json::value_t::null: return "null";
    default: return json.dump();
  }
}

bool is_flow(const Json& json) {
  if (json.is_object()) return json.empty();
  return !json.is_array() ||
         std::none_of(json.begin(), json.end(), [](const Json& e) { return e.is_structured(); });
}

std::string flow(const Json& json) {
  if (json.is_object()) return "{}";
  if (!json.is_array()) return scalar(json);
  std::string text = "[";
  for (std::size_t k = 0; k < json.size(); ++k) (text += k ? ", " : "") += scalar(json[k]);
  return text + ']';
}

void emit(std::string& out, const Json& json, std::size_t depth);

/// Behind a key or a dash; what does not fit there begins on the next line.
void emit_value(std::string& out, const Json& json, std::size_t depth, const std::string& comment) {
  if (is_flow(json)) {
    out += ' ' + flow(json) + (comment.empty() ? "" : "  # " + comment) + '\n';
    return;
  }
  out += (comment.empty() ? "" : "  # " + comment) + '\n';
  emit(out, json, depth);
}

void emit(std::string& out, const Json& json, std::size_t depth) {
  const std::string indent(2 * depth, ' ');
  if (json.is_array()) {
    for (const Json& each : json) {
      if (is_flow(each)) {
        out += indent + "- " + flow(each) + '\n';
        continue;
      }
      const std::size_t at = out.size();
      emit(out, each, depth + 1);
      out[at + 2 * depth] = '-';  // in the place of the indent of the first line
    }
    return;
  }
  for (const auto& [key, value] : json.items()) {
    if (key.starts_with('#')) continue;
    out += indent + text_of(key) + ':';
    const auto comment = json.find("#" + key);
    emit_value(out, value, depth + 1, comment == json.end() ? "" : comment->get<std::string>());
  }
}

}  // namespace

std::string emit_yaml(const Json& json) {
  if (is_flow(json)) return flow(json) + '\n';
  std::string out;
  emit(out, json, 0);
  return out;
}

}  // namespace fathom::fields
