#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/utf8.hpp"
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

bool has_structure(const Json& json) {
  return std::any_of(json.begin(), json.end(), [](const Json& e) { return e.is_structured(); });
}
bool is_flow(const Json& json) {
  return json.is_object() ? json.empty() : !json.is_array() || !has_structure(json);
}

struct Emitter {
  Layout layout;
  std::string out = {};

  std::string text_of(const std::string& key, const std::string& text) const {
    return (layout.is_word ? layout.is_word(key, text) : is_plain(text)) ? text : quoted(text);
  }

  std::string scalar(const std::string& key, const Json& json) const {
    switch (json.type()) {
      case Json::value_t::number_float: return number(json.get<double>());
      case Json::value_t::string: return text_of(key, json.get_ref<const std::string&>());
      case Json::value_t::null: return "null";
      default: return json.dump();
    }
  }

  /// Entries that are lists or maps have a line each, which begins behind `margin`.
  std::string flow(const std::string& key, const Json& json, const std::string& margin) const {
    if (!json.is_structured()) return scalar(key, json);
    const bool is_map = json.is_object();
    const std::string comma = has_structure(json) ? ",\n" + margin + ' ' : ", ";
    std::string text(1, is_map ? '{' : '[');
    for (const auto& [name, value] : json.items()) {
      if (text.size() > 1) text += comma;
      text += is_map ? name + ": " + flow(name, value, margin + "    ") : flow(key, value, margin);
    }
    return text + (is_map ? '}' : ']');
  }

  bool is_in_line(const std::string& key, const Json& json) const {
    if (is_flow(json)) return true;
    return layout.is_in_line && (json.is_object() ? layout.is_in_line(key, json) : json.front().is_array());
  }

  /// Behind a key; what does not fit there begins on the next line.
  void emit_value(const std::string& key, const Json& json, std::size_t depth, const std::string& comment) {
    if (!is_in_line(key, json)) {
      out += (comment.empty() ? "" : "  # " + comment) + '\n';
      return emit(json, depth);
    }
    const std::size_t margin = 2 * depth + (key == "value" || key == "sigma" ? 5 : 0);
    out += ' ' + flow(key, json, std::string(margin, ' ')) + (comment.empty() ? "" : "  # " + comment) + '\n';
  }

  void emit(const Json& json, std::size_t depth) {
    const std::string indent(2 * depth, ' ');
    if (json.is_array()) {
      for (const Json& each : json) {
        if (is_flow(each)) {
          out += indent + "- " + flow("", each, indent) + '\n';
          continue;
        }
        const std::size_t at = out.size();
        emit(each, depth + 1);
        out[at + 2 * depth] = '-';  // in the place of the indent of the first line
      }
      return;
    }
    for (const auto& [key, value] : json.items()) {
      if (key.starts_with('#')) continue;
      out += indent + (is_plain(key) ? key : quoted(key)) + ':';
      const auto comment = json.find("#" + key);
      emit_value(key, value, depth + 1, comment == json.end() ? "" : comment->get<std::string>());
    }
  }
};

}  // namespace

std::string emit_yaml(const Json& json, const Layout& layout) {
  Emitter emitter{layout};
  // In quotes, an escaped byte \xe9 reads back as the Latin-1 character that it most likely was.
  if (is_flow(json)) return as_utf8(emitter.flow("", json, "")) + '\n';
  emitter.emit(json, 0);
  return as_utf8(emitter.out);
}

}  // namespace fathom::fields
