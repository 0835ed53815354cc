#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "fathom/model/arm.hpp"
#include "fathom/model/test/compare.hpp"
#include "fathom/model_file/arm_file.hpp"

namespace fathom::model::test {

inline std::filesystem::path arms_folder() { return std::filesystem::path(FATHOM_SOURCE_DIR) / "data/arms"; }

/// Every arm that ships.
inline std::vector<Arm> all_arms() {
  std::vector<Arm> arms;
  for (const auto& entry : std::filesystem::directory_iterator(arms_folder()))
    if (entry.path().extension() == ".yaml") arms.push_back(read_arm(entry.path().string()));
  return arms;
}

/// A chain of two: an upper arm that turns, a slide on it.
inline ArmSpec small_arm() {
  ArmSpec spec;
  spec.name = "small";
  for (const char* name : {"turn", "slide"}) {
    Joint joint;
    joint.name = name;
    if (!spec.joints.empty()) {
      joint.kind = Joint::Kind::prismatic;
      joint.parent = 0;
    }
    joint.limits.min = -1;
    joint.limits.max = 1;
    spec.joints.push_back(joint);
    Link link;
    link.name = std::string(name) + "-link";
    link.body.mass.value = 2;
    link.body.inertia.value = Vec3(0.02, 0.03, 0.04).asDiagonal();
    link.body.volume.value = 1e-3;
    spec.links.push_back(link);
  }
  return spec;
}

/// The first thing in which two arms differ, in any bit; "" if in nothing.
inline std::string difference(const Arm& a, const Arm& b) {
  Comparison c;
  c.plain("name", a.name(), b.name());
  c.plain("title", a.spec().title, b.spec().title);
  c.plain("notes", a.spec().notes, b.spec().notes);
  c.plain("size", a.size(), b.size());
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    const Joint &j = a.joints()[k], &i = b.joints()[k];
    c.plain(j.name, j.name, i.name);
    c.plain(j.name + " kind", j.kind, i.kind);
    c.plain(j.name + " parent", j.parent, i.parent);
    c.plain(j.name + " source", j.source, i.source);
    c.plain(j.name + " assumed", j.assumed, i.assumed);
    c.plain(j.name + " place", Vec3(j.zero.p_pc_p), Vec3(i.zero.p_pc_p));
    c.plain(j.name + " attitude", Eigen::Vector4d(j.zero.q_pc.coeffs()), Eigen::Vector4d(i.zero.q_pc.coeffs()));
    c.plain(j.name + " axis", j.axis, i.axis);
    for (const auto member : {&JointLimits::min, &JointLimits::max, &JointLimits::speed,
                              &JointLimits::acceleration, &JointLimits::effort})
      c.plain(j.name + " limits", j.limits.*member, i.limits.*member);
    for (const auto member :
         {&JointFriction::viscous, &JointFriction::coulomb_forward, &JointFriction::coulomb_backward})
      c.values(j.name + " friction", j.friction.*member, i.friction.*member);
    c.plain(j.name + " has an actuator", j.actuator.has_value(), i.actuator.has_value());
    if (j.actuator && i.actuator) {
      c.plain(j.name + " transmission", j.actuator->transmission, i.actuator->transmission);
      c.plain(j.name + " motor", j.actuator->motor, i.actuator->motor);
      c.plain(j.name + " actuator source", j.actuator->source, i.actuator->source);
      c.plain(j.name + " actuator assumed", j.actuator->assumed, i.actuator->assumed);
      for (const auto member :
           {&Actuator::current, &Actuator::speed, &Actuator::acceleration, &Actuator::increments})
        c.plain(j.name + " actuator", (*j.actuator).*member, (*i.actuator).*member);
    }
    const Link &m = a.links()[k], &n = b.links()[k];
    c.plain(m.name, m.name, n.name);
    compare(c, m.body, n.body);
    c.plain(m.name + " drag elements", m.damping.size(), n.damping.size());
    for (std::size_t d = 0; d < std::min(m.damping.size(), n.damping.size()); ++d)
      compare(c, m.damping[d], n.damping[d]);
  }
  return c.difference();
}

}  // namespace fathom::model::test
