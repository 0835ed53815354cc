#include "fathom/fields/xml_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <tinyxml2.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/base/utf8.hpp"

namespace fathom {
namespace {

constexpr std::string_view blanks = " \t\r\n";

/// Elements in the order of the file, with their depth; without recursion, so that no file can exhaust the
/// stack.
template <class Visit>
void walk(const tinyxml2::XMLElement* top, const Visit& visit) {
  const tinyxml2::XMLElement* at = top;
  for (int depth = 1; at;) {
    visit(at, depth);
    if (const tinyxml2::XMLElement* inner = at->FirstChildElement()) {
      at = inner;
      ++depth;
      continue;
    }
    while (at != top && !at->NextSiblingElement()) {
      at = at->Parent()->ToElement();
      --depth;
    }
    if (at == top) return;
    at = at->NextSiblingElement();
  }
}

const char* hint_of(tinyxml2::XMLError error) {
  switch (error) {
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT: return "a tag is not closed, or closed by another name";
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT: return "a model begins with <sdf ...> or <robot ...>";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED: return "no model needs tags nested that deep";
    default: return "is the file complete, and is it XML?";
  }
}

std::string attribute_key(const XmlElement& element, std::string_view name) {
  return fmt::format("{}@{}", element.path(), name);
}

}  // namespace

struct XmlFile::Content {
  std::string file;
  tinyxml2::XMLDocument document;
};

XmlFile::XmlFile(const std::string& text, const std::string& file) {
  if (text.size() > most_xml_bytes)
    reject(file, 0, "", fmt::format("has {} bytes, more than {}", text.size(), most_xml_bytes),
           "a model is text; meshes stand in files of their own");
  if (const std::size_t at = find_invalid_utf8(text); at != std::string::npos)
    reject(file,
           1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')),
           "", fmt::format("byte 0x{:02x} is not UTF-8 text", static_cast<unsigned char>(text[at])),
           "convert the file to UTF-8");
  auto content = std::make_unique<Content>();
  content->file = file;
  tinyxml2::XMLDocument& document = content->document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
    reject(file, document.ErrorLineNum(), "", fmt::format("is no XML: {}", document.ErrorName()),
           hint_of(document.ErrorID()));
  const tinyxml2::XMLElement* root = document.RootElement();
  if (!root) reject(file, 1, "", "is no XML: it has no element", hint_of(tinyxml2::XML_ERROR_EMPTY_DOCUMENT));
  walk(root, [&](const tinyxml2::XMLElement* element, int depth) {
    if (depth > most_xml_depth)
      reject(file, element->GetLineNum(), "", fmt::format("tags are nested deeper than {}", most_xml_depth),
             hint_of(tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED));
  });
  content_ = std::move(content);
}

XmlFile::~XmlFile() = default;
XmlFile::XmlFile(XmlFile&&) noexcept = default;
XmlFile& XmlFile::operator=(XmlFile&&) noexcept = default;

XmlElement XmlFile::root() const { return {content_->document.RootElement(), &content_->file}; }
const std::string& XmlFile::file() const { return content_->file; }

std::string XmlElement::name() const { return element_->Name(); }
int XmlElement::line() const { return element_->GetLineNum(); }

std::string XmlElement::path() const {
  std::string path;
  for (const tinyxml2::XMLNode* node = element_; node && node->ToElement(); node = node->Parent()) {
    const tinyxml2::XMLElement* at = node->ToElement();
    std::string step = printable(at->Name());
    if (const char* called = at->Attribute("name")) step += fmt::format("[{}]", printable(called));
    path = path.empty() ? step : step + '/' + path;
  }
  return path;
}

std::optional<XmlElement> XmlElement::child(std::string_view name) const {
  const tinyxml2::XMLElement* found = element_->FirstChildElement(std::string(name).c_str());
  if (!found) return std::nullopt;
  return XmlElement{found, file_};
}

XmlElement XmlElement::required_child(std::string_view name, const std::string& hint) const {
  if (const std::optional<XmlElement> found = child(name)) return *found;
  reject_it(fmt::format("has no <{}>", name), hint);
}

std::vector<XmlElement> XmlElement::children(std::string_view name) const {
  std::vector<XmlElement> found;
  const std::string wanted(name);
  for (const auto* at = element_->FirstChildElement(wanted.c_str()); at;
       at = at->NextSiblingElement(wanted.c_str()))
    found.emplace_back(at, file_);
  return found;
}

std::vector<XmlElement> XmlElement::children() const {
  std::vector<XmlElement> found;
  for (const auto* at = element_->FirstChildElement(); at; at = at->NextSiblingElement())
    found.emplace_back(at, file_);
  return found;
}

std::vector<XmlElement> XmlElement::descendants(std::string_view name) const {
  std::vector<XmlElement> found;
  walk(element_, [&](const tinyxml2::XMLElement* at, int) {
    if (at != element_ && at->Name() == name) found.emplace_back(at, file_);
  });
  return found;
}

std::optional<std::string> XmlElement::attribute(std::string_view name) const {
  const char* value = element_->Attribute(std::string(name).c_str());
  if (!value) return std::nullopt;
  return std::string(trimmed(value, blanks));
}

std::string XmlElement::required_attribute(std::string_view name, const std::string& hint) const {
  if (std::optional<std::string> value = attribute(name)) return *value;
  reject_it(fmt::format("has no attribute {}", name), hint);
}

std::string XmlElement::text() const {
  std::string text;
  for (const tinyxml2::XMLNode* node = element_->FirstChild(); node; node = node->NextSibling())
    if (const tinyxml2::XMLText* piece = node->ToText()) (text += text.empty() ? "" : " ") += piece->Value();
  return std::string(trimmed(text, blanks));
}

double XmlElement::number() const { return number_in(text(), path()); }

std::vector<double> XmlElement::numbers(std::size_t count, bool may_have_brackets) const {
  std::vector<double> values = numbers_of_any_count(may_have_brackets);
  if (values.size() != count) reject_it(fmt::format("has {} numbers, must have {}", values.size(), count));
  return values;
}

std::vector<double> XmlElement::numbers_of_any_count(bool may_have_brackets) const {
  return numbers_in(text(), path(), may_have_brackets);
}

Eigen::Vector3d XmlElement::vector3() const {
  const std::vector<double> v = numbers(3);
  return {v[0], v[1], v[2]};
}

bool XmlElement::yes_or_no() const {
  const std::string word = text();
  if (word == "true" || word == "1" || word == "True") return true;
  if (word == "false" || word == "0" || word == "False") return false;
  reject_it("is " + in_quotes(word) + ", must be true or false");
}

double XmlElement::attribute_number(std::string_view name, const std::string& hint) const {
  return number_in(required_attribute(name, hint), attribute_key(*this, name));
}

std::optional<double> XmlElement::optional_attribute_number(std::string_view name) const {
  const std::optional<std::string> value = attribute(name);
  if (!value) return std::nullopt;
  return number_in(*value, attribute_key(*this, name));
}

std::optional<Eigen::Vector3d> XmlElement::attribute_vector3(std::string_view name) const {
  const std::optional<std::string> value = attribute(name);
  if (!value) return std::nullopt;
  const std::string key = attribute_key(*this, name);
  const std::vector<double> v = numbers_in(*value, key, false);
  if (v.size() != 3) reject(file(), line(), key, fmt::format("has {} numbers, must have 3", v.size()));
  return Eigen::Vector3d(v[0], v[1], v[2]);
}

void XmlElement::reject_it(const std::string& message, const std::string& hint) const {
  reject(file(), line(), path(), message, hint);
}

double XmlElement::number_in(std::string_view text, const std::string& what) const {
  const auto wrong = [&](const std::string& message, const std::string& hint) {
    reject(file(), line(), what, message, hint);
  };
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  if (text.empty()) wrong("is empty, must be a number", "");
  if (text.find("${") != std::string_view::npos)
    wrong("is " + in_quotes(text) + ", must be a number", "a xacro file? run xacro on it first");
  double value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, status] = std::from_chars(digits.data(), last, value);
  const bool is_too_small =
      status == std::errc::result_out_of_range && digits.find("e-") != std::string_view::npos && end == last;
  if (is_too_small) return 0;
  if (end != last || digits.starts_with("+-") || status == std::errc::invalid_argument)
    wrong("is " + in_quotes(text) + ", must be a number",
          text.find(',') != std::string_view::npos ? "decimals have a point" : "");
  if (status != std::errc() || !std::isfinite(value))
    wrong("is " + in_quotes(text) + ", must be a finite number", "");
  return value;
}

std::vector<double> XmlElement::numbers_in(std::string_view text, const std::string& what,
                                           bool may_have_brackets) const {
  const std::string separators = std::string(blanks) + (may_have_brackets ? ",[]()" : "");
  std::vector<double> values;
  for (std::size_t at = text.find_first_not_of(separators); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    values.push_back(number_in(text.substr(at, end - at), what));
    at = text.find_first_not_of(separators, end);
  }
  return values;
}

}  // namespace fathom
