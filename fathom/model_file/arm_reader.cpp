#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/fields/yaml.hpp"
#include "fathom/fields/yaml_values.hpp"
#include "fathom/model_file/arm_file.hpp"
#include "fathom/model_file/fields.hpp"
#include "fathom/model_file/internal/arm_section.hpp"
#include "fathom/model_file/internal/joint_reader.hpp"
#include "fathom/model_file/internal/link_reader.hpp"

namespace fathom::model {
namespace {

constexpr std::size_t largest_arm_file = 16u << 20;  // as fields/xml_file.hpp has it

/// Which earlier link a joint sits on: by the link's name or by its joint's; without: on the one before it.
std::optional<std::size_t> read_parent(const yaml::Field& field, const ArmSpec& before) {
  const auto word = field.text();
  if (!word || *word == "base") return std::nullopt;
  const auto same = [&](const auto& entry) { return entry.name == *word; };
  const auto link = std::find_if(before.links.begin(), before.links.end(), same);
  if (link != before.links.end()) return static_cast<std::size_t>(link - before.links.begin());
  const auto joint = std::find_if(before.joints.begin(), before.joints.end(), same);
  if (joint != before.joints.end()) return static_cast<std::size_t>(joint - before.joints.begin());
  std::vector<std::string_view> names = {"base"};
  for (const Link& earlier : before.links) names.emplace_back(earlier.name);
  for (const Joint& earlier : before.joints) names.emplace_back(earlier.name);
  field.error(fmt::format("= {}, expected base, or a link or joint that stands above", in_quotes(*word)),
              did_you_mean(*word, names, "joints come after the ones that they sit on"));
  return std::nullopt;
}

void read_joint(const yaml::Field& field, ArmSpec& arm) {
  Joint joint;
  yaml::Map map(field);
  joint.name = take_name(map);
  if (!arm.joints.empty()) joint.parent = arm.joints.size() - 1;
  if (const auto f = map.take("parent")) joint.parent = read_parent(*f, arm);
  internal::take_joint(field, map, joint);
  Link link;
  if (const auto f = map.require("link", "what the joint moves: mass, and shape or inertia, volume ..."))
    link = internal::read_link(*f, joint.name);
  map.finish();
  arm.joints.push_back(std::move(joint));
  arm.links.push_back(std::move(link));
}

std::optional<Arm> read_arm_document(const yaml::Field& root) {
  std::optional<Arm> arm;
  yaml::Map map(root);
  yaml::check_format(
      map, "fathom-arm-1",
      {{"fathom-robot-1", "this is a robot, not an arm", "an arm file begins with 'format: fathom-arm-1'"}});
  const auto section = map.require("arm", "name, joints");
  map.finish();
  if (section) arm = internal::make_arm(internal::read_arm_section(*section), *section);
  return arm;
}

}  // namespace

namespace internal {

ArmSpec read_arm_section(const yaml::Field& field) {
  ArmSpec arm;
  yaml::Map map(field);
  arm.name = take_name(map);
  if (const auto f = map.take("title")) arm.title = f->text().value_or("");
  if (const auto f = map.take("notes")) arm.notes = f->text().value_or("");
  if (const auto f = map.require("joints", "a list, each after the one that it sits on")) {
    if (f->is_list() && f->node().size() > most_arm_joints)
      f->error(fmt::format("has {} entries, at most {}", f->node().size(), most_arm_joints), "several arms?");
    else
      for (const yaml::Field& item : f->items()) read_joint(item, arm);
  }
  map.finish();
  return arm;
}

std::optional<Arm> make_arm(ArmSpec spec, const yaml::Field& field) {
  // Physics is judged only on a file that could be read: a missing number would look like a wrong one.
  if (has_errors(field.reading().findings())) return std::nullopt;
  try {
    return Arm::make(std::move(spec));
  } catch (const InputError& error) {
    Findings findings = error.findings();
    for (Finding& finding : findings) finding.key = field.key() + "." + finding.key;
    field.reading().add(findings);
    return std::nullopt;
  }
}

}  // namespace internal

Arm parse_arm(const std::string& text, const std::string& file) {
  yaml::Reading reading(file);
  const YAML::Node document =
      yaml::parse_document(text, file, "one arm per file", "an arm file begins with 'format: fathom-arm-1'");
  std::optional<Arm> arm = read_arm_document(yaml::Field(document, "", reading));
  if (!arm || has_errors(reading.findings())) throw InputError(reading.findings());
  return *std::move(arm);
}

Arm read_arm(const std::string& path) {
  const std::string text = read_file(path, largest_arm_file);
  return path.ends_with(".urdf") ? parse_urdf_arm(text, path) : parse_arm(text, path);
}

}  // namespace fathom::model
