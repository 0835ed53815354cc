#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "fathom/fields/codec.hpp"

namespace fathom::fields {
namespace {

/// A schema while its keys are added: what one key cannot say alone goes into `conditions`.
struct Object {
  Json properties = Json::object(), required = Json::array(), conditions = Json::array();
};

Json required_keys(std::string_view name) { return {{"required", Json::array({name})}}; }

Json with_description(Json schema, const Key& key) {
  Json result = Json::object();
  result["description"] = key.summary;
  if (!key.spec.unit.empty()) result["unit"] = key.spec.unit;
  if (key.is_deprecated) result["deprecated"] = true;
  result.update(schema);
  return result;
}

void add_property(Object& out, const Key& key, Json schema) {
  if (!out.properties.emplace(std::string(key.name), with_description(std::move(schema), key)).second)
    throw std::logic_error(fmt::format("two fields have the key {}", key.name));
}

void add_company(Object& out, const Key& key, std::string_view name) {
  if (!key.rival.empty()) out.conditions.push_back({{"not", {{"required", Json::array({name, key.rival})}}}});
  if (!key.companion.empty())
    out.conditions.push_back({{"dependentRequired", {{std::string(name), Json::array({key.companion})}}}});
}

void add_union(Object& out, const Union& choice);

void add_key(Object& out, const Key& key, const void* fresh) {
  if (key.parts) return add_union(out, *key.parts);
  Json schema = key.schema(key.spec);
  if (key.presence != Key::Presence::required && !key.is_section_origin && fresh) {
    const Json value = key.write(fresh, key.spec);
    if (!value.is_discarded() && !value.is_null()) schema["default"] = value;
  }
  add_property(out, key, std::move(schema));
  for (const Key& other : key.others) add_property(out, other, other.schema(other.spec));
  add_company(out, key, key.name);
  for (const Key& other : key.others) add_company(out, key, other.name);
  const bool is_required = key.presence == Key::Presence::required;
  if (key.others.empty()) {
    if (is_required) out.required.push_back(key.name);
    return;
  }
  Json one = Json::array({required_keys(key.name)}), any = one;
  for (const Key& other : key.others) any.push_back(required_keys(other.name));
  if (is_required) return out.conditions.push_back({{"oneOf", any}});
  Json none = {{"not", {{"anyOf", any}}}};
  any.push_back(std::move(none));
  out.conditions.push_back({{"oneOf", std::move(any)}});
}

Json finished(Object object) {
  Json schema = {{"type", "object"}, {"properties", std::move(object.properties)}};
  if (!object.required.empty()) schema["required"] = std::move(object.required);
  if (!object.conditions.empty()) schema["allOf"] = std::move(object.conditions);
  schema["additionalProperties"] = false;
  return schema;
}

Object keys_of(const Keys& keys, const void* fresh) {
  Object object;
  for (const Key& key : keys) add_key(object, key, fresh);
  return object;
}

/// The keys of all alternatives stand in the same map; each alternative excludes those of the others.
void add_union(Object& out, const Union& choice) {
  if (choice.alternatives.size() == 1) {  // a struct
    for (const Key& key : choice.alternatives.front().keys)
      add_key(out, key, choice.alternatives.front().fresh);
    return;
  }
  std::vector<Object> objects;
  for (const Alternative& each : choice.alternatives) {
    objects.push_back(keys_of(each.keys, each.fresh));
    for (const auto& [name, schema] : objects.back().properties.items())
      if (!out.properties.contains(name)) out.properties[name] = schema;
  }
  Json one_of = Json::array();
  const auto exclude_others = [&](Json& alternative, const Json* own) {
    for (const Object& other : objects)
      for (const auto& [name, schema] : other.properties.items())
        if (!own || !own->contains(name)) alternative["properties"][name] = false;
  };
  bool may_be_empty = choice.is_optional;
  for (std::size_t k = 0; k < objects.size(); ++k) {
    Json alternative = Json::object();
    exclude_others(alternative, &objects[k].properties);
    Json required = objects[k].required;
    const Keys& keys = choice.alternatives[k].keys;
    if (keys.empty()) {
      may_be_empty = true;
      continue;
    }
    if (std::find(required.begin(), required.end(), keys.front().name) == required.end())
      required.push_back(keys.front().name);
    alternative["required"] = std::move(required);
    if (!objects[k].conditions.empty()) alternative["allOf"] = objects[k].conditions;
    one_of.push_back(std::move(alternative));
  }
  if (may_be_empty) {
    Json alternative = Json::object();
    exclude_others(alternative, nullptr);
    one_of.push_back(std::move(alternative));
  }
  out.conditions.push_back({{"oneOf", std::move(one_of)}});
}

void add_range(Json& schema, const Spec& spec) {
  if (spec.range.above) schema["exclusiveMinimum"] = *spec.range.above;
  if (spec.range.at_least) schema["minimum"] = *spec.range.at_least;
  if (spec.range.below) schema["exclusiveMaximum"] = *spec.range.below;
  if (spec.range.at_most) schema["maximum"] = *spec.range.at_most;
}

}  // namespace

Json schema_of_map(const Keys& keys, const void* fresh) { return finished(keys_of(keys, fresh)); }

Json schema_of_union(const Union& choice) {
  if (choice.kind.empty()) {
    Object object;
    add_union(object, choice);
    return finished(std::move(object));
  }
  Json one_of = Json::array();
  for (const Alternative& each : choice.alternatives) {
    Object object;
    object.properties[std::string(choice.kind)] = {
        {"description", each.summary.empty() ? "Selects the alternative." : std::string(each.summary)},
        {"const", each.word}};
    object.required.push_back(choice.kind);
    for (const Key& key : each.keys) add_key(object, key, each.fresh);
    one_of.push_back(finished(std::move(object)));
  }
  return {{"oneOf", std::move(one_of)}};
}

Json number_schema(const Spec& spec) {
  Json schema = {{"type", spec.null ? Json::array({"number", "null"}) : Json("number")}};
  add_range(schema, spec);
  return schema;
}

Json integer_schema(const Spec& spec, double least, double most) {
  Json schema = {{"type", "integer"}};
  if (!spec.range.above && !spec.range.at_least && least == 0) schema["minimum"] = 0;
  if (most < 1e9 && !spec.range.below && !spec.range.at_most) schema["maximum"] = most;
  add_range(schema, spec);
  return schema;
}

Json numbers_schema(const Spec& spec, std::size_t count) {
  return {{"type", "array"}, {"items", number_schema(spec)}, {"minItems", count}, {"maxItems", count}};
}

Json square_schema(const Spec& spec, std::size_t size) {
  Spec row = spec;
  row.range = {};
  const Json rows = {
      {"type", "array"}, {"items", numbers_schema(row, size)}, {"minItems", size}, {"maxItems", size}};
  return {{"anyOf", Json::array({numbers_schema(spec, size), rows})}};
}

/// YAML has text without quotes: 2024 is a name too.
Json text_schema() { return {{"type", Json::array({"string", "number", "boolean"})}}; }

Json WordText::schema(const Spec&) {
  Json schema = text_schema();
  schema["minLength"] = 1;
  return schema;
}

Json internal::SourceCodec::schema(const Spec&) { return text_schema(); }

Json word_schema(const std::vector<std::string_view>& words) { return {{"enum", words}}; }

Json list_schema(const Spec& spec, Json items) {
  Json schema = {{"type", "array"}, {"items", std::move(items)}};
  if (spec.least_entries > 0) schema["minItems"] = spec.least_entries;
  if (spec.most_entries < std::numeric_limits<std::size_t>::max()) schema["maxItems"] = spec.most_entries;
  return schema;
}

}  // namespace fathom::fields
