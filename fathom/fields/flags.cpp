#include "fathom/fields/flags.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/fields/codec.hpp"

namespace fathom::fields {
namespace {

std::string flag_name(std::string_view key) {
  std::string name(key);
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

std::string placeholder(const Key& key, const Json& schema) {
  if (!key.placeholder.empty()) return std::string(key.placeholder);
  if (schema.contains("enum")) {
    std::string words;
    for (const Json& word : schema["enum"]) words += (words.empty() ? "" : "|") + word.get<std::string>();
    return words;
  }
  if (key.spec.unit == "s") return "SECONDS";
  const Json type = schema.value("type", Json("string"));
  if (type == "number") return "NUMBER";
  if (type == "integer") return "COUNT";
  if (type == "array") return "LIST";
  return "TEXT";
}

std::string help(const Key& key, const Json& value) {
  std::string text(key.summary);
  if (text.ends_with('.')) text.pop_back();
  if (!key.spec.unit.empty()) text += fmt::format(" [{}]", key.spec.unit);
  const bool is_shown = !value.is_discarded() && !value.is_null() && value != Json(false) &&
                        value != Json("") && !(value.is_structured() && value.empty());
  if (is_shown && key.presence != Key::Presence::required) {
    std::string shown = emit_yaml(value);
    shown.pop_back();
    text += fmt::format(" (default: {})", shown);
  }
  return text;
}

void read_node(const Flag& flag, const YAML::Node& node, void* object) {
  yaml::Reading reading("");
  flag.key->read(yaml::Field(node, flag.name, 0, reading), flag.key->spec, object);
  if (has_errors(reading.findings())) throw InputError(reading.findings());
}

}  // namespace

void Flag::set(void* object, const std::string& argument) const {
  if (is_list) return set(object, std::vector<std::string>{argument});
  read_node(*this, YAML::Node(argument), object);
}

void Flag::set(void* object, const std::vector<std::string>& arguments) const {
  if (!is_list) return set(object, arguments.back());
  YAML::Node list(YAML::NodeType::Sequence);
  for (std::string text : arguments) {
    std::replace(text.begin(), text.end(), ',', '\n');
    std::size_t from = 0;
    while (from <= text.size()) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      list.push_back(text.substr(from, end - from));
      from = end + 1;
    }
  }
  read_node(*this, list, object);
}

std::vector<Flag> flags(const Keys& keys, const void* fresh) {
  std::vector<Flag> result;
  for (const Key& key : keys) {
    if (key.parts) {
      const Alternative& whole = key.parts->alternatives.front();
      for (Flag& flag : flags(whole.keys, whole.fresh)) result.push_back(std::move(flag));
      continue;
    }
    const Json schema = key.schema(key.spec);
    if (schema.value("type", Json()) == "object" || schema.contains("oneOf")) continue;
    Flag flag;
    flag.name = flag_name(key.name);
    flag.is_switch = schema.value("type", Json()) == "boolean";
    flag.is_list = schema.value("type", Json()) == "array";
    if (!flag.is_switch) flag.placeholder = placeholder(key, schema);
    flag.help = help(key, key.write(fresh, key.spec));
    flag.key = &key;
    result.push_back(std::move(flag));
  }
  return result;
}

}  // namespace fathom::fields
