#include "fathom/fields/key.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "fathom/base/text.hpp"

namespace fathom::fields {
namespace {

std::size_t errors(const yaml::Field& field) { return field.reading().findings().size(); }

/// An old spelling that the file does not have: no message offers it.
bool is_retired(const yaml::Map& map, const Key& spelling) {
  return spelling.is_deprecated && !map.has(spelling.name);
}

void take_all(yaml::Map& map, const Keys& keys, std::size_t count) {
  for (const Key& key : keys) {
    if (count-- == 0) return;
    if (key.parts) {
      if (!key.parts->kind.empty()) map.take(key.parts->kind);
      for (const Alternative& each : key.parts->alternatives) take_all(map, each.keys, each.keys.size());
    }
    if (!key.name.empty()) map.take(key.name);
    for (const Key& other : key.others)
      if (!is_retired(map, other)) map.take(other.name);
  }
}
void take_all(yaml::Map& map, const Keys& keys) { take_all(map, keys, keys.size()); }

bool is_present(const yaml::Map& map, const Key& key) {
  return map.has(key.name) ||
         std::any_of(key.others.begin(), key.others.end(), [&](const Key& k) { return map.has(k.name); });
}

/// The spelling that stands in the file, with its value; reports a second one.
struct Found {
  const Key* key = nullptr;
  std::optional<yaml::Field> field = {};
};
Found take(yaml::Map& map, const Key& key) {
  Found found;
  const auto add = [&](const Key& spelling) {
    auto field = is_retired(map, spelling) ? std::nullopt : map.take(spelling.name);
    if (!field) return;
    if (found.key)
      return field->error(fmt::format("stands beside {}", found.key->name),
                          std::string(spelling.given_with.empty() ? "give one of them" : spelling.given_with));
    found = {&spelling, std::move(field)};
  };
  add(key);
  for (const Key& other : key.others) add(other);
  if (found.key && found.key != &key) {
    std::string path = found.field->key();
    path.replace(path.size() - found.key->name.size(), found.key->name.size(), key.name);
    found.field->also_known_as(path);  // checks know the value by its main key
  }
  return found;
}

bool is_in_company(const yaml::Map& map, const Key& key, const yaml::Field& field) {
  const bool has_rival = !key.rival.empty() && map.has(key.rival);
  if (!has_rival && (key.companion.empty() || map.has(key.companion))) return true;
  field.error(
      has_rival ? fmt::format("stands beside {}", key.rival) : fmt::format("stands without {}", key.companion),
      std::string(key.company_hint));
  return false;
}

std::string listed(const Keys& keys) {
  std::string text;
  for (std::size_t k = 0; k < keys.size(); ++k)
    text += fmt::format("{}{}", k == 0 ? "" : k + 1 == keys.size() ? " and " : ", ", keys[k].name);
  return text;
}

/// The alternative whose key is present; reports two, or none where there must be one.
const Alternative* chosen_by_key(const yaml::Map& map, const yaml::Field& field, const Union& choice) {
  const auto deciding = [&](const Alternative& each) -> const Key* {
    for (const Key& key : each.keys) {
      if (is_present(map, key)) return &key;
      if (!choice.any_key_decides) break;
    }
    return nullptr;
  };
  if (!choice.noun.empty()) {
    const auto count = std::count_if(choice.alternatives.begin(), choice.alternatives.end(), deciding);
    if (count != 1 && field.is_map()) {
      field.error(count == 0 ? fmt::format("names no {}", choice.noun)
                             : fmt::format("names {} {}s", count, choice.noun),
                  std::string(choice.hint));
      return nullptr;
    }
  }
  const Alternative* found = nullptr;
  const Key* by = nullptr;
  const Alternative* none = nullptr;
  std::vector<std::string_view> names;
  for (const Alternative& each : choice.alternatives) {
    if (each.keys.empty()) {
      none = &each;
      continue;
    }
    names.push_back(each.keys.front().name);
    const Key* const key = deciding(each);
    if (!key) continue;
    if (found) {
      const auto shown = [&](const Alternative& one, const Key& k) {
        return choice.any_key_decides ? one.keys.front().name : k.name;
      };
      field.error(fmt::format("has both {} and {}", shown(*found, *by), shown(each, *key)),
                  choice.any_key_decides ? fmt::format("give {}, or {}", listed(found->keys), listed(each.keys))
                                         : "give one of them");
      return nullptr;
    }
    found = &each;
    by = key;
  }
  if (found || none || choice.is_optional) return found ? found : none;
  if (choice.any_key_decides) return &choice.alternatives.front();
  if (field.is_map())
    field.error(names.size() == 2 ? fmt::format("has neither {} nor {}", names[0], names[1])
                                  : fmt::format("has none of the keys {}", join(names, ", ")),
                choice.hint.empty() ? "give one of them" : std::string(choice.hint));
  return nullptr;
}

const Alternative* chosen_by_kind(yaml::Map& map, const Union& choice) {
  std::vector<std::string_view> words;
  for (const Alternative& each : choice.alternatives) words.push_back(each.word);
  const auto field =
      map.require(choice.kind, choice.hint.empty() ? "one of " + join(words, ", ") : std::string(choice.hint));
  const auto k = field ? yaml::choice(*field, words) : std::nullopt;
  return k ? &choice.alternatives[*k] : nullptr;
}

}  // namespace

bool Range::holds(double value) const {
  return (!above || value > *above) && (!at_least || value >= *at_least) && (!below || value < *below) &&
         (!at_most || value <= *at_most);
}

std::string Range::text() const {
  if (at_least && at_most && !above && !below) return fmt::format("must be {:g} to {:g}", *at_least, *at_most);
  std::vector<std::string> parts;
  if (above) parts.push_back(fmt::format("> {:g}", *above));
  if (at_least) parts.push_back(fmt::format(">= {:g}", *at_least));
  if (below) parts.push_back(fmt::format("< {:g}", *below));
  if (at_most) parts.push_back(fmt::format("<= {:g}", *at_most));
  return "must be " + join(parts, " and ");
}

Key& Key::was(std::string_view old_name) {
  Key old = *this;
  old.others.clear();
  old.name = old_name;
  old.is_deprecated = true;
  others.push_back(std::move(old));
  return *this;
}

Key internal::origin_keys(Key source, Key assumed) {
  assumed.doc("The assumption, and why it was made, where nobody measured or published the value.")
      .beside("a value is either taken from somewhere or assumed");
  return source.doc("Who measured or published the value.").or_key(std::move(assumed));
}

Key section_origin() {
  Key key = internal::origin_keys(self<yaml::Origin, internal::SourceCodec>("source"),
                                  self<yaml::Origin, internal::AssumedCodec>("assumed"));
  key.is_section_origin = true;
  return key;
}

void report(const yaml::Field& field, const std::string& message, std::string_view hint) {
  yaml::Reading& reading = field.reading();
  reading.error(field.key(), yaml::nearest_line(reading.lines(), field.key()), message, std::string(hint));
}

void read_map(const yaml::Field& field, const Keys& keys, void* object) {
  yaml::Map map(field);
  read_keys(map, field, keys, object);
  map.finish();
}

void read_keys(yaml::Map& map, const yaml::Field& field, const Keys& keys, void* object) {
  yaml::Origin origin;
  std::set<std::string_view> given, unread;
  for (const Key& key : keys) {
    const bool is_open = key.sibling.empty() || !unread.contains(key.sibling);
    if (is_open && key.is_known_for && !key.is_known_for(object)) continue;
    if (key.parts) {
      read_union(map, field, *key.parts, key.part(object));
      continue;
    }
    const bool is_required = key.presence == Key::Presence::required ||
                             (key.is_required_for && is_open && key.is_required_for(object));
    if (is_required && !is_present(map, key)) {
      map.require(key.name, key.required_hint);
      unread.insert(key.name);
    }
    const Found found = take(map, key);
    if (!found.key || !is_open || !is_in_company(map, key, *found.field)) continue;
    given.insert(key.name);
    const std::size_t before = errors(field);
    found.key->read(*found.field, found.key->spec, key.is_section_origin ? &origin : object);
    if (errors(field) != before) unread.insert(key.name);
  }
  if (origin.source.empty() && !origin.assumed) return;
  for (const Key& key : keys)
    if (key.inherit && (!key.inherits_if_given || given.contains(key.name))) key.inherit(object, origin);
}

void read_union(yaml::Map& map, const yaml::Field& field, const Union& choice, void* variant) {
  const bool by_kind = !choice.kind.empty();
  const Alternative* chosen = by_kind ? chosen_by_kind(map, choice) : chosen_by_key(map, field, choice);
  for (const Alternative& each : choice.alternatives) {
    if (&each == chosen)
      read_keys(map, field, each.keys, each.emplace(variant));
    else if (!chosen)
      take_all(map, each.keys);  // no word about keys that one of the alternatives has
    else if (!by_kind)
      take_all(map, each.keys, choice.any_key_decides ? each.keys.size() : 1);
  }
}

namespace {

void write_key(Json& out, const Key& key, const void* object, const void* fresh) {
  if (key.is_section_origin || (key.is_known_for && !key.is_known_for(object))) return;
  if (key.parts) return write_union(out, *key.parts, key.part(const_cast<void*>(object)));
  const Key* spelling = &key;
  Json json = absent();
  for (const Key& other : key.others)
    if (other.is_preferred && json.is_discarded()) json = (spelling = &other)->write(object, other.spec);
  if (json.is_discarded()) json = (spelling = &key)->write(object, key.spec);
  for (const Key& other : key.others)
    if (!other.is_deprecated && json.is_discarded()) json = (spelling = &other)->write(object, other.spec);
  if (json.is_discarded()) return;
  if (key.presence == Key::Presence::optional && json == spelling->write(fresh, spelling->spec)) return;
  out[std::string(spelling->name)] = std::move(json);
}

void write_keys(Json& out, const Keys& keys, const void* object, const void* fresh) {
  for (const bool is_head : {true, false})
    for (const Key& key : keys)
      if (key.is_head == is_head) write_key(out, key, object, fresh);
}

}  // namespace

Json write_map(const Keys& keys, const void* object, const void* fresh) {
  Json out = Json::object();
  write_keys(out, keys, object, fresh);
  return out;
}

void write_union(Json& out, const Union& choice, const void* variant) {
  for (const Alternative& each : choice.alternatives) {
    const void* const object = each.get(variant);
    if (!object) continue;
    if (!choice.kind.empty()) out[std::string(choice.kind)] = each.word;
    write_keys(out, each.keys, object, each.fresh);
  }
}

}  // namespace fathom::fields
