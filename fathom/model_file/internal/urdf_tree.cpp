#include "fathom/model_file/internal/urdf_tree.hpp"

#include <array>
#include <map>

#include <fmt/format.h>

#include "fathom/base/text.hpp"

namespace fathom::model::internal {
namespace {

constexpr std::size_t most_urdf_links = 4096;

Pose origin_of(const XmlElement& element) {
  Pose pose;
  const auto origin = element.child("origin");
  if (!origin) return pose;
  if (const auto xyz = origin->attribute_vector3("xyz")) pose.p_pc_p = *xyz;
  if (const auto rpy = origin->attribute_vector3("rpy")) pose.q_pc = quaternion_from_euler(*rpy);
  return pose;
}

std::optional<Lump> dry_of(const XmlElement& link) {
  const auto inertial = link.child("inertial");
  if (!inertial) return std::nullopt;
  Lump lump;
  lump.mass = inertial->required_child("mass", "kg, as <mass value=\"...\"/>").attribute_number("value", "kg");
  const XmlElement inertia = inertial->required_child("inertia", "ixx, ixy, ixz, iyy, iyz, izz in kg m^2");
  const auto entry = [&](const char* name) { return inertia.attribute_number(name, "kg m^2"); };
  // One by one: a comma list of Eigen's must not be left half filled, and an entry may throw.
  const double xx = entry("ixx"), xy = entry("ixy"), xz = entry("ixz");
  const double yy = entry("iyy"), yz = entry("iyz"), zz = entry("izz");
  lump.inertia << xx, xy, xz, 0, yy, yz, 0, 0, zz;
  lump.inertia.triangularView<Eigen::StrictlyLower>() = lump.inertia.transpose();
  const Pose origin = origin_of(*inertial);
  // Axes that are not turned leave the numbers of the file as they are.
  if (origin.q_pc.coeffs() != Quat::Identity().coeffs()) return seen_in(origin, lump);
  lump.centre = origin.p_pc_p;
  return lump;
}

class TreeReader {
 public:
  explicit TreeReader(const XmlFile& file) : root_(file.root()) {}

  UrdfTree read() {
    if (root_.name() != "robot") root_.reject_it("is not <robot>", "a URDF begins with <robot name=\"...\">");
    tree_.name = root_.attribute("name").value_or("");
    if (root_.children("link").size() > most_urdf_links)
      root_.reject_it(fmt::format("has {} links, at most {}", root_.children("link").size(), most_urdf_links));
    for (const XmlElement& element : root_.children("link")) gather([&] { add_link(element); });
    if (tree_.links.empty()) root_.reject_it("has no link", "a URDF has links, and joints between them");
    for (const XmlElement& element : root_.children("joint")) gather([&] { add_joint(element); });
    if (!findings_.empty()) throw InputError(findings_);
    find_root();
    find_loops();
    if (!findings_.empty()) throw InputError(findings_);
    note_the_rest();
    return std::move(tree_);
  }

 private:
  /// One wrong element does not keep the others from being told.
  template <class Action>
  void gather(const Action& action) {
    try {
      action();
    } catch (const InputError& error) {
      for (const Finding& finding : error.findings()) findings_.push_back(finding);
    }
  }
  void add_error_at(const XmlElement& element, std::string message, std::string hint) {
    findings_.push_back(
        {Severity::error, element.file(), element.line(), element.path(), std::move(message), std::move(hint)});
  }

  void add_link(const XmlElement& element) {
    const std::string name = element.required_attribute("name", "joints speak of it");
    if (!link_of_.emplace(name, tree_.links.size()).second)
      element.reject_it("is there twice", "each link has a name of its own");
    tree_.links.push_back({name, element, std::nullopt});
    tree_.links.back().dry = dry_of(element);
  }

  std::size_t link_named_in(const XmlElement& joint, const char* end) const {
    const XmlElement element = joint.required_child(end, "the links that it joins");
    const std::string name = element.required_attribute("link", "the name of a link");
    if (const auto found = link_of_.find(name); found != link_of_.end()) return found->second;
    std::vector<std::string_view> names;
    for (const UrdfLink& link : tree_.links) names.emplace_back(link.name);
    element.reject_it(fmt::format("is link {}, which does not exist", in_quotes(name)),
                      did_you_mean(name, names));
  }

  static UrdfJoint::Type type_of(const XmlElement& joint) {
    static constexpr std::array<std::string_view, 6> words = {"revolute", "continuous", "prismatic",
                                                              "fixed",    "floating",   "planar"};
    const std::string word = joint.required_attribute("type", "revolute, continuous, prismatic or fixed");
    for (std::size_t k = 0; k < 4; ++k)
      if (word == words[k]) return static_cast<UrdfJoint::Type>(k);
    if (word == words[4] || word == words[5])
      joint.reject_it(fmt::format("is of type {}, which an arm's joint cannot be", word),
                      word == "floating"
                          ? "what an arm stands on may move: make its vehicle the root of the file"
                          : "two prismatic joints and a revolute one do the same");
    joint.reject_it(
        fmt::format("is of type {}, expected revolute, continuous, prismatic or fixed", in_quotes(word)),
        did_you_mean(word, words));
  }

  void add_joint(const XmlElement& element) {
    UrdfJoint joint{element.required_attribute("name", "columns of logs are named by it"), element};
    if (!joint_names_.emplace(joint.name, 0).second)
      element.reject_it("is there twice", "each joint has a name of its own");
    joint.type = type_of(element);
    joint.parent = link_named_in(element, "parent");
    joint.child = link_named_in(element, "child");
    joint.origin = origin_of(element);
    if (element.child("mimic") && joint.type != UrdfJoint::Type::fixed)
      element.child("mimic")->reject_it("ties this joint to another, which Fathom's arms cannot",
                                        "make it fixed, or free: leave out <mimic>");
    if (joint.type != UrdfJoint::Type::fixed) read_motion(element, joint);
    tree_.joints.push_back(std::move(joint));
  }

  void read_motion(const XmlElement& element, UrdfJoint& joint) {
    if (const auto axis = element.child("axis")) {
      const Vec3 direction = axis->attribute_vector3("xyz").value_or(Vec3::UnitX());
      const double length = direction.norm();
      if (!(length > 1e-6)) axis->reject_it("is zero", "the direction about or along which the joint moves");
      joint.axis = std::abs(length - 1) <= 1e-12 ? direction : Vec3(direction / length);
    }
    read_urdf_limits(element, joint);
    if (const auto dynamics = element.child("dynamics")) {
      joint.damping = dynamics->optional_attribute_number("damping").value_or(0);
      joint.friction = dynamics->optional_attribute_number("friction").value_or(0);
    }
  }

  void read_urdf_limits(const XmlElement& element, UrdfJoint& joint) {
    const auto limit = element.child("limit");
    if (!limit) {
      if (joint.type != UrdfJoint::Type::continuous)
        element.reject_it("has no <limit>", "lower, upper, effort, velocity; or type=\"continuous\"");
      return;
    }
    if (joint.type != UrdfJoint::Type::continuous) {
      joint.limits.min = limit->optional_attribute_number("lower").value_or(0);
      joint.limits.max = limit->optional_attribute_number("upper").value_or(0);
      if (!(joint.limits.min < joint.limits.max))
        limit->reject_it(
            fmt::format("goes from {:g} to {:g}, must have lower < upper", joint.limits.min, joint.limits.max),
            "a joint that cannot move is of type fixed, one without end continuous");
    }
    for (const auto& [name, out] :
         {std::pair{"velocity", &joint.limits.speed}, {"effort", &joint.limits.effort}}) {
      const auto value = limit->optional_attribute_number(name);
      if (!value) continue;
      if (*value < 0) limit->reject_it(fmt::format("has {} = {:g}, must be > 0", name, *value));
      if (*value > 0)
        *out = *value;
      else
        tree_.notes.push_back(fmt::format("line {}: {} = 0 of joint {} is taken for 'nobody says'",
                                          limit->line(), name, joint.name));
    }
  }

  void find_root() {
    std::vector<const UrdfJoint*> moved_by(tree_.links.size(), nullptr);
    tree_.joints_on.resize(tree_.links.size());
    for (std::size_t k = 0; k < tree_.joints.size(); ++k) {
      const UrdfJoint& joint = tree_.joints[k];
      if (const UrdfJoint*& by = moved_by[joint.child])
        add_error_at(joint.element,
                     fmt::format("closes a loop: link {} is already the child of joint {}",
                                 in_quotes(tree_.links[joint.child].name), in_quotes(by->name)),
                     "an arm is a tree; cut the loop open, and leave its closing joint out");
      else
        by = &joint;
      tree_.joints_on[joint.parent].push_back(k);
    }
    std::vector<std::size_t> roots;
    for (std::size_t k = 0; k < tree_.links.size(); ++k)
      if (!moved_by[k]) roots.push_back(k);
    if (!roots.empty()) tree_.root = roots.front();
    if (roots.empty() && findings_.empty())
      add_error_at(root_, "has no root: every link is the child of a joint, so joints form a loop",
                   "an arm stands on a link that no joint moves");
    for (std::size_t k = 1; k < roots.size(); ++k)
      add_error_at(tree_.links[roots[k]].element,
                   fmt::format("is a root beside {}", in_quotes(tree_.links[tree_.root].name)),
                   "join them by a joint, or make two files");
  }

  /// What cannot be reached from the root goes round in a circle.
  void find_loops() {
    if (!findings_.empty()) return;
    std::vector<bool> reached(tree_.links.size(), false);
    std::vector<std::size_t> open = {tree_.root};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      reached[at] = true;
      for (const std::size_t joint : tree_.joints_on[at]) open.push_back(tree_.joints[joint].child);
    }
    for (const UrdfJoint& joint : tree_.joints)
      if (!reached[joint.child]) {
        add_error_at(
            joint.element,
            fmt::format("is part of a loop: no joints lead from {} to link {}",
                        in_quotes(tree_.links[tree_.root].name), in_quotes(tree_.links[joint.child].name)),
            "an arm is a tree");
        return;
      }
  }

  void note_the_rest() {
    const auto note = [&](std::size_t count, const char* what, const char* why) {
      if (count > 0) tree_.notes.push_back(fmt::format("{} {}: {}", count, what, why));
    };
    note(root_.descendants("mesh").size(), "meshes", "not looked for; Fathom's arms have no surface");
    note(root_.children("transmission").size(), "transmissions",
         "not read; actuators stand in arm files, with their motors");
    note(root_.children("gazebo").size(), "gazebo elements", "not read");
    tree_.notes.emplace_back("no water in a URDF: volume, added mass and drag of every link are zero");
  }

  XmlElement root_;
  UrdfTree tree_;
  Findings findings_;
  std::map<std::string, std::size_t> link_of_;
  std::map<std::string, int> joint_names_;
};

}  // namespace

UrdfTree read_urdf_tree(const XmlFile& file) { return TreeReader(file).read(); }

}  // namespace fathom::model::internal
