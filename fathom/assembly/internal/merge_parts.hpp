#pragma once
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fathom/assembly/merge.hpp"
#include "fathom/geometry/pose.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::assembly::internal {

/// A module of a cluster, as `merge` needs it.
struct MergePart {
  std::string name;
  const model::Robot* robot = nullptr;
  std::string robot_file = {};                    ///< empty where there is none
  Pose pose = {};                                 ///< in a frame that all parts share
  std::vector<model::Connector> connectors = {};  ///< those that are free
};

/// Parts as one robot, in the axes of the first.
Merged merge_parts(std::vector<MergePart> parts, const std::string& name, const MergeOptions& options);

/// Of one robot file, or without files of one name: then their errors are the same errors.
bool are_alike(const MergePart& a, const MergePart& b);
/// Without repetition, and how many there are of each.
std::string robots_of(std::span<const MergePart> parts);

/// Names that are all different: `part-thing`, with a number behind it where that is taken.
class Names {
 public:
  std::string take(const std::string& part, const std::string& thing);

 private:
  std::set<std::string> taken_;
};

// Each adds to `spec` what it is called, and to `losses` what cannot be said.
void merge_hulls(std::span<const MergePart> parts, model::RobotSpec& spec, std::vector<std::string>& losses);
void merge_symmetry(std::span<const MergePart> parts, model::RobotSpec& spec);
void merge_drag(std::span<const MergePart> parts, model::RobotSpec& spec);
void merge_thrusters(std::span<const MergePart> parts, model::RobotSpec& spec,
                     std::vector<std::string>& losses);
void merge_sensors(std::span<const MergePart> parts, model::RobotSpec& spec, std::vector<std::string>& losses);
void merge_connectors(std::span<const MergePart> parts, model::RobotSpec& spec);

/// A place on a part as one on the whole, and a direction; sigmas go along.
void move_position(const Pose& pose, model::Value<Vec3>& position);
void turn_direction(const Pose& pose, model::Value<Vec3>& direction);
void turn_attitude(const Pose& pose, model::Value<Vec3>& attitude_rpy);

/// What rounding leaves of a turn by 90 degrees is zero, and zero has no sign.
double without_rounding(double value, double scale);
Vec3 without_rounding(const Vec3& value, double scale);

}  // namespace fathom::assembly::internal
