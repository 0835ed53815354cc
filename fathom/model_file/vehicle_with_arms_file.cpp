#include "fathom/model_file/vehicle_with_arms_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/fields/yaml.hpp"
#include "fathom/fields/yaml_values.hpp"
#include "fathom/model/checker.hpp"
#include "fathom/model_file/fields.hpp"
#include "fathom/model_file/internal/arm_section.hpp"
#include "fathom/model_file/internal/value_reader.hpp"

namespace fathom::model {
namespace {

using yaml::Field;
using yaml::Map;
namespace fs = std::filesystem;

constexpr std::size_t largest_armed_file = 1u << 22;
constexpr std::size_t most_arms = 16;

YAML::Node armed_document(const std::string& text, const std::string& file) {
  return yaml::parse_document(text, file, "one vehicle per file",
                              "a robot file begins with 'format: fathom-robot-1'");
}

/// By name, by path, or written out as below `arm` of an arm file.
std::optional<Arm> read_mounted(const Field& field, const fs::path& beside, const Folders& folders,
                                std::string& file) {
  if (field.is_map()) return internal::make_arm(internal::read_arm_section(field), field);
  return read_named_arm(field, beside, folders.arms, &file);
}

/// Zero, or what of the joint's range is nearest to it.
std::vector<double> resting_posture(const Arm& arm) {
  std::vector<double> posture;
  for (const Joint& joint : arm.joints())
    posture.push_back(std::clamp(0.0, joint.limits.min, joint.limits.max));
  return posture;
}

bool is_within(double q, const JointLimits& limits) { return q >= limits.min && q <= limits.max; }

/// `posture: {e: 1.2}` or `posture_deg`; joints that it does not name stay as they are.
void read_posture(const Field& field, const Arm& arm, bool in_degrees, std::vector<double>& posture) {
  std::vector<std::string_view> names;
  for (const Joint& joint : arm.joints()) names.emplace_back(joint.name);
  Map map(field);
  for (std::size_t k = 0; k < arm.size(); ++k) {
    const auto entry = map.take(names[k]);
    const Joint& joint = arm.joints()[k];
    const bool turns = joint.kind == Joint::Kind::revolute;
    const auto number = entry ? entry->number(!turns ? "m" : in_degrees ? "degrees" : "rad") : std::nullopt;
    if (!number) continue;
    posture[k] = in_degrees && turns ? *number * degree : *number;
    if (!is_within(posture[k], joint.limits))
      entry->error(fmt::format("= {}, but joint {} goes from {:.4g} to {:.4g} {}", *number, joint.name,
                               joint.limits.min, joint.limits.max, turns ? "rad" : "m"),
                   turns && !in_degrees && is_within(*number * degree, joint.limits)
                       ? "degrees? use posture_deg"
                       : "a posture within the limits of the arm's file");
  }
  map.finish();
}

std::optional<MountedArm> read_entry(const Field& field, const fs::path& beside, const Folders& folders) {
  Map map(field);
  std::string name;
  if (const auto f = map.require("name", "a short word")) {
    name = f->text().value_or("");
    yaml::check_name(*f, name);
  }
  const yaml::Origin origin = yaml::take_origin(map);
  Value<Vec3> position = internal::read_position(map), attitude = internal::read_attitude(map);
  internal::inherit(position, origin), internal::inherit(attitude, origin);
  Checker places;
  places.finite(field.key() + ".position", position.value);
  places.finite(field.key() + ".attitude", attitude.value);
  field.reading().add(places.findings);
  if (constexpr double furthest = 100; position.value.norm() > furthest)  // m
    field.error(fmt::format("has its base {:.4g} m away", position.value.norm()),
                "millimetres? Fathom wants m");
  internal::check_turns(field, attitude.value);
  std::string file;
  std::optional<Arm> arm;
  if (const auto f = map.require("arm", "a name, a path ending in .yaml or .urdf, or the arm itself"))
    arm = read_mounted(*f, beside, folders, file);
  const auto radians = map.take("posture"), degrees = map.take("posture_deg");
  map.finish();
  if (radians && degrees) degrees->error("stands beside posture", "give one of them");
  if (!arm) return std::nullopt;
  MountedArm mounted{name, *std::move(arm), position, attitude, {}, file};
  mounted.posture = resting_posture(mounted.arm);
  if (radians) read_posture(*radians, mounted.arm, false, mounted.posture);
  if (degrees && !radians) read_posture(*degrees, mounted.arm, true, mounted.posture);
  return mounted;
}

void read_arms(const Field& list, const fs::path& beside, const Folders& folders,
               std::vector<MountedArm>& arms) {
  const std::vector<Field> items = list.items();
  if (items.empty() || items.size() > most_arms) {
    list.error(fmt::format("has {} entries, expected 1 to {}", items.size(), most_arms),
               items.empty() ? "without arms it is a robot file as any" : "is it one robot?");
    return;
  }
  for (const Field& item : items) {
    auto mounted = read_entry(item, beside, folders);
    if (!mounted) continue;
    for (const MountedArm& other : arms)
      if (other.name == mounted->name)
        item.error(fmt::format("is the second arm named {}", in_quotes(mounted->name)),
                   "give each a name of its own");
    arms.push_back(*std::move(mounted));
  }
}

}  // namespace

bool names_arms(const fs::path& path) {
  try {
    const std::string text = read_file(path, largest_armed_file);
    yaml::Reading unused(path.string());
    return Field(armed_document(text, path.string()), "", unused).has("arms");
  } catch (const InputError&) {
    return false;
  }
}

VehicleWithArms parse_vehicle_with_arms(const std::string& text, const std::string& file,
                                        const Folders& folders) {
  yaml::Reading reading(file);
  const YAML::Node document = armed_document(text, file);
  const fs::path beside = fs::path(file).parent_path();
  Map map(Field(document, "", reading));
  yaml::check_format(map, "fathom-robot-1", {});
  const std::string name = take_name(map);
  std::string title, notes, vehicle_file;
  if (const auto f = map.take("title")) title = f->text().value_or("");
  if (const auto f = map.take("notes")) notes = f->text().value_or("");
  std::optional<Robot> vehicle;
  if (const auto f = map.require("vehicle", "a robot that ships, or the path of a robot file"))
    vehicle = read_named_robot(*f, beside, folders.robots, &vehicle_file);
  std::vector<MountedArm> arms;
  if (const auto f = map.require("arms", "a list: name, arm, position, attitude_deg, posture"))
    read_arms(*f, beside, folders, arms);
  map.finish();
  if (!name.empty()) yaml::check_name(Field(document["name"], "name", reading), name);
  if (!vehicle || has_errors(reading.findings())) throw InputError(reading.findings());
  return {name, title, notes, *std::move(vehicle), vehicle_file, std::move(arms)};
}

VehicleWithArms read_vehicle_with_arms(const fs::path& path, const Folders& folders) {
  return parse_vehicle_with_arms(read_file(path, largest_armed_file), path.string(), folders);
}

}  // namespace fathom::model
