#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/exchange/import.hpp"
#include "fathom/fields/xml_file.hpp"
#include "fathom/geometry/pose.hpp"

namespace fathom::exchange::internal {

/// Links and joints of a URDF or SDF of UUV Simulator, and its plug-ins.
class UuvModel {
 public:
  /// Throws InputError where there is no link with hydrodynamics, or it is not among the links of the model.
  explicit UuvModel(const XmlElement& root);

  bool is_sdf() const { return is_sdf_; }
  const XmlElement& element() const { return model_; }
  const XmlElement& plugin() const { return plugin_; }  ///< of the underwater object
  const XmlElement& hydro() const { return hydro_; }    ///< <link> of the plug-in
  const XmlElement& base() const { return base_; }      ///< <link> of the model of the same name
  std::vector<XmlElement> thruster_plugins() const;
  std::vector<XmlElement> links() const { return model_.children("link"); }

  /// Where and how a thruster stands on the base link: its link's frame and the axis of its joint, in axes
  /// forward, port, up. Throws InputError where it hangs on nothing.
  struct Mount {
    Vec3 position_flu = Vec3::Zero(), axis_flu = Vec3::UnitX();
    std::string joint;   ///< its name, empty without one
    XmlElement element;  ///< that states the pose
  };
  std::optional<Mount> mount_of(const XmlElement& thruster_plugin) const;

 private:
  Mount urdf_mount(const XmlElement& joint) const;
  Mount sdf_mount(const XmlElement& joint) const;

  bool is_sdf_;
  XmlElement model_, plugin_, hydro_, base_;
};

/// position and rpy of an <origin> of URDF; the identity without one.
Pose urdf_origin(const XmlElement& parent);
/// <pose> of SDF; the identity without one.
Pose sdf_pose(const XmlElement& parent);

/// <thrusterID>s in order, with maps, transients and limits; thruster_manager.yaml and TAM.yaml beside the
/// file.
void read_uuv_thrusters(const UuvModel& model, Imported& imported);
/// What lies beside `file`, or in config/ there.
void read_manager_files(const std::string& file, Imported& imported);

}  // namespace fathom::exchange::internal
