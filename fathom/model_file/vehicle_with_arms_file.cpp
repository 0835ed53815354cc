#include "fathom/model_file/vehicle_with_arms_file.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model_file/fields.hpp"
#include "fathom/model_file/internal/arm_table.hpp"
#include "fathom/model_file/internal/value_codec.hpp"

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

/// Zero, or what of the joint's range is nearest to it.
std::vector<double> resting_posture(const Arm& arm) {
  std::vector<double> posture;
  for (const Joint& joint : arm.joints())
    posture.push_back(std::clamp(0.0, joint.limits.min, joint.limits.max));
  return posture;
}

bool is_within(double q, const JointLimits& limits) { return q >= limits.min && q <= limits.max; }

/// Joints that `field` does not name stay as they are.
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

/// An entry of `arms`; the arm is in the file or in another.
struct ArmEntry {
  std::string name;
  Value<Vec3> position, attitude;
  fields::Later arm, posture, posture_deg;
};
struct VehicleFile {
  std::string name, title, notes;
  fields::Later vehicle;
  std::vector<ArmEntry> arms;
};

/// By name, by path, or written out as below `arm` of an arm file.
struct ArmForm {
  static fields::Json schema(const fields::Spec& spec) {
    return {{"anyOf", {fields::WordText::schema(spec), fields::schema_of<ArmSpec>()}}};
  }
};
using PostureForm = fields::Codec<std::map<std::string, double>>;

std::optional<MountedArm> mounted(const ArmEntry& entry, const std::string& key, const fs::path& beside,
                                  const Folders& folders, yaml::Reading& reading) {
  if (constexpr double furthest = 100; entry.position.value.norm() > furthest)  // m
    reading.error(key, yaml::nearest_line(reading.lines(), key),
                  fmt::format("has its base {:.4g} m away", entry.position.value.norm()),
                  "millimetres? Fathom wants m");
  if (!entry.arm.field) return std::nullopt;
  const Field& field = *entry.arm.field;
  std::string file;
  std::optional<Arm> arm;
  if (field.is_map()) {
    ArmSpec spec;
    fields::read(field, spec);
    arm = internal::make_arm(std::move(spec), reading, field.key());
  } else {
    arm = read_named_arm(field, beside, folders.arms, &file);
  }
  if (!arm) return std::nullopt;
  std::vector<double> posture = resting_posture(*arm);
  if (entry.posture.field) read_posture(*entry.posture.field, *arm, false, posture);
  if (entry.posture_deg.field) read_posture(*entry.posture_deg.field, *arm, true, posture);
  return MountedArm{entry.name, *std::move(arm), entry.position, entry.attitude, std::move(posture), file};
}

}  // namespace
}  // namespace fathom::model

// clang-format off
namespace fathom::fields {

using namespace model;

template <> const Keys& Table<ArmEntry>::fields() {
  using T = ArmEntry;
  static const Keys keys{
      field<&T::name, PlainName>("name").required("a short word").doc("A word of its own among the arms."),
      section_origin(),
      position<&T::position>().doc("Position of the arm's base from the body origin, axes forward, starboard, down."),
      within_ten_turns(attitude<&T::attitude>()),
      field<&T::arm, LaterAs<ArmForm>>("arm").required("a name, a path ending in .yaml or .urdf, or the arm itself")
          .doc("Name of an arm, path of an arm file or URDF, or what stands below arm in an arm file."),
      field<&T::posture, LaterAs<PostureForm>>("posture")
          .doc("Posture of the arm where the whole is taken as one body: rad or m of joints by name; the others rest near 0."),
      field<&T::posture_deg, LaterAs<PostureForm>>("posture_deg").not_beside("posture", "give one of them")
          .doc("The same with degrees in place of rad.")};
  return keys;
}
template <> const Keys& Table<VehicleFile>::fields() {
  using T = VehicleFile;
  static const Keys keys{
      field<&T::name, PlainName>("name").required("a short word").doc("Name of the whole."),
      field<&T::title>("title").doc("One line for people."),
      field<&T::notes>("notes").doc("Free text."),
      field<&T::vehicle, LaterAs<WordText>>("vehicle").required("a robot that ships, or the path of a robot file")
          .doc("Robot that carries the arms: its name, or the path of its file."),
      field<&T::arms>("arms").entries(1, most_arms).what("without arms it is a robot file as any").hint("is it one robot?")
          .required("a list: name, arm, position, attitude_deg, posture").doc("Arms on the vehicle.")};
  return keys;
}

}  // namespace fathom::fields
// clang-format on

namespace fathom::model {

fields::Json internal::vehicle_with_arms_schema() { return fields::schema_of<VehicleFile>(); }

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
  const Field root(document, "", reading);
  VehicleFile read;
  Map map(root);
  yaml::check_format(map, "fathom-robot-1", {});
  fields::read_keys(map, root, fields::Table<VehicleFile>::fields(), &read);
  map.finish();
  std::optional<Robot> vehicle;
  std::string vehicle_file;
  if (read.vehicle.field)
    vehicle = read_named_robot(*read.vehicle.field, beside, folders.robots, &vehicle_file);
  std::vector<MountedArm> arms;
  std::set<std::string> names;
  for (std::size_t k = 0; k < read.arms.size(); ++k) {
    const std::string key = fmt::format("arms[{}]", k);
    if (auto arm = mounted(read.arms[k], key, beside, folders, reading)) arms.push_back(*std::move(arm));
    if (!names.insert(read.arms[k].name).second)
      reading.error(key, yaml::nearest_line(reading.lines(), key),
                    fmt::format("is the second arm named {}", in_quotes(read.arms[k].name)),
                    "give each a name of its own");
  }
  if (!vehicle || has_errors(reading.findings())) throw InputError(reading.findings());
  return {read.name, read.title, read.notes, *std::move(vehicle), vehicle_file, std::move(arms)};
}

VehicleWithArms read_vehicle_with_arms(const fs::path& path, const Folders& folders) {
  return parse_vehicle_with_arms(read_file(path, largest_armed_file), path.string(), folders);
}

}  // namespace fathom::model
