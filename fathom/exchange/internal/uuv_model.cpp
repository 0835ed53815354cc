#include "fathom/exchange/internal/uuv_model.hpp"

#include <map>

namespace fathom::exchange::internal {
namespace {

/// Older versions have no uuv_ in the names: libthruster_ros_plugin.so.
bool is_plugin(const XmlElement& plugin, std::string_view word) {
  return plugin.attribute("filename").value_or("").find(word) != std::string::npos;
}

XmlElement underwater_plugin(const XmlElement& root) {
  for (const XmlElement& plugin : root.descendants("plugin"))
    if (is_plugin(plugin, "underwater_object")) return plugin;
  root.reject_it("has no plug-in of an underwater object",
                 "UUV Simulator reads <plugin filename=\"libuuv_underwater_object_ros_plugin.so\">");
}

XmlElement hydrodynamic_link(const XmlElement& plugin) {
  for (const XmlElement& link : plugin.children("link"))
    if (link.child("hydrodynamic_model")) return link;
  plugin.reject_it("has no <link> with a <hydrodynamic_model>",
                   "the numbers of added mass and damping stand there");
}

/// The model whose plug-in it is: <robot> of URDF, or <model> of SDF.
XmlElement model_of(const XmlElement& root, const XmlElement& plugin) {
  if (root.name() != "sdf") return root;
  for (const XmlElement& model : root.descendants("model"))
    for (const XmlElement& own : model.children("plugin"))
      if (own == plugin) return model;
  plugin.reject_it("stands in no <model>", "move it into the <model> that it drives");
}

XmlElement link_named(const XmlElement& model, const XmlElement& hydro) {
  const std::string name = hydro.required_attribute("name", "the link that it belongs to");
  for (const XmlElement& link : model.children("link"))
    if (link.attribute("name") == name) return link;
  hydro.reject_it("'" + name + "' is no link of this file, so that mass and inertia are not known",
                  "give the whole URDF or SDF, not the plug-in's part alone");
}

std::optional<XmlElement> joint_named(const XmlElement& model, const std::string& name) {
  for (const XmlElement& joint : model.children("joint"))
    if (joint.attribute("name") == name) return joint;
  return std::nullopt;
}

Vec3 axis_of(const std::optional<XmlElement>& axis, const std::optional<Vec3>& xyz) {
  if (!xyz) return Vec3::UnitX();
  if (!(xyz->norm() > 0)) axis->reject_it("points nowhere", "a direction, such as 1 0 0");
  return *xyz;
}

}  // namespace

Pose urdf_origin(const XmlElement& parent) {
  Pose pose;
  const std::optional<XmlElement> origin = parent.child("origin");
  if (!origin) return pose;
  pose.p_pc_p = origin->attribute_vector3("xyz").value_or(Vec3::Zero());
  pose.q_pc = quaternion_from_euler(origin->attribute_vector3("rpy").value_or(Vec3::Zero()));
  return pose;
}

Pose sdf_pose(const XmlElement& parent) {
  Pose pose;
  const std::optional<XmlElement> element = parent.child("pose");
  if (!element) return pose;
  const std::vector<double> v = element->numbers(6);
  pose.p_pc_p = {v[0], v[1], v[2]};
  pose.q_pc = quaternion_from_euler({v[3], v[4], v[5]});
  return pose;
}

UuvModel::UuvModel(const XmlElement& root)
    : is_sdf_(root.name() == "sdf"),
      model_(root),
      plugin_(underwater_plugin(root)),
      hydro_(hydrodynamic_link(plugin_)),
      base_(root) {
  model_ = model_of(root, plugin_);
  base_ = link_named(model_, hydro_);
}

std::vector<XmlElement> UuvModel::thruster_plugins() const {
  std::vector<XmlElement> list = model_.descendants("plugin");
  std::erase_if(list, [](const XmlElement& plugin) {
    return !is_plugin(plugin, "thruster_ros_plugin") && !is_plugin(plugin, "uuv_thruster");
  });
  return list;
}

std::optional<UuvModel::Mount> UuvModel::mount_of(const XmlElement& thruster_plugin) const {
  const std::optional<XmlElement> name = thruster_plugin.child("jointName");
  if (!name) return std::nullopt;
  const std::optional<XmlElement> joint = joint_named(model_, name->text());
  if (!joint) name->reject_it("'" + name->text() + "' is no joint of this file", "");
  return is_sdf_ ? sdf_mount(*joint) : urdf_mount(*joint);
}

/// From joint to joint up to the base link, each as it stands at zero.
UuvModel::Mount UuvModel::urdf_mount(const XmlElement& joint) const {
  std::map<std::string, XmlElement> joint_of_child;
  for (const XmlElement& other : model_.children("joint"))
    if (const auto child = other.child("child"))
      joint_of_child.emplace(child->attribute("link").value_or(""), other);
  const std::string base = base_.attribute("name").value_or("");
  Pose pose;
  XmlElement at = joint;
  for (std::size_t step = 0; step <= joint_of_child.size(); ++step) {
    pose = urdf_origin(at) * pose;
    const std::string parent =
        at.required_child("parent", "the link that it hangs on").required_attribute("link", "its name");
    if (parent == base) {
      const std::optional<XmlElement> axis = joint.child("axis");
      const Vec3 xyz = axis_of(axis, axis ? axis->attribute_vector3("xyz") : std::nullopt);
      return {pose.p_pc_p, pose.q_pc * xyz, joint.attribute("name").value_or(""),
              joint.child("origin").value_or(joint)};
    }
    const auto above = joint_of_child.find(parent);
    if (above == joint_of_child.end()) break;
    at = above->second;
  }
  joint.reject_it("leads to no joint on the link '" + base + "'", "a thruster must hang on the hull");
}

UuvModel::Mount UuvModel::sdf_mount(const XmlElement& joint) const {
  const std::string child = joint.required_child("child", "the link that it carries").text();
  for (const XmlElement& link : model_.children("link")) {
    if (link.attribute("name") != child) continue;
    const Pose pose = sdf_pose(base_).inverse() * sdf_pose(link) * sdf_pose(joint);
    const std::optional<XmlElement> axis = joint.child("axis");
    const std::optional<XmlElement> xyz = axis ? axis->child("xyz") : std::nullopt;
    const Vec3 direction = axis_of(xyz, xyz ? std::optional<Vec3>(xyz->vector3()) : std::nullopt);
    return {pose.p_pc_p, pose.q_pc * direction, joint.attribute("name").value_or(""),
            link.child("pose").value_or(link)};
  }
  joint.reject_it("carries '" + child + "', which is no link of this file", "");
}

}  // namespace fathom::exchange::internal
