#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model_file/arm_file.hpp"
#include "fathom/model_file/internal/value_writer.hpp"

namespace fathom::model {
namespace {

using internal::flow_list;
using internal::number;
using internal::quote;
using internal::Writer;

/// `key: radians`, or `key_deg: degrees` where that is exact and shorter.
std::string angle_entry(const std::string& key, double radians, bool turns) {
  const std::string plain = number(radians);
  const auto degrees = turns ? internal::exact_degrees(radians) : std::nullopt;
  if (!degrees || number(*degrees).size() >= plain.size()) return key + ": " + plain;
  return key + "_deg: " + number(*degrees);
}

/// Roll, pitch and yaw that give the same quaternion back, in whole millionths of a degree if some do.
std::optional<Vec3> exact_angles(const Quat& q) {
  const Vec3 angles = euler_from_quaternion(q);
  Vec3 rounded;
  for (int i = 0; i < 3; ++i) {
    const double angle_deg = angles[i] * degrees;
    rounded[i] = std::round(angle_deg * 1e6) / 1e6 * degree + 0.0;
  }
  for (const Vec3& candidate : {rounded, angles})
    if (quaternion_from_euler(candidate).coeffs() == q.coeffs()) return candidate;
  return std::nullopt;
}

void write_origin(Writer& out, int depth, const Pose& pose) {
  out.line(depth, "origin:");
  out.line(depth + 1, "position: " + flow_list(pose.p_pc_p));
  const std::optional<Vec3> angles = exact_angles(pose.q_pc);
  if (angles && angles->isZero(0)) return;
  if (angles) return out.line(depth + 1, internal::attitude_line(*angles));
  const Quat& q = pose.q_pc;
  out.line(depth + 1, "quaternion: " + flow_list(Eigen::Vector4d(q.w(), q.x(), q.y(), q.z())));
}

void write_limits(Writer& out, int depth, const JointLimits& limits, bool turns) {
  std::vector<std::string> entries;
  for (const auto& [key, value] : {std::pair{"min", limits.min},
                                   {"max", limits.max},
                                   {"speed", limits.speed},
                                   {"acceleration", limits.acceleration}})
    if (std::isfinite(value)) entries.push_back(angle_entry(key, value, turns));
  if (std::isfinite(limits.effort)) entries.push_back("effort: " + number(limits.effort));
  if (!entries.empty()) out.line(depth, fmt::format("limits: {{{}}}", join(entries, ", ")));
}

void write_friction(Writer& out, int depth, const JointFriction& friction) {
  const auto is_said = [](const Value<double>& v) { return v.value != 0 || internal::has_more(v); };
  if (!is_said(friction.viscous) && !is_said(friction.coulomb_forward) && !is_said(friction.coulomb_backward))
    return;
  out.line(depth, "friction:");
  out.value(depth + 1, "viscous", friction.viscous);
  out.value(depth + 1, "coulomb_forward", friction.coulomb_forward);
  out.value(depth + 1, "coulomb_backward", friction.coulomb_backward);
}

std::string transmission_entry(const Gear& gear) {
  return fmt::format("gear: {{ratio: {}}}", number(gear.ratio));
}
std::string transmission_entry(const ScrewLever& lever) {
  return fmt::format("screw_lever: {{ratio: {}, pitch: {}, l1: {}, l2: {}, {}, sense: {}}}",
                     number(lever.ratio), number(lever.pitch), number(lever.l1), number(lever.l2),
                     angle_entry("offset", lever.offset, true), number(lever.sense));
}

void write_actuator(Writer& out, int depth, const Actuator& actuator) {
  out.line(depth, "actuator:");
  out.origin(depth + 1, actuator.source, actuator.assumed);
  out.line(depth + 1, std::visit([](const auto& of) { return transmission_entry(of); }, actuator.transmission));
  const JointMotor& motor = actuator.motor;
  out.line(depth + 1,
           fmt::format("motor: {{k_t: {}, inertia: {}, viscous: {}, coulomb: {}}}", number(motor.k_t),
                       number(motor.inertia), number(motor.viscous), number(motor.coulomb)));
  for (const auto& [key, value] : {std::pair{"current", actuator.current},
                                   {"speed", actuator.speed},
                                   {"acceleration", actuator.acceleration},
                                   {"increments", actuator.increments}})
    if (value) out.line(depth + 1, fmt::format("{}: {}", key, number(*value)));
}

void write_link(Writer& out, int depth, const Link& link) {
  out.line(depth, "link:");
  out.line(depth + 1, "name: " + quote(link.name));
  const Hull& body = link.body;
  out.value(depth + 1, "mass", body.mass);
  out.value(depth + 1, "inertia", body.inertia);
  out.value(depth + 1, "centre_of_mass", body.centre_of_mass);
  out.value(depth + 1, "volume", body.volume);
  out.value(depth + 1, "centre_of_buoyancy", body.centre_of_buoyancy);
  out.value(depth + 1, "added_mass", body.added_mass);
  if (!link.damping.empty()) out.line(depth + 1, "damping:");
  for (const DragElement& element : link.damping) internal::write_drag(out, depth + 2, element);
}

void write_joint(Writer& out, int depth, const Arm& arm, std::size_t k) {
  const Joint& joint = arm.joints()[k];
  const bool turns = joint.kind == Joint::Kind::revolute;
  out.line(depth, "- name: " + quote(joint.name));
  ++depth;
  out.origin(depth, joint.source, joint.assumed);
  out.line(depth, turns ? "kind: revolute" : "kind: prismatic");
  out.line(depth, "parent: " + (joint.parent ? quote(arm.links()[*joint.parent].name) : "base"));
  write_origin(out, depth, joint.zero);
  out.line(depth, "axis: " + flow_list(joint.axis));
  write_limits(out, depth, joint.limits, turns);
  write_friction(out, depth, joint.friction);
  if (joint.actuator) write_actuator(out, depth, *joint.actuator);
  write_link(out, depth, arm.links()[k]);
}

}  // namespace

std::string arm_to_yaml(const Arm& arm) {
  const ArmSpec& spec = arm.spec();
  Writer out;
  out.line(0, "format: fathom-arm-1");
  out.line(0, "arm:");
  out.line(1, "name: " + quote(spec.name));
  if (!spec.title.empty()) out.line(1, "title: " + quote(spec.title));
  if (!spec.notes.empty()) out.line(1, "notes: " + quote(spec.notes));
  out.line(1, "joints:");
  for (std::size_t k = 0; k < arm.size(); ++k) write_joint(out, 2, arm, k);
  return out.take();
}

void write_arm(const Arm& arm, const std::string& path) { write_file_atomically(path, arm_to_yaml(arm)); }

}  // namespace fathom::model
