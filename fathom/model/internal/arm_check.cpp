#include "fathom/model/internal/arm_check.hpp"

#include <cmath>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/model/body_check.hpp"

namespace fathom::model::internal {
namespace {

constexpr double unit_length = 1e-9;  ///< how far axes and quaternions may be from it

void check_plain_name(Checker& check, const std::string& key, const std::string& name,
                      std::set<std::string>& seen) {
  if (name.empty())
    check.error(key, "is empty", "give each a name of its own");
  else if (!is_plain_name(name))
    check.error(key,
                fmt::format("= {}, expected at most 64 letters, digits, - and _, a letter or digit first",
                            in_quotes(name)),
                "columns of logs and parameters are named by it");
  else if (name == "base")
    check.error(key, "= 'base'", "that is what the arm stands on; another name");
  else if (!seen.insert(name).second)
    check.error(key, fmt::format("= {} is used twice", in_quotes(name)), "give each a name of its own");
}

void check_arm_names(Checker& check, const ArmSpec& spec) {
  if (!is_plain_name(spec.name))
    check.error("name",
                fmt::format("= {}, expected at most 64 letters, digits, - and _, a letter or digit first",
                            in_quotes(spec.name)),
                "names become file names; title is for people");
  std::set<std::string> joints, links;
  for (std::size_t k = 0; k < spec.joints.size(); ++k)
    check_plain_name(check, fmt::format("joints[{}].name", k), spec.joints[k].name, joints);
  for (std::size_t k = 0; k < spec.links.size(); ++k)
    check_plain_name(check, fmt::format("joints[{}].link.name", k), spec.links[k].name, links);
}

/// Likely slips of units. They stand here and not with the readers, so that every arm that exists can be read
/// again as it is written.
void check_reach(Checker& check, const Vec3& point, const std::string& key) {
  constexpr double longest = 100;  // m; no link is as long
  if (std::isfinite(point.norm()) && point.norm() > longest)
    check.error(key, fmt::format("is {:.4g} m away", point.norm()), "millimetres? Fathom wants m");
}

void check_turns_of(Checker& check, double end, const char* name, const std::string& key) {
  constexpr double ten_turns = 20 * std::numbers::pi, most_degrees = 400;  // more stands for "no end": 6283
  if (std::abs(end) > ten_turns && std::abs(end) <= most_degrees)
    check.error(fmt::format("{}.{}", key, name), fmt::format("= {:g} rad, more than ten turns", end),
                fmt::format("degrees? use {}_deg; leave it out for a joint without end", name));
}

void check_limits(Checker& check, const Joint& joint, const std::string& key) {
  const JointLimits& limits = joint.limits;
  if (joint.kind == Joint::Kind::revolute) {
    check_turns_of(check, limits.min, "min", key);
    check_turns_of(check, limits.max, "max", key);
  }
  if (!(limits.min < limits.max))
    check.error(key, fmt::format("go from {:g} to {:g}, must have min < max", limits.min, limits.max),
                "leave both out for a joint without end");
  for (const auto& [name, value] :
       {std::pair{"speed", limits.speed}, {"acceleration", limits.acceleration}, {"effort", limits.effort}})
    if (!(value > 0))
      check.error(fmt::format("{}.{}", key, name), fmt::format("= {:g}, must be > 0", value),
                  "the most in either direction; leave it out where nobody says");
}

void check_not_negative(Checker& check, const std::string& key, double value, const char* unit) {
  if (check.finite(key, value) && value < 0)
    check.error(key, fmt::format("= {}, must be >= 0: it would drive", value), unit);
}

void check_friction(Checker& check, const JointFriction& friction, const std::string& key) {
  for (const auto& [name, value] : {std::pair{"viscous", &friction.viscous},
                                    {"coulomb_forward", &friction.coulomb_forward},
                                    {"coulomb_backward", &friction.coulomb_backward}}) {
    const std::string place = fmt::format("{}.{}", key, name);
    check_not_negative(check, place, value->value, "taken from the motion, whichever way it goes");
    check.sigma(place, *value);
  }
}

void check_joint_actuator(Checker& check, const Joint& joint, const std::string& key) {
  const Actuator& actuator = *joint.actuator;
  if (joint.kind == Joint::Kind::prismatic && std::holds_alternative<ScrewLever>(actuator.transmission))
    check.error(key + ".screw_lever", "is on a prismatic joint",
                "a lever turns; use gear with turns per metre");
  else
    for (Finding& finding : check_transmission(actuator.transmission, joint.limits.min, joint.limits.max, key))
      check.findings.push_back(std::move(finding));
  const JointMotor& motor = actuator.motor;
  check.positive(key + ".motor.k_t", motor.k_t,
                 "N m/A on the motor's shaft; the sign of the motion is in the ratio");
  check_not_negative(check, key + ".motor.inertia", motor.inertia, "kg m^2, of all that turns with the shaft");
  check_not_negative(check, key + ".motor.viscous", motor.viscous, "N m s");
  check_not_negative(check, key + ".motor.coulomb", motor.coulomb, "N m");
  for (const auto& [name, value] : {std::pair{"current", actuator.current},
                                    {"speed", actuator.speed},
                                    {"acceleration", actuator.acceleration},
                                    {"increments", actuator.increments}})
    if (value) check.positive(fmt::format("{}.{}", key, name), *value, "leave it out where nobody says");
}

void check_joint(Checker& check, const Joint& joint, std::size_t k) {
  const std::string key = fmt::format("joints[{}]", k);
  if (joint.parent && *joint.parent >= k)
    check.error(key + ".parent", fmt::format("is link {}, which comes later", *joint.parent),
                "joints come after the ones that they sit on");
  check.finite(key + ".origin.position", joint.zero.p_pc_p);
  check_reach(check, joint.zero.p_pc_p, key + ".origin.position");
  if (!(std::abs(joint.zero.q_pc.norm() - 1) <= unit_length))
    check.error(key + ".origin", "has a quaternion that is not of length one", "w first, normalised");
  if (!(std::abs(joint.axis.norm() - 1) <= unit_length))
    check.error(key + ".axis", fmt::format("has length {:.6g}, must be 1", joint.axis.norm()),
                "the direction about or along which the joint moves, such as [0, 0, 1]");
  check_limits(check, joint, key + ".limits");
  check_friction(check, joint.friction, key + ".friction");
  if (joint.actuator) check_joint_actuator(check, joint, key + ".actuator");
}

void check_link(Checker& check, const Link& link, std::size_t k) {
  const std::string key = fmt::format("joints[{}].link", k);
  check_body(check, link.body, {key, "link", true});
  check_reach(check, link.body.centre_of_mass.value, key + ".centre_of_mass");
  std::set<std::string> names;
  for (std::size_t i = 0; i < link.damping.size(); ++i) {
    const std::string place = fmt::format("{}.damping[{}]", key, i);
    if (!names.insert(link.damping[i].name).second)
      check.error(place + ".name", fmt::format("= {} is used twice", in_quotes(link.damping[i].name)),
                  "give each a name of its own");
    check_damping_element(check, link.damping[i], place);
  }
}

}  // namespace

Findings check_arm(const ArmSpec& spec) {
  Checker check;
  check_arm_names(check, spec);
  if (spec.joints.empty()) check.error("joints", "is empty", "an arm has one joint at least");
  if (spec.joints.size() > most_arm_joints)
    check.error("joints", fmt::format("has {} entries, at most {}", spec.joints.size(), most_arm_joints),
                "several arms?");
  else if (spec.links.size() != spec.joints.size())
    check.error("joints", fmt::format("are {}, but links are {}", spec.joints.size(), spec.links.size()),
                "each joint moves one link");
  else
    for (std::size_t k = 0; k < spec.joints.size(); ++k) {
      check_joint(check, spec.joints[k], k);
      check_link(check, spec.links[k], k);
    }
  return check.findings;
}

}  // namespace fathom::model::internal
