#include "fathom/exchange/import.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/exchange/internal/readers.hpp"
#include "fathom/fields/xml_file.hpp"

namespace fathom::exchange {

namespace {

/// UUV Simulator's plug-ins stand in <gazebo> of URDF, and in SDF for Gazebo Classic.
bool has_uuv_plugin(const XmlElement& root) {
  return std::ranges::any_of(root.descendants("plugin"), [](const XmlElement& plugin) {
    const std::string file = plugin.attribute("filename").value_or("");
    return file.find("uuv_") != std::string::npos || file.find("underwater_object") != std::string::npos;
  });
}

Format format_of(const XmlElement& root) {
  if (has_uuv_plugin(root)) return Format::uuv_simulator;
  if (root.name() == "sdf") return Format::gz_sim;
  if (root.name() != "robot")
    root.reject_it("begins neither with <sdf> nor with <robot>",
                   "models that can be read: SDF of Gazebo Sim, URDF of UUV Simulator or RDML");
  if (!root.descendants("hydrodynamics").empty()) return Format::rdml;
  root.reject_it("is URDF without hydrodynamics: neither UUV Simulator's plug-ins nor RDML's <hydrodynamics>",
                 "URDF alone holds inertias; a robot file needs volume, added mass and damping too");
}

Imported read_model(const XmlFile& xml) {
  internal::reject_xacro(xml.root());
  switch (format_of(xml.root())) {
    case Format::uuv_simulator: return internal::read_uuv_simulator(xml);
    case Format::rdml: return internal::read_rdml(xml);
    case Format::gz_sim:
    case Format::urdf:
    case Format::stonefish:
    case Format::matlab: break;
  }
  return internal::read_gz_sim(xml);
}

}  // namespace

Imported parse_model(const std::string& text, const std::string& file) {
  Imported imported = read_model(XmlFile(text, file));
  internal::name_sources(imported);
  return imported;
}

Imported import_model(const std::filesystem::path& path) {
  return parse_model(read_file(path, most_xml_bytes), path.string());
}

}  // namespace fathom::exchange

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

void reject_below(const XmlElement& element) {
  if (element.name().starts_with("xacro:"))
    element.reject_it("is a macro of xacro, which is not expanded here",
                      "run `xacro file.xacro > file.urdf` first, and give the result");
  const std::string text = element.text();
  if (text.find("${") != std::string::npos || text.find("$(") != std::string::npos)
    element.reject_it("holds an expression of xacro, which is not evaluated here",
                      "run `xacro file.xacro > file.urdf` first, and give the result");
  for (const XmlElement& child : element.children()) reject_below(child);
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

void reject_xacro(const XmlElement& root) { reject_below(root); }

}  // namespace fathom::exchange::internal
