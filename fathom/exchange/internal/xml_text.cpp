#include "fathom/exchange/internal/xml_text.hpp"

#include <array>

#include <fmt/format.h>

namespace fathom::exchange::internal {

std::string number_text(double value) { return fmt::format("{}", value == 0 ? 0.0 : value); }

std::string numbers_text(std::span<const double> values) {
  std::string text;
  for (const double value : values) (text += text.empty() ? "" : " ") += number_text(value);
  return text;
}

std::string numbers_text(const Vec3& v) { return numbers_text(std::array{v.x(), v.y(), v.z()}); }

std::string numbers_text(const Vec3& position, const Vec3& rpy) {
  return numbers_text(position) + ' ' + numbers_text(rpy);
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
          result += c;
        else
          result += '?';
    }
  }
  return result;
}

XmlText::XmlText(bool declaration) {
  if (declaration) text_ = "<?xml version=\"1.0\"?>\n";
}

void XmlText::begin_line() { text_ += std::string(2 * open_.size(), ' '); }

void XmlText::tag(std::string_view name, std::initializer_list<Attribute> attributes) {
  begin_line();
  text_ += fmt::format("<{}", name);
  for (const auto& [key, value] : attributes) text_ += fmt::format(" {}=\"{}\"", key, escaped(value));
}

void XmlText::open(std::string_view name, std::initializer_list<Attribute> attributes) {
  tag(name, attributes);
  text_ += ">\n";
  open_.emplace_back(name);
}

void XmlText::close() {
  const std::string name = open_.back();
  open_.pop_back();
  begin_line();
  text_ += fmt::format("</{}>\n", name);
}

void XmlText::leaf(std::string_view name, std::string_view text, std::initializer_list<Attribute> attributes) {
  tag(name, attributes);
  text_ += text.empty() ? "/>\n" : fmt::format(">{}</{}>\n", escaped(text), name);
}

void XmlText::comment(std::string_view text) {
  std::string words = escaped(text);
  // "--" must not stand in a comment.
  for (std::size_t at = words.find("--"); at != std::string::npos; at = words.find("--", at))
    words.replace(at, 2, "- ");
  begin_line();
  text_ += fmt::format("<!-- {} -->\n", words);
}

std::string XmlText::take() {
  while (!open_.empty()) close();
  return std::move(text_);
}

}  // namespace fathom::exchange::internal
