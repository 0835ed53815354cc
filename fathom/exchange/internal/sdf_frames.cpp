#include "fathom/exchange/internal/sdf_frames.hpp"

#include <numbers>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"

namespace fathom::exchange::internal {

namespace {

constexpr std::string_view whole_model = "__model__";
constexpr int longest_chain = 64;

bool is_true(const std::optional<std::string>& word) { return word && (*word == "true" || *word == "1"); }

double positive(const XmlElement& shape, std::string_view tag) {
  const XmlElement size = shape.required_child(tag, "in metres");
  const double value = size.number();
  if (!(value > 0)) size.reject_it("must be above zero");
  return value;
}

Vec3 positive_vector(const XmlElement& shape, std::string_view tag) {
  const XmlElement size = shape.required_child(tag, "three lengths in metres");
  Vec3 value = size.vector3();
  if (!(value.minCoeff() > 0)) size.reject_it("must be above zero");
  return value;
}

}  // namespace

Pose stated_pose(const XmlElement& pose) {
  const std::string format = pose.attribute("rotation_format").value_or("euler_rpy");
  const std::vector<double> v = pose.numbers_of_any_count();
  if (v.empty()) return {};
  if (format == "quat_xyzw") {
    if (v.size() != 7) pose.reject_it(fmt::format("has {} numbers, must have x y z and qx qy qz qw", v.size()));
    const Quat q(v[6], v[3], v[4], v[5]);
    if (!(q.norm() > 1e-6)) pose.reject_it("has a quaternion of length zero");
    return {q.normalized(), {v[0], v[1], v[2]}};
  }
  if (format != "euler_rpy")
    pose.reject_it("has rotation_format " + in_quotes(format), "euler_rpy or quat_xyzw");
  if (v.size() != 6) pose.reject_it(fmt::format("has {} numbers, must have x y z roll pitch yaw", v.size()));
  const double unit = is_true(pose.attribute("degrees")) ? degree : 1;
  return {quaternion_from_euler(Vec3(v[3], v[4], v[5]) * unit), {v[0], v[1], v[2]}};
}

SdfFrames::SdfFrames(const XmlElement& model) {
  for (const char* kind : {"link", "joint", "frame"})
    for (const XmlElement& element : model.children(kind)) {
      const std::string name = element.required_attribute("name", "links, joints and frames have names");
      std::string parent(whole_model);
      if (element.name() == "joint") {
        if (const auto child = element.child("child")) parent = child->text();
      } else if (element.name() == "frame") {
        if (const auto attached = element.attribute("attached_to"); attached && !attached->empty())
          parent = *attached;
      }
      if (!frames_.emplace(name, Frame{element, parent}).second)
        element.reject_it("has a name that another link, joint or frame of the model has", "each has its own");
    }
}

Pose SdfFrames::in_model(const std::string& name, const XmlElement& asked_by) const {
  return resolve(name, asked_by, 0);
}

Pose SdfFrames::resolve(const std::string& name, const XmlElement& asked_by, int depth) const {
  if (name.empty() || name == whole_model) return {};
  const auto found = frames_.find(name);
  if (found == frames_.end())
    asked_by.reject_it("names " + in_quotes(name) + ", which is no link, joint or frame of the model",
                       "nested models are not read");
  if (depth > longest_chain)
    asked_by.reject_it("leads round in a circle: frames are relative to each other", "see relative_to");
  const Frame& frame = found->second;
  const std::optional<XmlElement> pose = frame.element.child("pose");
  std::string parent = frame.usual_parent;
  if (pose)
    if (const auto relative = pose->attribute("relative_to"); relative && !relative->empty())
      parent = *relative;
  const Pose own = pose ? stated_pose(*pose) : Pose{};
  return resolve(parent, frame.element, depth + 1) * own;
}

Pose SdfFrames::of_part(const XmlElement& part, const std::string& parent) const {
  const std::optional<XmlElement> pose = part.child("pose");
  if (!pose) return in_model(parent, part);
  const auto relative = pose->attribute("relative_to");
  return in_model(relative && !relative->empty() ? *relative : parent, part) * stated_pose(*pose);
}

std::optional<double> volume_of_geometry(const XmlElement& geometry) {
  constexpr double pi = std::numbers::pi;
  if (const auto box = geometry.child("box")) return positive_vector(*box, "size").prod();
  if (const auto sphere = geometry.child("sphere"))
    return 4 * pi / 3 * std::pow(positive(*sphere, "radius"), 3);
  if (const auto cylinder = geometry.child("cylinder")) {
    const double radius = positive(*cylinder, "radius");
    return pi * radius * radius * positive(*cylinder, "length");
  }
  if (const auto ellipsoid = geometry.child("ellipsoid"))
    return 4 * pi / 3 * positive_vector(*ellipsoid, "radii").prod();
  if (const auto capsule = geometry.child("capsule")) {
    const double radius = positive(*capsule, "radius");
    return pi * radius * radius * (positive(*capsule, "length") + 4 * radius / 3);
  }
  return std::nullopt;
}

}  // namespace fathom::exchange::internal
