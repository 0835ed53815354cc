#include "fathom/model/internal/thruster_section.hpp"

#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/model/fields.hpp"
#include "fathom/model/internal/thruster_reader.hpp"
#include "fathom/model/internal/value_reader.hpp"

namespace fathom::model::internal {
namespace {

using yaml::Field;
using yaml::Map;
using yaml::Origin;
using yaml::take_origin;

struct AsForceRange {
  std::optional<ForceRange> operator()(const Field& field) const {
    const auto v = field.numbers(2, "[min, max] in N");
    if (!v) return std::nullopt;
    return ForceRange{(*v)[0], (*v)[1]};
  }
};

/// What a top-level section defines for the thrusters to name.
template <class T>
struct Shared {
  std::map<std::string, T> entries;
  std::map<std::string, Field> unused;
};

template <class T>
Shared<T> read_shared(Map& root, std::string_view section, T (*read)(const Field&)) {
  Shared<T> shared;
  const auto field = root.take(section);
  if (!field) return shared;
  Map map(*field);
  const std::vector<std::string> names = map.names();
  for (const std::string& name : names) {
    const auto entry = map.take(name);
    if (name.empty()) entry->error("has an empty name", "a short word, such as t200_16v");
    shared.entries.emplace(name, read(*entry));
    shared.unused.emplace(name, *entry);
  }
  return shared;
}

template <class T>
void reject_unused(const Shared<T>& shared) {
  for (const auto& entry : shared.unused)
    entry.second.error("is named by no thruster", "name it in a thruster, or remove it");
}

struct SharedByThrusters {
  Shared<ThrusterMap> maps;
  Shared<Transient> transients;
};

/// A map or transient in place, or the name of a shared one.
template <class T>
void read_or_find(const Field& field, std::string_view section, Shared<T>& shared, T (*read)(const Field&),
                  const Origin& origin, std::optional<T>& out, std::string& out_name) {
  if (!field.is_scalar()) {
    out = read(field);
    if (out->source.empty() && !out->assumed) {
      out->source = origin.source;
      out->assumed = origin.assumed;
    }
    return;
  }
  const std::string name = field.text().value_or("");
  const auto found = shared.entries.find(name);
  if (found == shared.entries.end()) {
    std::vector<std::string_view> words;
    for (const auto& entry : shared.entries) words.push_back(entry.first);
    return field.error(
        fmt::format("= {}, expected a map of keys or a name defined in {}", in_quotes(name), section),
        did_you_mean(name, words));
  }
  out = found->second;
  out_name = name;
  shared.unused.erase(name);
}

Thruster read_thruster(const Field& field, SharedByThrusters& shared) {
  Thruster thruster;
  Map map(field);
  thruster.name = take_name(map);
  const Origin origin = take_origin(map);
  if (const auto f = map.require("position", "x, y, z in m, body axes"))
    read_value(*f, "m", AsVec3{"x, y, z in m, body axes"}, thruster.position_b);
  if (const auto f =
          map.require("direction", "of the force on the vehicle for positive thrust, such as [1, 0, 0]"))
    read_value(*f, "", AsVec3{"a direction in body axes"}, thruster.direction_b);
  if (const auto f = map.take("force")) {
    thruster.force.emplace();
    read_value(*f, "N", AsForceRange{}, *thruster.force);
    inherit(*thruster.force, origin);
  }
  if (const auto f = map.take("map"))
    read_or_find(*f, "thruster_maps", shared.maps, read_thruster_map, origin, thruster.map, thruster.map_name);
  if (const auto f = map.take("transient"))
    read_or_find(*f, "thruster_transients", shared.transients, read_transient, origin, thruster.transient,
                 thruster.transient_name);
  map.finish();
  inherit(thruster.position_b, origin);
  inherit(thruster.direction_b, origin);
  return thruster;
}

}  // namespace

std::vector<Thruster> read_thrusters(Map& root) {
  SharedByThrusters shared{read_shared(root, "thruster_maps", read_thruster_map),
                           read_shared(root, "thruster_transients", read_transient)};
  std::vector<Thruster> thrusters;
  if (const auto f = root.take("thrusters"))
    for (const Field& item : f->items()) thrusters.push_back(read_thruster(item, shared));
  reject_unused(shared.maps);
  reject_unused(shared.transients);
  return thrusters;
}

}  // namespace fathom::model::internal
