#include "fathom/exchange/internal/gz_thruster_reader.hpp"

#include <set>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/exchange/internal/flu.hpp"
#include "fathom/exchange/internal/readers.hpp"

namespace fathom::exchange::internal {
namespace {

bool is_thruster(const XmlElement& plugin) {
  return plugin.attribute("name").value_or("").ends_with("::Thruster") ||
         plugin.attribute("filename").value_or("").find("thruster-system") != std::string::npos;
}

double number_or(const XmlElement& plugin, std::string_view tag, double otherwise) {
  const auto element = plugin.child(tag);
  return element ? element->number() : otherwise;
}

}  // namespace

void GzThrusterReader::lose(const XmlElement& element, const std::string& what, const std::string& remedy) {
  internal::lose(imported_, element, what, remedy);
}

void GzThrusterReader::read() {
  std::set<std::string> turned;
  for (const XmlElement& plugin : model_.children("plugin"))
    if (is_thruster(plugin)) {
      read_one(plugin);
      turned.insert(plugin.child("joint_name")->text());
    }
  for (const XmlElement& joint : model_.children("joint"))
    if (joint.attribute("type").value_or("") != "fixed" &&
        !turned.contains(joint.attribute("name").value_or("")))
      lose(joint,
           fmt::format("joint {} moves there, and is rigid here",
                       in_quotes(joint.attribute("name").value_or(""))),
           "a robot file holds one rigid body so far");
}

XmlElement GzThrusterReader::joint_of(const XmlElement& plugin) const {
  const XmlElement name = plugin.required_child("joint_name", "the joint on which the propeller turns");
  for (const XmlElement& joint : model_.children("joint"))
    if (joint.attribute("name").value_or("") == name.text()) return joint;
  name.reject_it("is " + in_quotes(name.text()) + ", which is no joint of the model");
}

Vec3 GzThrusterReader::axis_of(const XmlElement& joint, const XmlElement& axis_xyz) const {
  const Vec3 axis = axis_xyz.vector3();
  if (!(axis.norm() > 1e-9)) axis_xyz.reject_it("has length zero", "the direction of the thrust");
  const std::string frame = axis_xyz.attribute("expressed_in").value_or(joint.attribute("name").value_or(""));
  return from_base_.q_pc * (frames_.in_model(frame, axis_xyz).q_pc * axis);
}

void GzThrusterReader::read_one(const XmlElement& plugin) {
  const XmlElement joint = joint_of(plugin);
  const XmlElement child = joint.required_child("child", "the propeller's link");
  const XmlElement xyz = joint.required_child("axis", "the axis of the propeller")
                             .required_child("xyz", "the direction of the thrust");
  const std::string key = fmt::format("thrusters[{}]", imported_.spec.thrusters.size());
  model::Thruster thruster;
  thruster.name = printable(joint.attribute("name").value_or(""));
  thruster.position_b.value = swap_frd_flu((from_base_ * frames_.in_model(child.text(), child)).p_pc_p);
  thruster.direction_b.value = swap_frd_flu(axis_of(joint, xyz));
  read_command(plugin, key, thruster);
  note(imported_, key + ".position", child);
  note(imported_, key + ".direction", xyz);
  if (const auto band = plugin.child("deadband"))
    lose(*band, fmt::format("no force below {} N", band->number()), "give the thruster a map with a dead band");
  imported_.spec.thrusters.push_back(std::move(thruster));
}

/// In force mode the command is the force. In speed mode it is the shaft's, T = C rho D^4 |w| w, with C either
/// given or alpha_1 + alpha_2 (1 - wake) V / (w D).
void GzThrusterReader::read_command(const XmlElement& plugin, const std::string& key,
                                    model::Thruster& thruster) {
  const auto note = [&](const std::string& what, std::string_view tag) {
    if (const auto element = plugin.child(tag)) internal::note(imported_, key + what, *element);
  };
  const double most = number_or(plugin, "max_thrust_cmd", 1000),
               least = number_or(plugin, "min_thrust_cmd", -1000);
  const auto mode = plugin.child("use_angvel_cmd");
  if (!mode || !mode->yes_or_no()) {
    thruster.force.emplace().value = {least, most};
    note(".force.min", "min_thrust_cmd");
    note(".force.max", "max_thrust_cmd");
    return;
  }
  const double D = number_or(plugin, "propeller_diameter", 0.02);
  const double rho_D4 = number_or(plugin, "fluid_density", 1000) * D * D * D * D;
  model::ThrustCoefficients T;
  if (const auto fixed = plugin.child("thrust_coefficient")) {
    T.ww = fixed->number() * rho_D4;
    note(".map.T_ww", "thrust_coefficient");
  } else {
    T.ww = number_or(plugin, "alpha_1", 1) * rho_D4;
    T.wu = number_or(plugin, "alpha_2", 0) * (1 - number_or(plugin, "wake_fraction", 0.2)) * rho_D4 / D;
    note(".map.T_ww", "alpha_1");
    note(".map.T_wu", "alpha_2");
    if (T.wu != 0)
      lose(*plugin.child("alpha_2"), "inflow there is the speed of the propeller in any direction",
           "here it is the speed along the thruster");
  }
  if (T.ww < 0) {  // a propeller of the other hand: turning forwards it pulls backwards
    thruster.direction_b.value *= -1;
    T = {-T.ww, -T.wu};
  }
  thruster.map = model::ThrusterMap{{model::CommandUnit::rad_s, least, most, 0},
                                    model::Propeller{T, model::DirectShaft{}},
                                    std::nullopt,
                                    "",
                                    false};
}

}  // namespace fathom::exchange::internal
