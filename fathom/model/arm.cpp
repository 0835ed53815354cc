#include "fathom/model/arm.hpp"

#include <algorithm>

#include "fathom/base/file.hpp"
#include "fathom/model/arm_file.hpp"
#include "fathom/model/internal/arm_check.hpp"

namespace fathom::model {
namespace {

constexpr std::size_t largest_arm_file = 16u << 20;  // as fields/xml_file.hpp has it

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

Arm read_arm(const std::string& path) {
  const std::string text = read_file(path, largest_arm_file);
  return path.ends_with(".urdf") ? parse_urdf_arm(text, path) : parse_arm(text, path);
}

void write_arm(const Arm& arm, const std::string& path) { write_file_atomically(path, arm_to_yaml(arm)); }

}  // namespace fathom::model
