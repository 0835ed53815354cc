#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/fields/xml_file.hpp"
#include "fathom/model/arm.hpp"
#include "fathom/model/lump.hpp"

namespace fathom::model::internal {

struct UrdfLink {
  std::string name;
  XmlElement element;
  std::optional<Lump> dry;  ///< in the link's frame, not judged
};

struct UrdfJoint {
  enum class Type { revolute, continuous, prismatic, fixed };
  std::string name;
  XmlElement element;
  Type type = Type::fixed;
  std::size_t parent = 0, child = 0;  ///< links
  Pose origin = {};                   ///< of the child in its parent
  Vec3 axis = Vec3::UnitX();          ///< of length one
  JointLimits limits = {};
  double damping = 0, friction = 0;
};

/// The links and joints of a URDF as they stand there: a tree with one root.
struct UrdfTree {
  std::string name;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  std::size_t root = 0;
  std::vector<std::vector<std::size_t>> joints_on;  ///< by link, in the order of the file
  std::vector<std::string> notes;                   ///< what was not read, or taken for something else
};

/// Throws InputError that lists everything wrong: joints of unknown types, numbers that are none, loops,
/// several roots. Why not by urdfdom: it knows no lines, and says nothing of inertias that no body has.
UrdfTree read_urdf_tree(const XmlFile& file);

}  // namespace fathom::model::internal
