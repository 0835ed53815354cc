#include "fathom/model/arm.hpp"

#include <algorithm>

#include "fathom/model/internal/arm_check.hpp"

namespace fathom::model {
namespace {

Pose turned_and_moved(const Vec3& axis, double angle, double distance) {
  return {exp_rotation(angle * axis), distance * axis};
}

}  // namespace

Arm Arm::make(ArmSpec spec) {
  const Findings findings = internal::check_arm(spec);
  if (has_errors(findings)) throw InputError(findings);
  return Arm(std::move(spec));
}

bool Arm::has_motor() const {
  return std::any_of(joints().begin(), joints().end(),
                     [](const Joint& joint) { return joint.actuator.has_value(); });
}

Pose pose_of(const KhalilKleinfinger& p) {
  return turned_and_moved(Vec3::UnitZ(), p.gamma, p.b) * turned_and_moved(Vec3::UnitX(), p.alpha, p.d) *
         turned_and_moved(Vec3::UnitZ(), p.theta, p.r);
}

}  // namespace fathom::model
