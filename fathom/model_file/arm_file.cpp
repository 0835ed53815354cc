#include "fathom/model_file/arm_file.hpp"

#include "fathom/base/file.hpp"
#include "fathom/fields/describe.hpp"
#include "fathom/model_file/internal/arm_table.hpp"
#include "fathom/model_file/schema.hpp"

namespace fathom::model {
namespace {

constexpr std::string_view arm_format = "fathom-arm-1";
constexpr std::size_t largest_arm_file = 4u << 20;  // YAML takes 100 times its size in memory
constexpr std::size_t largest_urdf = 16u << 20;     // as fields/xml_file.hpp has it

struct ArmFile {
  ArmSpec arm;
};

constexpr fields::Layout layout = {
    .is_in_line =
        [](std::string_view key, const fields::Json& map) {
          const bool holds_value = key == "value" || key == "sigma" || key == "quadratic";
          return key == "limits" || key == "gear" || key == "screw_lever" || key == "motor" ||
                 (holds_value && !map.contains("value"));
        },
    .is_word =
        [](std::string_view key, std::string_view text) {
          return key == "format" || key == "kind" || (key == "parent" && text == "base");
        }};

}  // namespace
}  // namespace fathom::model

template <>
const fathom::fields::Keys& fathom::fields::Table<fathom::model::ArmFile>::fields() {
  static const Keys keys{
      field<&model::ArmFile::arm>("arm").required("name, joints").doc("Arm on a base that stands or moves.")};
  return keys;
}

namespace fathom::model {

std::optional<Arm> internal::make_arm(ArmSpec spec, yaml::Reading& reading, const std::string& key) {
  // Physics is judged only on a file that could be read: a missing number would look like a wrong one.
  if (has_errors(reading.findings())) return std::nullopt;
  try {
    return Arm::make(std::move(spec));
  } catch (const InputError& error) {
    Findings findings = error.findings();
    for (Finding& finding : findings) finding.key = key + "." + finding.key;
    reading.add(findings);
    return std::nullopt;
  }
}

Arm parse_arm(const std::string& text, const std::string& file) {
  yaml::Reading reading(file);
  const YAML::Node document =
      yaml::parse_document(text, file, "one arm per file", "an arm file begins with 'format: fathom-arm-1'");
  const yaml::Field root(document, "", reading);
  ArmFile read;
  yaml::Map map(root);
  yaml::check_format(
      map, arm_format,
      {{"fathom-robot-1", "this is a robot, not an arm", "an arm file begins with 'format: fathom-arm-1'"}});
  fields::read_keys(map, root, fields::Table<ArmFile>::fields(), &read);
  map.finish();
  std::optional<Arm> arm = internal::make_arm(std::move(read.arm), reading, "arm");
  if (!arm) throw InputError(reading.findings());
  return *std::move(arm);
}

Arm read_arm(const std::string& path) {
  if (path.ends_with(".urdf")) return parse_urdf_arm(read_file(path, largest_urdf), path);
  return parse_arm(read_file(path, largest_arm_file), path);
}

std::string arm_to_yaml(const Arm& arm) {
  return fields::emit_yaml({{"format", arm_format}, {"arm", fields::to_json(arm.spec())}}, layout);
}

void write_arm(const Arm& arm, const std::string& path) { write_file_atomically(path, arm_to_yaml(arm)); }

fields::Json arm_schema() {
  return fields::schema_file(fields::schema_of<ArmFile>(), "urn:fathom:arm:1", "Fathom arm file, fathom-arm-1",
                             arm_format);
}

}  // namespace fathom::model
