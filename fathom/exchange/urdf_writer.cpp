#include <fmt/format.h>

#include "fathom/exchange/internal/flu.hpp"
#include "fathom/exchange/internal/gz_tags.hpp"
#include "fathom/exchange/internal/losses.hpp"
#include "fathom/exchange/internal/names.hpp"
#include "fathom/exchange/internal/writers.hpp"
#include "fathom/exchange/internal/xml_text.hpp"

namespace fathom::exchange::internal {
namespace {

void write_urdf_inertial(XmlText& out, const model::Hull& hull) {
  const Mat3 inertia_flu = swap_frd_flu(hull.inertia.value);
  const auto entry = [&](std::size_t k) {
    return number_text(inertia_flu(inertia_tags[k].i, inertia_tags[k].j));
  };
  out.open("inertial");
  out.empty("origin", {{"xyz", numbers_text(swap_frd_flu(hull.centre_of_mass.value))}, {"rpy", "0 0 0"}});
  out.empty("mass", {{"value", number_text(hull.mass.value)}});
  out.empty("inertia", {{"ixx", entry(0)},
                        {"ixy", entry(1)},
                        {"ixz", entry(2)},
                        {"iyy", entry(3)},
                        {"iyz", entry(4)},
                        {"izz", entry(5)}});
  out.close();
}

void write_urdf_shape(XmlText& out, const model::Hull& hull) {
  for (const char* what : {"visual", "collision"}) {
    out.open(what);
    out.empty("origin", {{"xyz", numbers_text(swap_frd_flu(hull.centre_of_buoyancy.value))}, {"rpy", "0 0 0"}});
    out.open("geometry");
    out.empty("box", {{"size", numbers_text(hull.size->value)}});
    out.close();
    out.close();
  }
}

}  // namespace

Exported to_urdf(const model::Robot& robot, const ExportOptions&) {
  const model::Hull& hull = robot.hull();
  XmlText out;
  out.open("robot", {{"name", plain_name(robot.name())}});
  out.comment("Axes forward, port, up (REP 103). Inertia of the dry body about its centre of mass.");
  out.open("link", {{"name", "base_link"}});
  write_urdf_inertial(out, hull);
  if (hull.size) write_urdf_shape(out, hull);
  out.close();
  Exported exported;
  exported.files = {{"robot.urdf", out.take()}};
  exported.losses = {
      {"hull.added_mass", "added mass", "URDF has no water in it; gz-sim, uuv-simulator and rdml do"},
      {"hull.volume", "displaced volume and centre of buoyancy", ""},
      {"damping", fmt::format("all {} drag elements", robot.damping().size()), ""}};
  if (!robot.thrusters().empty())
    exported.losses.push_back({"thrusters", fmt::format("all {} thrusters", robot.thrusters().size()), ""});
  add_common_losses(robot, exported.losses);
  return exported;
}

}  // namespace fathom::exchange::internal
