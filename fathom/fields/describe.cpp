#include "fathom/fields/describe.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "fathom/fields/codec.hpp"

namespace fathom::fields {
namespace {

constexpr const char* combinations[] = {"anyOf", "oneOf", "allOf"};

/// Calls `visit(path, schema)` for the schema of every key, from above.
template <class Visit>
void walk(const Json& schema, const std::string& path, const Visit& visit) {
  if (!schema.is_object()) return;
  if (const auto properties = schema.find("properties"); properties != schema.end())
    for (const auto& [name, property] : properties->items()) {
      if (!property.is_object()) continue;
      const std::string place = path.empty() ? name : path + "." + name;
      visit(place, name, property);
      walk(property, place, visit);
    }
  if (const auto items = schema.find("items"); items != schema.end()) walk(*items, path + "[]", visit);
  if (const auto more = schema.find("additionalProperties"); more != schema.end())
    walk(*more, path + ".*", visit);
  for (const char* const word : combinations)
    if (const auto parts = schema.find(word); parts != schema.end())
      for (const Json& part : *parts) walk(part, path, visit);
}

std::string one_line(const Json& value) {
  if (value.is_structured() && value.size() > 8) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool is_in_range(const Json& schema, const Json& value) {
  if (const auto words = schema.find("enum"); words != schema.end())
    return std::find(words->begin(), words->end(), value) != words->end();
  if (value.is_array()) {
    const std::size_t n = value.size();
    if (n < schema.value("minItems", std::size_t(0)) || n > schema.value("maxItems", n)) return false;
    for (const Json& each : value)
      if (schema.contains("items") && !is_in_range(schema["items"], each)) return false;
    return true;
  }
  if (!value.is_number()) return true;
  const double x = value.get<double>();
  const auto limit = [&](const char* word, auto holds) {
    return !schema.contains(word) || holds(schema[word].get<double>());
  };
  return limit("exclusiveMinimum", [x](double y) { return x > y; }) &&
         limit("minimum", [x](double y) { return x >= y; }) &&
         limit("exclusiveMaximum", [x](double y) { return x < y; }) &&
         limit("maximum", [x](double y) { return x <= y; });
}

/// A default must have the shape of one of the alternatives; ranges of others do not concern it.
bool fits(const Json& schema, const Json& value) {
  for (const char* const word : combinations)
    if (const auto parts = schema.find(word); parts != schema.end() && word != combinations[2]) {
      for (const Json& part : *parts)
        if (fits(part, value)) return true;
      return false;
    }
  return is_in_range(schema, value);
}

/// A vertical bar would end the cell.
std::string in_a_cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

/// A line of a reference table.
struct Row {
  std::string name, unit, otherwise, meaning;
};

/// The keys of one map.
struct Section {
  std::string path;
  std::vector<Row> rows;
};

/// Unit and range: of the value itself, else of the first alternative that has them.
std::string unit_and_range(const Json& key) {
  constexpr std::pair<const char*, const char*> limits[] = {
      {"exclusiveMinimum", ">"}, {"minimum", ">="}, {"exclusiveMaximum", "<"}, {"maximum", "<="}};
  std::string out = key.value("unit", "");
  for (const auto& [word, sign] : limits)
    if (key.contains(word))
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", sign, key[word].get<double>());
  for (const char* const word : combinations)
    if (key.contains(word) && out.empty())
      for (const Json& part : key[word])
        if (out.empty()) out = unit_and_range(part);
  return out;
}

/// The documentation, with the words that the key can have.
std::string meaning_of(const Json& key) {
  std::string out = key.value("description", "");
  if (key.contains("const")) return fmt::format("`{}`: {}", one_line(key["const"]), out);
  if (const auto words = key.find("enum"); words != key.end()) {
    out += " One of";
    for (const Json& word : *words)
      out += fmt::format("{} `{}`", &word == &words->front() ? "" : ",", one_line(word));
    out += '.';
  }
  return out;
}

void add_row(Section& section, const std::string& name, const Json& key, bool is_required) {
  const auto found =
      std::find_if(section.rows.begin(), section.rows.end(), [&](const Row& row) { return row.name == name; });
  const std::string meaning = meaning_of(key);
  if (found != section.rows.end()) {  // of another alternative
    if (found->meaning.find(meaning) == std::string::npos) found->meaning += " " + meaning;
    return;
  }
  const bool has_default =
      key.contains("default") && !(key["default"].is_structured() && key["default"].empty());
  section.rows.push_back({name, unit_and_range(key),
                          is_required   ? "*required*"
                          : has_default ? one_line(key["default"])
                                        : "",
                          meaning});
}

/// Adds the maps of a schema from above, but neither old spellings nor the map that a value with an origin is.
void add_sections(const Json& schema, const std::string& path, std::vector<Section>& sections) {
  if (!schema.is_object()) return;
  const Json& keys = schema.value("properties", Json::object());
  if (keys.contains("value") && keys.contains("assumed")) return;
  const Json& required = schema.value("required", Json::array());
  std::vector<std::pair<std::string, Json>> below;
  for (const auto& [name, key] : keys.items()) {
    if (!key.is_object() || key.value("deprecated", false)) continue;
    auto section =
        std::find_if(sections.begin(), sections.end(), [&](const Section& each) { return each.path == path; });
    if (section == sections.end()) section = sections.insert(section, {path, {}});
    add_row(*section, name, key, std::find(required.begin(), required.end(), name) != required.end());
    below.emplace_back(path.empty() ? name : path + "." + name, key);
  }
  for (const char* const word : combinations)
    if (schema.contains(word))
      for (const Json& part : schema[word]) add_sections(part, path, sections);
  for (const auto& [place, key] : below) add_sections(key, place, sections);
  if (schema.contains("items")) add_sections(schema["items"], path + "[]", sections);
  if (schema.contains("additionalProperties"))
    add_sections(schema["additionalProperties"], path + ".*", sections);
}

/// Adds the keys of a schema, and the words and units of their values.
void add_words(const Json& schema, std::set<std::string>& words) {
  const auto add = [&](const Json& word) {
    if (word.is_string() && !word.get_ref<const std::string&>().empty()) words.insert(word);
  };
  if (schema.is_array())
    for (const Json& part : schema) add_words(part, words);
  if (!schema.is_object()) return;
  for (const auto& [keyword, value] : schema.items()) {
    if (keyword == "const" || keyword == "unit") add(value);
    if (keyword == "enum") std::for_each(value.begin(), value.end(), add);
    if (keyword == "properties")
      for (const auto& [key, property] : value.items()) {
        words.insert(key + ":");
        add_words(property, words);
      }
    else
      add_words(value, words);
  }
}

/// Finds schemas that occur several times and gives each a name.
class Definitions {
 public:
  explicit Definitions(const Json& schema) { count(schema); }

  /// Returns the schema with references in place of what occurs several times. `name` is the key that has it.
  Json shared(const Json& schema, const std::string& name, bool is_whole = false) {
    if (!schema.is_structured()) return schema;
    const std::string text = is_whole || !is_schema(schema) ? "" : schema.dump();
    if (text.size() < least_size || occurrences_.at(text) < 2) return with_shared_parts(schema, name);
    const auto found = names_.find(text);
    if (found != names_.end()) return reference_to(found->second);
    std::string unique = name.empty() ? "part" : name;
    for (int k = 2; definitions_.contains(unique); ++k) unique = fmt::format("{}_{}", name, k);
    names_[text] = unique;
    definitions_[unique] = Json();  // takes the name before its parts do
    Json parts = with_shared_parts(schema, name);
    definitions_[unique] = std::move(parts);
    return reference_to(unique);
  }
  const Json& definitions() const { return definitions_; }

 private:
  static constexpr std::size_t least_size = 200;  // characters; below that a reference saves nothing

  static bool is_schema(const Json& json) {
    if (!json.is_object()) return false;
    const auto type = json.find("type");
    return (type != json.end() && type->is_string()) || json.contains("anyOf") || json.contains("oneOf");
  }
  static bool is_data(const std::string& key) { return key == "default" || key == "const" || key == "enum"; }
  static Json reference_to(const std::string& name) { return {{"$ref", "#/$defs/" + name}}; }

  void count(const Json& json) {
    if (is_schema(json) && ++occurrences_[json.dump()] > 1) return;  // its parts are counted with the first
    for (const auto& [key, value] : json.items())
      if (value.is_structured() && !is_data(key)) count(value);
  }
  Json with_shared_parts(const Json& json, const std::string& name) {
    static const std::set<std::string> keywords = {"properties", "items", "prefixItems", "additionalProperties",
                                                   "anyOf",      "oneOf", "allOf",       "not",
                                                   "if",         "then",  "else",        "propertyNames"};
    Json out = json;
    for (const auto& [key, value] : out.items()) {
      const bool is_name = json.is_object() && !keywords.contains(key);
      if (value.is_structured() && !is_data(key)) value = shared(value, is_name ? key : name);
    }
    return out;
  }

  std::map<std::string, int> occurrences_;
  std::map<std::string, std::string> names_;
  Json definitions_ = Json::object();
};

}  // namespace

Json with_definitions(const Json& schema) {
  Definitions all(schema);
  Json out = all.shared(schema, "", true);
  if (!all.definitions().empty()) out["$defs"] = all.definitions();
  return out;
}

Json schema_file(Json schema, std::string_view id, std::string_view title, std::string_view format) {
  const auto add_format = [&](Json& map) {
    Json properties = {{"format", {{"description", "Format of the file."}, {"const", format}}}};
    properties.update(map["properties"]);
    map["properties"] = std::move(properties);
    map["required"].insert(map["required"].begin(), "format");
  };
  if (!format.empty() && schema.contains("oneOf"))
    for (Json& map : schema["oneOf"]) add_format(map);
  else if (!format.empty())
    add_format(schema);
  Json file = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"$id", id}, {"title", title}};
  file.update(schema);
  return file;
}

std::string reference_tables(const Json& schema) {
  std::vector<Section> sections;
  add_sections(schema, "", sections);
  std::string out;
  for (const Section& section : sections) {
    if (!section.path.empty()) out += fmt::format("\n**`{}`**\n\n", section.path);
    out += "| key | unit, range | default | meaning |\n|---|---|---|---|\n";
    for (const Row& row : section.rows)
      out +=
          fmt::format("| `{}` | {} | {} | {} |\n", row.name, row.unit, row.otherwise, in_a_cell(row.meaning));
  }
  return out;
}

std::string fuzz_dictionary(const Json& schema) {
  std::set<std::string> words;
  add_words(schema, words);
  std::string out;
  for (const std::string& word : words) out += '"' + word + "\"\n";
  return out;
}

std::vector<std::string> faults(const Json& schema) {
  std::vector<std::string> found;
  walk(schema, "", [&](const std::string& path, const std::string&, const Json& key) {
    if (key.value("description", "").empty()) found.push_back(path + " has no documentation");
    if (const auto value = key.find("default"); value != key.end() && !fits(key, *value))
      found.push_back(fmt::format("{} has the default {}, outside its own range", path, value->dump()));
  });
  return found;
}

}  // namespace fathom::fields
