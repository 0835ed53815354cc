#include "fathom/model/held_joint.hpp"

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/model/lump.hpp"

namespace fathom::model {
namespace {

Pose pose_at(const Joint& joint, double q) {
  if (joint.kind == Joint::Kind::prismatic) return joint.zero * Pose{Quat::Identity(), q * joint.axis};
  return joint.zero * Pose{exp_rotation(q * joint.axis), Vec3::Zero()};
}

template <class T>
void replace(Value<T>& value, const T& by, const std::string& why) {
  value.value = by;
  value.sigma.reset();  // that of the link alone
  value.source += value.source.empty() ? why : ", " + why;
}

Lump lump_of(const Hull& body) { return {body.mass.value, body.centre_of_mass.value, body.inertia.value}; }

/// `tip`, whose frame stands at `pose` in the link's, becomes part of the link.
void weld(const Link& tip, const Pose& pose, const std::string& why, Link& link) {
  Hull& body = link.body;
  const Lump dry = joined({lump_of(body), seen_in(pose, lump_of(tip.body))});
  replace(body.mass, dry.mass, why);
  replace(body.centre_of_mass, dry.centre, why);
  replace(body.inertia, dry.inertia, why);
  const double volume = body.volume.value + tip.body.volume.value;
  if (volume > 0) {
    const Vec3 moment = body.volume.value * body.centre_of_buoyancy.value +
                        tip.body.volume.value * (pose * tip.body.centre_of_buoyancy.value);
    replace(body.volume, volume, why);
    replace(body.centre_of_buoyancy, Vec3(moment / volume), why);
  }
  const Mat6 H = twist_transform(pose);
  const Mat6 added = body.added_mass.value + H.transpose() * tip.body.added_mass.value * H;
  replace(body.added_mass, Mat6(0.5 * (added + added.transpose())), why);
  body.size.reset();
  body.symmetry = {};
  for (DragElement element : tip.damping) {
    const Pose seen = pose * element.pose();
    element.name = fmt::format("{}-{}", tip.name, element.name);
    replace(element.position_b, seen.p_pc_p, why);
    replace(element.attitude_rpy, euler_from_quaternion(seen.q_pc), why);
    link.damping.push_back(std::move(element));
  }
}

}  // namespace

Arm with_joint_held(const Arm& arm, std::size_t held, double q) {
  ArmSpec spec = arm.spec();
  const Joint joint = spec.joints.at(held);
  if (spec.joints.size() == 1) reject(joint.name, "is the only joint: with it held nothing moves");
  const Pose pose = pose_at(joint, q);
  const std::string why = fmt::format("with {} held at {:.6g}", joint.name, q);
  if (joint.parent) weld(spec.links[held], pose, why, spec.links[*joint.parent]);
  spec.joints.erase(spec.joints.begin() + static_cast<std::ptrdiff_t>(held));
  spec.links.erase(spec.links.begin() + static_cast<std::ptrdiff_t>(held));
  for (Joint& other : spec.joints) {
    if (!other.parent || *other.parent < held) continue;
    if (*other.parent == held) {
      other.zero = pose * other.zero;
      other.parent = joint.parent;
    } else {
      --*other.parent;
    }
  }
  return Arm::make(std::move(spec));
}

}  // namespace fathom::model
