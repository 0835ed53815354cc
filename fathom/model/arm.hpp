#pragma once
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "fathom/geometry/pose.hpp"
#include "fathom/model/actuator.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::model {

/// More joints than any arm has: what costs as the square of their number stays quick.
inline constexpr std::size_t most_arm_joints = 256;

/// Friction at the joint itself, beside what its motor has: -viscous dq - coulomb sign(dq), with a number for
/// each direction.
struct JointFriction {
  Value<double> viscous;           ///< N m s/rad or N s/m
  Value<double> coulomb_forward;   ///< N m or N, dq > 0
  Value<double> coulomb_backward;  ///< dq < 0
};

struct JointLimits {
  double min = -std::numeric_limits<double>::infinity(),
         max = std::numeric_limits<double>::infinity();  ///< rad, m
  double speed = std::numeric_limits<double>::infinity();
  double acceleration = std::numeric_limits<double>::infinity();
  double effort = std::numeric_limits<double>::infinity();  ///< N m or N
};

/// Moves a link against its parent.
struct Joint {
  enum class Kind { revolute, prismatic };

  std::string name;
  Kind kind = Kind::revolute;
  std::optional<std::size_t> parent;  ///< the link that it sits on, an earlier one; without: the base
  Pose zero;                          ///< of the moved link's frame in the parent's, at q = 0
  Vec3 axis = Vec3::UnitZ();          ///< of length one, in the moved link's frame
  JointLimits limits;
  JointFriction friction;
  std::optional<Actuator> actuator;  ///< without: the effort itself is the command
  std::string source;                ///< of pose, axis and limits
  bool assumed = false;
};

/// What one joint moves: a body in water as a vehicle's hull is, its numbers in the link's own frame.
struct Link {
  std::string name;
  Hull body;
  std::vector<DragElement> damping;
};

/// An arm before it is checked. Link k is what joint k moves; joints come after those of their parents.
struct ArmSpec {
  std::string name;
  std::string title;
  std::string notes;
  std::vector<Joint> joints;
  std::vector<Link> links;
  std::vector<std::string>
      notes_of_reading;  ///< what its file has and an arm has not: meshes, frames that were merged
};

/// A checked arm, chain or tree: immutable, its links bodies that exist.
class Arm {
 public:
  /// Throws InputError that lists everything wrong with `spec`.
  static Arm make(ArmSpec spec);

  const ArmSpec& spec() const { return spec_; }
  const std::string& name() const { return spec_.name; }
  std::size_t size() const { return spec_.joints.size(); }
  const std::vector<Joint>& joints() const { return spec_.joints; }
  const std::vector<Link>& links() const { return spec_.links; }
  bool has_motor() const;  ///< at one of its joints

 private:
  explicit Arm(ArmSpec spec) : spec_(std::move(spec)) {}
  ArmSpec spec_;
};

/// Frame of a joint by Khalil and Kleinfinger's parameters of a tree (1986; Leborne et al. 2018, Table II):
/// turned by gamma and moved by b along the parent's z, then turned by alpha and moved by d along x, then
/// turned by theta and moved by r along the new z, which is the joint's axis.
struct KhalilKleinfinger {
  double gamma = 0, b = 0, alpha = 0, d = 0, theta = 0, r = 0;  ///< rad, m
};
Pose pose_of(const KhalilKleinfinger& parameters);

}  // namespace fathom::model
