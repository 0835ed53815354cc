#include "fathom/exchange/internal/xml_text.hpp"

#include <algorithm>
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

namespace {

std::string allowed(std::string_view text) {
  std::string result = as_utf8(text);
  std::replace_if(
      result.begin(), result.end(), [](unsigned char c) { return c < 0x20 && c != '\n' && c != '\t'; }, '?');
  return result;
}

}  // namespace

void XmlText::open(const char* name, std::initializer_list<Attribute> attributes) {
  OpenElement(name);
  for (const auto& [key, value] : attributes) PushAttribute(key, allowed(value).c_str());
}

void XmlText::leaf(const std::string& name, std::string_view text,
                   std::initializer_list<Attribute> attributes) {
  open(name.c_str(), attributes);
  if (!text.empty()) PushText(allowed(text).c_str());
  close();
}

std::string XmlText::take() {
  while (!_stack.Empty()) close();
  return CStr();
}

void XmlText::PrintSpace(int depth) {
  for (int k = 0; k < depth; ++k) Write("  ");
}

}  // namespace fathom::exchange::internal
