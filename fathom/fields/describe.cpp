#include "fathom/fields/describe.hpp"

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

}  // namespace

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
  std::string out;
  std::set<std::string> told;
  std::vector<std::pair<std::string, std::string>> sections;
  walk(schema, "", [&](const std::string& path, const std::string& name, const Json& key) {
    if (!told.insert(path).second) return;
    const std::string parent = path.substr(0, path.size() - name.size());
    if (sections.empty() || sections.back().first != parent) {
      const auto found =
          std::find_if(sections.begin(), sections.end(), [&](const auto& s) { return s.first == parent; });
      if (found == sections.end()) sections.emplace_back(parent, "");
    }
    auto& rows = std::find_if(sections.begin(), sections.end(), [&](const auto& s) {
                   return s.first == parent;
                 })->second;
    rows += fmt::format("| `{}` | {} | {} | {}{} |\n", name, key.value("unit", ""),
                        key.contains("default") ? one_line(key["default"]) : "", key.value("description", ""),
                        key.value("deprecated", false) ? " Old spelling." : "");
  });
  for (const auto& [parent, rows] : sections) {
    if (!parent.empty()) out += fmt::format("\n**`{}`**\n\n", parent.substr(0, parent.size() - 1));
    out += "| key | unit | default | meaning |\n|---|---|---|---|\n" + rows;
  }
  return out;
}

std::string fuzz_dictionary(const Json& schema) {
  std::set<std::string> words;
  walk(schema, "", [&](const std::string&, const std::string& name, const Json& key) {
    words.insert(name + ":");
    if (const auto all = key.find("enum"); all != key.end())
      for (const Json& word : *all)
        if (word.is_string()) words.insert(word.get<std::string>());
    if (const auto word = key.find("const"); word != key.end() && word->is_string())
      words.insert(word->get<std::string>());
  });
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
