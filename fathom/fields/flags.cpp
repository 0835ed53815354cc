#include "fathom/fields/flags.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/fields/codec.hpp"

namespace fathom::fields {
namespace {

constexpr std::size_t longest_choice = 16;  // longer ones stand in the help

std::string flag_name(const Key& key, std::string_view spelling) {
  std::string name(spelling);
  std::replace(name.begin(), name.end(), '_', '-');
  return key.is_positional ? name : "--" + name;
}

std::string type_of(const Json& schema) {
  const Json type = schema.value("type", Json());
  return type.is_string() ? type.get<std::string>() : "";
}

std::string joined_words(const Json& schema, std::string_view between) {
  std::string words;
  for (const Json& word : schema.value("enum", Json::array()))
    words.append(words.empty() ? "" : between).append(word.get<std::string>());
  return words;
}

std::string placeholder(const Key& key, const Json& schema) {
  if (!key.placeholder.empty()) return std::string(key.placeholder);
  const std::string words = joined_words(schema, "|");
  if (!words.empty() && words.size() <= longest_choice) return words;
  if (key.spec.unit == "s") return "SECONDS";
  const std::string type = type_of(schema);
  if (type == "number") return "NUMBER";
  if (type == "integer") return "COUNT";
  if (type == "array") return "LIST";
  return "WORD";
}

/// Summary, unit, words and default.
std::string help(const Key& key, const Json& schema, const Json& value, const std::string& placeholder) {
  std::string text(key.summary);
  if (text.ends_with('.')) text.pop_back();
  if (!key.spec.unit.empty())
    text.insert(std::min(text.find(';'), text.size()), fmt::format(" [{}]", key.spec.unit));
  std::vector<std::string> remarks;
  if (const std::string words = joined_words(schema, ", ");
      !words.empty() && placeholder.find('|') == std::string::npos)
    remarks.push_back("one of " + words);
  const bool is_shown = !value.is_discarded() && !value.is_null() && value != Json(false) &&
                        value != Json("") && !(value.is_structured() && value.empty());
  std::string usual(key.usual);
  if (usual.empty() && is_shown && key.presence != Key::Presence::required) {
    usual = emit_yaml(value);
    usual.pop_back();
  }
  if (!usual.empty()) remarks.push_back("default: " + usual);
  return remarks.empty() ? text : fmt::format("{} ({})", text, join(remarks, "; "));
}

/// Files may write 5.0 and 1e3 for whole numbers; on a command line these, 010 and an empty text are slips.
bool is_whole(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos &&
         (text.size() == 1 || text.front() != '0');
}

/// The pieces of "1,2,3". The rest of a text behind a comma may be empty, a number may not.
void add_pieces(YAML::Node& list, const std::string& text, bool are_numbers) {
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    if (are_numbers || end > from || text.empty()) list.push_back(text.substr(from, end - from));
    from = end + 1;
  }
}

void* struct_of(const Flag& flag, void* object) {
  for (void* (*const part)(void*) : flag.parts) object = part(object);
  return object;
}

Json value_of(const Flag& flag, const void* object) {
  return flag.key->write(struct_of(flag, const_cast<void*>(object)), flag.key->spec);
}

void read_node(const Flag& flag, const YAML::Node& node, yaml::Reading& reading, void* object) {
  flag.key->read(yaml::Field(node, flag.name, 0, reading), flag.key->spec, struct_of(flag, object));
}

std::string argument_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump();
}

YAML::Node node_of(const Json& value) {
  if (value.is_null()) return YAML::Node(".nan");
  if (!value.is_array()) return YAML::Node(argument_of(value));
  YAML::Node list(YAML::NodeType::Sequence);
  for (const Json& each : value) list.push_back(node_of(each));
  return list;
}

}  // namespace

void Flag::set(void* object, const std::vector<std::string>& arguments) const {
  const Json schema = key->schema(key->spec);
  YAML::Node node(arguments.back());
  if (type_of(schema) == "array") {
    const bool are_numbers = type_of(schema["items"]) == "number";
    node = YAML::Node(YAML::NodeType::Sequence);
    for (const std::string& text : arguments) {
      if (are_numbers || placeholder.ends_with(",..."))
        add_pieces(node, text, are_numbers);
      else
        node.push_back(text);
    }
  } else if (type_of(schema) == "integer" && !is_whole(arguments.back())) {
    const Range& range = key->spec.range;
    const bool has_range = range.above || range.at_least || range.below || range.at_most;
    reject(name, fmt::format("= {}, expected a whole number", in_quotes(arguments.back())),
           has_range ? range.text() : "");
  }
  yaml::Reading reading("");
  read_node(*this, node, reading, object);
  if (has_errors(reading.findings())) throw InputError(reading.findings());
}

std::vector<std::string> Flag::arguments(const void* object) const {
  const Json value = value_of(*this, object);
  if (value.is_discarded() || (!is_required && value == key->write(fresh, key->spec))) return {};
  if (!value.is_array()) return {argument_of(value)};
  std::vector<std::string> list;
  for (const Json& each : value) list.push_back(argument_of(each));
  return list;
}

std::vector<Flag> flags(const Keys& keys, const void* fresh) {
  std::vector<Flag> result;
  for (const Key& key : keys) {
    if (key.parts) {
      const Alternative& whole = key.parts->alternatives.front();
      for (Flag& flag : flags(whole.keys, whole.fresh)) {
        flag.parts.insert(flag.parts.begin(), key.part);
        result.push_back(std::move(flag));
      }
      continue;
    }
    const Json schema = key.schema(key.spec);
    const std::string type = type_of(schema);
    if (type == "object" || schema.contains("oneOf")) continue;
    Flag flag;
    flag.name = flag_name(key, key.name);
    for (const Key& other : key.others) flag.aliases.push_back(flag_name(key, other.name));
    flag.is_switch = type == "boolean";
    flag.is_required = key.presence == Key::Presence::required;
    flag.is_positional = key.is_positional;
    if (type == "array") {
      const int least = schema.value("minItems", 0), most = schema.value("maxItems", -1);
      flag.is_list = least != most;
      if (!flag.is_list) flag.count = most;
    }
    if (!flag.is_switch) flag.placeholder = placeholder(key, schema);
    flag.help = help(key, schema, key.write(fresh, key.spec), flag.placeholder);
    flag.key = &key;
    flag.fresh = fresh;
    result.push_back(std::move(flag));
  }
  return result;
}

void check_values(const std::vector<Flag>& flags, const void* object, void* scratch) {
  yaml::Reading reading("");
  for (const Flag& flag : flags)
    if (const Json value = value_of(flag, object); !value.is_discarded())
      read_node(flag, node_of(value), reading, scratch);
  if (has_errors(reading.findings())) throw InputError(reading.findings());
}

}  // namespace fathom::fields
