#include "fathom/exchange/import.hpp"

#include <algorithm>

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
