#pragma once
#include "fathom/exchange/import.hpp"
#include "fathom/exchange/internal/sdf_frames.hpp"
#include "fathom/fields/xml_file.hpp"

namespace fathom::exchange::internal {

/// The Thruster plug-ins of a model of Gazebo Sim, each with its joint and propeller, as thrusters of a robot;
/// and the joints that no thruster turns, as losses.
class GzThrusterReader {
 public:
  /// `from_base` is the model's frame in the body's, both FLU.
  GzThrusterReader(const XmlElement& model, const SdfFrames& frames, const Pose& from_base, Imported& imported)
      : model_(model), frames_(frames), from_base_(from_base), imported_(imported) {}

  void read();

 private:
  void read_one(const XmlElement& plugin);
  void read_command(const XmlElement& plugin, const std::string& key, model::Thruster& thruster);
  XmlElement joint_of(const XmlElement& plugin) const;
  Vec3 axis_of(const XmlElement& joint, const XmlElement& axis_xyz) const;
  void lose(const XmlElement& element, const std::string& what, const std::string& remedy);

  const XmlElement& model_;
  const SdfFrames& frames_;
  const Pose from_base_;
  Imported& imported_;
};

}  // namespace fathom::exchange::internal
