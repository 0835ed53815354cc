#include "fathom/log/internal/message_definition.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"

namespace fathom::log::internal {
namespace {

constexpr std::string_view definition_blanks = " \t\r";
constexpr std::array<std::string_view, 15> primitives = {"bool",   "byte",    "char",    "int8",   "uint8",
                                                         "int16",  "uint16",  "int32",   "uint32", "int64",
                                                         "uint64", "float32", "float64", "string", "wstring"};

bool is_primitive(std::string_view type) {
  return std::find(primitives.begin(), primitives.end(), type) != primitives.end();
}

bool is_identifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool is_message_type(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && is_identifier(text.substr(0, slash)) &&
         is_identifier(text.substr(slash + 1));
}

/// The text up to one of `ends`, and takes it from `line` with the blanks before it.
std::string_view take_until(std::string_view& line, std::string_view ends) {
  line.remove_prefix(std::min(line.find_first_not_of(definition_blanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(ends));
  line.remove_prefix(word.size());
  return word;
}

/// Reads one definition after the other, line by line.
class DefinitionParser {
 public:
  explicit DefinitionParser(std::string_view type) { begin(type); }

  void read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      read_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  Definitions take() {
    for (auto& [type, fields] : definitions_)  // what IDL gives a message without fields
      if (fields.empty()) fields.push_back({"uint8", "structure_needs_at_least_one_member"});
    return std::move(definitions_);
  }

 private:
  [[noreturn]] void fail(std::string message) const {
    reject("definition of " + printable(type_), line_, "", std::move(message),
           "expected lines such as float64[3] velocity");
  }

  void begin(std::string_view type) {
    type_ = short_type(type);
    if (!is_message_type(type_)) fail("has a type that is not of the form package/Name");
    fields_ = &definitions_[type_];
    fields_->clear();
  }

  void read_line(std::string_view line) {
    std::string_view rest = line;
    const std::string_view type = take_until(rest, " \t\r#");
    if (type.empty()) return;
    if (type.find_first_not_of('=') == std::string_view::npos) return;
    if (type == "MSG:") return begin(take_until(rest, definition_blanks));
    const std::string_view name = take_until(rest, " \t\r#=");
    rest.remove_prefix(std::min(rest.find_first_not_of(definition_blanks), rest.size()));
    if (!is_identifier(name)) fail("has a field without a name: " + in_quotes(line));
    Field field = type_of(type);
    if (rest.starts_with('=')) return;  // a constant
    field.name = name;
    fields_->push_back(std::move(field));
  }

  Field type_of(std::string_view text) const {
    Field field;
    const std::size_t bracket = text.find('[');
    std::string_view type = text.substr(0, bracket);
    if (bracket != std::string_view::npos) read_brackets(text.substr(bracket), field);
    if (const std::size_t bound = type.find("<="); bound != std::string_view::npos) {
      number(type.substr(bound + 2));
      type = type.substr(0, bound);
      if (type != "string" && type != "wstring") fail("has a bound on what is no string: " + in_quotes(text));
    }
    field.type = qualified(type);
    return field;
  }

  void read_brackets(std::string_view text, Field& field) const {
    if (!text.ends_with(']')) fail("has an open bracket: " + in_quotes(text));
    text = text.substr(1, text.size() - 2);
    field.count = Field::Count::sequence;
    if (text.empty()) return;
    if (text.starts_with("<=")) {
      number(text.substr(2));
      return;
    }
    field.count = Field::Count::fixed;
    field.length = number(text);
  }

  std::uint32_t number(std::string_view text) const {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value == 0)
      fail("has a length that is no positive number: " + in_quotes(text));
    return value;
  }

  std::string qualified(std::string_view type) const {
    if (is_primitive(type)) return std::string(type);
    if (type == "Header") return "std_msgs/Header";
    std::string name = short_type(type);
    if (is_identifier(name)) return type_.substr(0, type_.find('/') + 1) + name;
    if (!is_message_type(name)) fail("has a type that cannot be: " + in_quotes(type));
    return name;
  }

  int line_ = 0;
  std::string type_;
  Definitions definitions_;
  std::vector<Field>* fields_ = nullptr;
};

}  // namespace

std::string short_type(std::string_view type) {
  constexpr std::string_view middle = "/msg/";
  std::string result(type);
  if (const std::size_t place = type.find(middle); place != std::string_view::npos)
    result.replace(place, middle.size(), "/");
  return result;
}

Definitions parse_definitions(std::string_view type, std::string_view text) {
  DefinitionParser parser(type);
  parser.read(text);
  return parser.take();
}

}  // namespace fathom::log::internal
