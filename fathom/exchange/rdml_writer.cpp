#include <fmt/format.h>

#include "fathom/exchange/internal/drag_at_origin.hpp"
#include "fathom/exchange/internal/losses.hpp"
#include "fathom/exchange/internal/names.hpp"
#include "fathom/exchange/internal/rdml_names.hpp"
#include "fathom/exchange/internal/writers.hpp"
#include "fathom/exchange/internal/xml_text.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::exchange::internal {
namespace {

constexpr std::string_view rdml = "RDML";

void write_rdml_six(XmlText& xml, const char* tag, const std::array<const char*, 6>& names,
                    const Vec6& positive) {
  const auto value = [&](int k) {
    return Attribute(names[static_cast<std::size_t>(k)], number_text(-positive[k]));
  };
  xml.empty(tag, {value(0), value(1), value(2), value(3), value(4), value(5)});
}

void write_rdml_point(XmlText& xml, const char* tag, const Vec3& v) {
  xml.empty(tag, {{"x", number_text(v.x())}, {"y", number_text(v.y())}, {"z", number_text(v.z())}});
}

void lose_rdml_of_inertia(const model::Hull& hull, std::vector<Loss>& losses) {
  const Mat3& I = hull.inertia.value;
  if (!I.isDiagonal(0))
    losses.push_back(
        {"hull.inertia",
         fmt::format("nothing in the file, but RDML's reader: it is known to put products of inertia "
                     "(ixy {}, ixz {}, iyz {}) above the diagonal alone, so that M is not symmetric",
                     I(0, 1), I(0, 2), I(1, 2)),
         "look at M there, or align the axes with the principal ones"});
  if (hull.size) losses.push_back({"hull.size", "the bounding box", "describe it as <collision> of the URDF"});
}

void lose_rdml_thrusters(const model::Robot& robot, std::vector<Loss>& losses) {
  for (std::size_t k = 0; k < robot.thrusters().size(); ++k)
    losses.push_back({fmt::format("thrusters[{}]", k),
                      fmt::format("place and direction of '{}': they are joints of the URDF and the thruster "
                                  "allocation matrix of the controllers",
                                  robot.thrusters()[k].name),
                      "export to UUV Simulator has both"});
  lose_how_thrusters_act(robot, "RDML's block", losses);
}

}  // namespace

Exported to_rdml(const model::Robot& robot, const ExportOptions& options) {
  const model::Hull& hull = robot.hull();
  const model::Environment& water = options.environment;
  Exported exported;
  const OneDrag drag = one_drag(robot, rdml, exported.losses);
  // RDML has [m I, -m S(r); m S(r), I]: its inertia is about the body origin; docs/model.md eq. 7.
  const Mat3 S = skew(hull.centre_of_mass.value);
  const Mat3 I = hull.centre_of_mass.value.isZero(0) ? hull.inertia.value
                                                     : Mat3(hull.inertia.value - hull.mass.value * S * S);
  XmlText xml;
  xml.comment(
      "hydrodynamics as RDML's controllers read them, written by Fathom; axes forward, starboard, down");
  xml.open("robot", {{"name", robot.name()}});
  xml.open("hydrodynamics");
  xml.open("inertial");
  xml.empty("mass", {{"value", number_text(hull.mass.value)}});
  xml.comment("about the body origin");
  xml.empty("inertia", {{"ixx", number_text(I(0, 0))},
                        {"ixy", number_text(I(0, 1))},
                        {"ixz", number_text(I(0, 2))},
                        {"iyy", number_text(I(1, 1))},
                        {"iyz", number_text(I(1, 2))},
                        {"izz", number_text(I(2, 2))}});
  write_rdml_point(xml, "center_of_gravity", hull.centre_of_mass.value);
  write_rdml_six(xml, "added_mass", rdml_added_mass,
                 diagonal_of(hull.added_mass.value, "hull.added_mass", rdml, exported.losses));
  xml.close();
  xml.open("damping");
  write_rdml_six(xml, "linear", rdml_linear, diagonal_of(drag.linear, "damping.linear", rdml, exported.losses));
  write_rdml_six(xml, "quadratic", rdml_quadratic, drag.quadratic);
  xml.close();
  xml.open("hydrostatics");
  xml.empty("buoyancy", {{"value", number_text(water.density() * water.gravity() * hull.volume.value)},
                         {"density", number_text(water.density())},
                         {"gravity", number_text(water.gravity())}});
  write_rdml_point(xml, "center_of_buoyancy", hull.centre_of_buoyancy.value);
  exported.files.push_back({ros_name(robot.name()) + ".urdf", xml.take()});
  lose_rdml_of_inertia(hull, exported.losses);
  lose_rdml_thrusters(robot, exported.losses);
  add_common_losses(robot, exported.losses);
  return exported;
}

}  // namespace fathom::exchange::internal
