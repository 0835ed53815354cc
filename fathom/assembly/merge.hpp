#pragma once
#include <span>
#include <string>
#include <vector>

#include "fathom/assembly/assembly.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::assembly {

struct MergeOptions {
  /// Where the merged robot's origin is: the common centre of mass keeps control simple; else that of the first
  /// module.
  enum class Origin { centre_of_mass, first_module } origin = Origin::centre_of_mass;
};

/// A cluster as one robot.
struct Merged {
  model::Robot robot;
  std::vector<Pose> poses;          ///< of each module of the cluster in the merged robot's frame
  std::vector<std::string> losses;  ///< what of the modules a robot file cannot say
};

/// Mass, inertia, added mass, drag elements, buoyancy, thrusters, sensors and free connectors of the cluster's
/// modules, moved to one origin, in the axes of the first (docs/assemblies.md eq. 10). Sigmas are carried
/// along: modules of one robot file err alike, others on their own.
Merged merge(const Assembly& assembly, std::size_t cluster, const MergeOptions& options = {});

/// A robot at a place, in a frame that all share.
struct PlacedRobot {
  std::string name;
  const model::Robot* robot = nullptr;
  std::string robot_file = {};  ///< empty where there is none
  Pose pose = {};
};
/// The same of robots that are rigidly joined where they are, however; the whole has no connectors.
Merged merge(std::span<const PlacedRobot> robots, const std::string& name, const MergeOptions& options = {});

}  // namespace fathom::assembly
