#include <fmt/format.h>

#include "fathom/exchange/internal/readers.hpp"

namespace fathom::exchange::internal {
namespace {

std::string text_of(const Place& place) {
  return fmt::format("{}:{} <{}>", std::filesystem::path(place.file).filename().string(), place.line,
                     place.tag);
}

/// The first and the last place, by line, of a key and all below it; empty where there is none.
std::string places_under(const std::map<std::string, Place>& places, const std::string& key) {
  const Place *first = nullptr, *last = nullptr;
  for (auto at = places.lower_bound(key); at != places.end() && at->first.starts_with(key); ++at) {
    if (at->first.size() > key.size() && at->first[key.size()] != '[' && at->first[key.size()] != '.') continue;
    if (!first || at->second.line < first->line) first = &at->second;
    if (!last || at->second.line >= last->line) last = &at->second;
  }
  if (!first) return "";
  if (first->line == last->line && first->tag == last->tag) return text_of(*first);
  return text_of(*first) + " to " + text_of(*last);
}

}  // namespace

void name_sources(Imported& imported) {
  const auto name = [&](auto& value, const std::string& key) {
    if (value.source.empty() && !value.assumed) value.source = places_under(imported.places, key);
  };
  model::RobotSpec& spec = imported.spec;
  name(spec.hull.mass, "hull.mass");
  name(spec.hull.inertia, "hull.inertia");
  name(spec.hull.centre_of_mass, "hull.centre_of_mass");
  name(spec.hull.volume, "hull.volume");
  name(spec.hull.centre_of_buoyancy, "hull.centre_of_buoyancy");
  name(spec.hull.added_mass, "hull.added_mass");
  if (spec.hull.size) name(*spec.hull.size, "hull.size");
  for (std::size_t k = 0; k < spec.damping.size(); ++k) {
    const std::string key = fmt::format("damping[{}]", k);
    name(spec.damping[k].linear, key + ".linear");
    name(spec.damping[k].quadratic, key + ".quadratic");
  }
  for (std::size_t k = 0; k < spec.thrusters.size(); ++k) {
    const std::string key = fmt::format("thrusters[{}]", k);
    name(spec.thrusters[k].position_b, key + ".position");
    name(spec.thrusters[k].direction_b, key + ".direction");
    if (spec.thrusters[k].force) name(*spec.thrusters[k].force, key + ".force");
    if (spec.thrusters[k].map) name(*spec.thrusters[k].map, key + ".map");
    if (spec.thrusters[k].transient) name(*spec.thrusters[k].transient, key + ".transient");
  }
}

}  // namespace fathom::exchange::internal
