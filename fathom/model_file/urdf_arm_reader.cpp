#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/model/body_check.hpp"
#include "fathom/model_file/arm_file.hpp"
#include "fathom/model_file/internal/urdf_tree.hpp"

namespace fathom::model {
namespace {

using internal::UrdfJoint;
using internal::UrdfLink;
using internal::UrdfTree;

/// A link of the file with all that is fixed to it, whose frame it lends to the whole.
struct Group {
  std::size_t head = 0;
  std::vector<std::pair<std::size_t, Pose>> members;  ///< links, and where they are in the head's frame
  std::vector<std::pair<std::size_t, Pose>>
      moving_joints;  ///< on any of them, with the pose of its parent link
};

Group group_of(const UrdfTree& tree, std::size_t head) {
  Group group;
  group.head = head;
  group.members.push_back({head, Pose()});
  for (std::size_t k = 0; k < group.members.size(); ++k) {
    const auto [link, pose] = group.members[k];
    for (const std::size_t j : tree.joints_on[link]) {
      const UrdfJoint& joint = tree.joints[j];
      if (joint.type == UrdfJoint::Type::fixed)
        group.members.push_back({joint.child, pose * joint.origin});
      else
        group.moving_joints.push_back({j, pose});
    }
  }
  return group;
}

class ArmOfTree {
 public:
  explicit ArmOfTree(UrdfTree tree) : tree_(std::move(tree)) {}

  Arm make() {
    arm_.notes_of_reading = tree_.notes;
    arm_.name = plain(tree_.name.empty() ? "arm" : tree_.name);
    const Group base = group_of(tree_, tree_.root);
    note_base(base);
    // From the first joint to the tips; a parent always stands before what sits on it.
    std::vector<Waiting> open = waiting_on(base, std::nullopt);
    while (!open.empty()) {
      const Waiting next = open.back();
      open.pop_back();
      if (arm_.joints.size() == most_arm_joints)
        tree_.joints[next.joint].element.reject_it(fmt::format("is one joint more than {}", most_arm_joints),
                                                   "several arms?");
      const Group group = group_of(tree_, tree_.joints[next.joint].child);
      add_joint(next);
      add_link(group);
      const std::size_t here = arm_.links.size() - 1;
      for (Waiting& later : waiting_on(group, here)) open.push_back(later);
    }
    if (arm_.joints.empty() && findings_.empty())
      tree_.links[tree_.root].element.reject_it("moves nothing: no joint of the file moves",
                                                "an arm has one joint at least");
    if (!findings_.empty()) throw InputError(findings_);
    return checked();
  }

 private:
  struct Waiting {
    std::size_t joint;
    Pose parent_link;  ///< the file's link that it sits on, in the frame of its group
    std::optional<std::size_t> parent;
  };

  /// Last first, as a stack has it.
  static std::vector<Waiting> waiting_on(const Group& group, std::optional<std::size_t> parent) {
    std::vector<Waiting> waiting;
    for (const auto& [joint, link] : group.moving_joints) waiting.push_back({joint, link, parent});
    std::reverse(waiting.begin(), waiting.end());
    return waiting;
  }

  /// A name that arms may have; a URDF's may be any text.
  std::string plain(const std::string& name) {
    std::string result = name.substr(0, 64);
    for (char& c : result)
      if (!is_plain_name(std::string("a") + c)) c = '_';
    if (!is_plain_name(result)) result = ("x" + result).substr(0, 64);
    if (result != name)
      arm_.notes_of_reading.push_back(fmt::format("{} is called {}", in_quotes(name), result));
    return result;
  }

  void add_error_at(const XmlElement& element, std::string message, std::string hint) {
    findings_.push_back(
        {Severity::error, element.file(), element.line(), element.path(), std::move(message), std::move(hint)});
  }

  void note_base(const Group& base) {
    double mass = 0;
    std::vector<std::string> names;
    for (const auto& [link, pose] : base.members) {
      names.push_back(in_quotes(tree_.links[link].name));
      if (tree_.links[link].dry) mass += tree_.links[link].dry->mass;
    }
    arm_.notes_of_reading.push_back(fmt::format(
        "the arm stands on {}; no joint moves its {:g} kg, which are left out", join(names, ", "), mass));
  }

  void add_joint(const Waiting& at) {
    const UrdfJoint& given = tree_.joints[at.joint];
    Joint joint;
    joint.name = plain(given.name);
    joint.kind = given.type == UrdfJoint::Type::prismatic ? Joint::Kind::prismatic : Joint::Kind::revolute;
    joint.parent = at.parent;
    joint.zero = at.parent_link * given.origin;
    joint.zero.q_pc.normalize();
    joint.axis = given.axis;
    joint.limits = given.limits;
    joint.source = fmt::format("{}:{}", given.element.file(), given.element.line());
    joint.friction.viscous = {given.damping, "", false, {}};
    joint.friction.coulomb_forward = joint.friction.coulomb_backward = {given.friction, "", false, {}};
    arm_.joints.push_back(std::move(joint));
    joint_places_.push_back(given.element);
  }

  /// Is the body one that exists, as far as its own numbers go? A point may be fixed to something.
  void check_under(const UrdfLink& link, bool is_head) {
    const Lump& dry = *link.dry;
    const XmlElement place = *link.element.child("inertial");
    if (dry.mass < 0) return add_error_at(place, fmt::format("has mass {:g}, must be >= 0", dry.mass), "kg");
    const bool no_inertia = dry.inertia.isZero(0);
    if (dry.mass == 0) {
      if (!no_inertia) add_error_at(place, "has inertia without mass", "a frame that is no body has neither");
      return;
    }
    if (no_inertia) {
      if (is_head)
        add_error_at(place, "has zero inertia, which no body of its mass has",
                     "give moments about the centre of mass; a box of size a, b, c has m (b^2 + c^2) / 12 ...");
      return;
    }
    Checker check;
    check_inertia(check, dry.inertia, "inertia");
    for (const Finding& finding : check.findings)
      add_error_at(place, finding.key + " " + finding.message, finding.hint);
  }

  void add_link(const Group& group) {
    const UrdfLink& head = tree_.links[group.head];
    std::vector<Lump> lumps;
    std::vector<std::string> merged;
    for (const auto& [k, pose] : group.members) {
      const UrdfLink& link = tree_.links[k];
      if (k != group.head) merged.push_back(in_quotes(link.name));
      if (!link.dry) continue;
      check_under(link, k == group.head);
      if (link.dry->mass > 0) lumps.push_back(k == group.head ? *link.dry : seen_in(pose, *link.dry));
    }
    if (lumps.empty())
      add_error_at(head.element, "is moved by a joint, but neither it nor what is fixed to it has a mass",
                   "give it an <inertial>, or make its joint fixed");
    if (!merged.empty())
      arm_.notes_of_reading.push_back(
          fmt::format("fixed to {} and merged into it: {}", in_quotes(head.name), join(merged, ", ")));
    const Lump all = joined(lumps);
    Link link;
    link.name = plain(head.name);
    const std::string source = fmt::format("{}:{}", head.element.file(), head.element.line());
    link.body.mass = {all.mass, source, false, {}};
    link.body.centre_of_mass = {all.centre, source, false, {}};
    link.body.inertia = {all.inertia, source, false, {}};
    arm_.links.push_back(std::move(link));
    link_places_.push_back(head.element);
  }

  /// What the checks of any arm say, told at the elements of the file.
  Arm checked() {
    try {
      return Arm::make(arm_);
    } catch (const InputError& error) {
      for (const Finding& finding : error.findings()) {
        std::size_t k = 0;
        const bool of_joint = finding.key.starts_with("joints[");
        if (of_joint) k = std::stoul(finding.key.substr(7));
        const std::size_t dot = finding.key.find('.');
        const std::string rest = dot == std::string::npos ? "" : finding.key.substr(dot + 1);
        if (!of_joint || k >= joint_places_.size())
          add_error_at(tree_.links[tree_.root].element, finding.key + " " + finding.message, finding.hint);
        else if (rest.starts_with("link."))
          add_error_at(link_places_[k], rest.substr(5) + " " + finding.message, finding.hint);
        else
          add_error_at(joint_places_[k], rest + " " + finding.message, finding.hint);
      }
      throw InputError(findings_);
    }
  }

  UrdfTree tree_;
  ArmSpec arm_;
  Findings findings_;
  std::vector<XmlElement> joint_places_, link_places_;
};

}  // namespace

Arm parse_urdf_arm(const std::string& text, const std::string& file) {
  const XmlFile xml(text, file);
  return ArmOfTree(internal::read_urdf_tree(xml)).make();
}

}  // namespace fathom::model
