#pragma once
#include <map>
#include <optional>
#include <string>

#include "fathom/fields/xml_file.hpp"
#include "fathom/geometry/pose.hpp"

namespace fathom::exchange::internal {

/// m^3 of the body in a <geometry> of SDF; nothing for a mesh and what has no volume. Throws InputError where a
/// size is not positive.
std::optional<double> volume_of_geometry(const XmlElement& geometry);

/// The pose that a <pose> of SDF states, in its own axes: roll, pitch, yaw in radians or degrees, or a
/// quaternion. An empty one is the identity.
Pose stated_pose(const XmlElement& pose);

/// The frames of one <model>: itself, its links, joints and <frame>s, by the rules of SDF 1.7 and later
/// (relative_to, attached_to, joints relative to their child).
class SdfFrames {
 public:
  explicit SdfFrames(const XmlElement& model);

  /// The pose of a link, joint or frame in the model. Throws InputError where it is not there or where frames
  /// go round in a circle.
  Pose in_model(const std::string& name, const XmlElement& asked_by) const;
  /// The pose in the model of something (a collision, an inertial) that stands in `parent`, with its own
  /// <pose>.
  Pose of_part(const XmlElement& part, const std::string& parent) const;

 private:
  struct Frame {
    XmlElement element;
    std::string usual_parent;  ///< what its pose is relative to where it does not say
  };
  Pose resolve(const std::string& name, const XmlElement& asked_by, int depth) const;

  std::map<std::string, Frame> frames_;
};

}  // namespace fathom::exchange::internal
