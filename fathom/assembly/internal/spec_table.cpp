#include "fathom/assembly/internal/spec_table.hpp"

#include "fathom/assembly/assembly_file.hpp"
#include "fathom/assembly/internal/spec_check.hpp"
#include "fathom/fields/describe.hpp"
#include "fathom/model_file/fields.hpp"

// Keys of assembly files. assembly::Assembly::make enforces the ranges, because an assembly need not come from
// a file.
namespace fathom::assembly::internal {
namespace {

using fields::Json;
using fields::Spec;

struct EndsForm {
  static Json schema(const Spec&) {
    const Json end = {{"type", "string"},
                      {"pattern", "^[A-Za-z0-9][A-Za-z0-9_-]*\\.[A-Za-z0-9][A-Za-z0-9_-]*$"}};
    return {{"type", "array"}, {"items", end}, {"minItems", 2}, {"maxItems", 2}};
  }
};
using Connectors = fields::Codec<std::vector<model::Connector>>;

}  // namespace
}  // namespace fathom::assembly::internal

// clang-format off
namespace fathom::fields {

using namespace assembly;
using namespace assembly::internal;

template <> const Keys& Table<Tolerance>::fields() {
  static const Keys keys = stated({
      field<&Tolerance::distance>("distance").unit("m").at_least(0)
          .doc("Largest gap of a closed loop, or between a pose and its couplings."),
      field<&Tolerance::angle, Degrees<double>>("angle_deg").unit("degrees").between(0, 180).doc("Largest angle of the same.")});
  return keys;
}
template <> const Keys& Table<ModuleEntry>::fields() {
  using T = ModuleEntry;
  constexpr std::string_view both = "a module has both, or neither: then they follow from the couplings";
  static const Keys keys{
      field<&T::name, NameText>("name").required("a short word").doc("A word of its own among the modules."),
      field<&T::robot, LaterAs<WordText>>("robot").required("a robot's name, or a path from this file")
          .doc("Name of a robot, or path of the file of a robot or an assembly."),
      field<&T::connectors, LaterAs<Connectors>>("connectors").doc("Connectors beside those of the robot's own file."),
      field<&T::position>("position").unit("m").what("x, y, z in m, in the assembly's frame")
          .doc("Origin in the assembly's frame; left out: by the couplings."),
      field<&T::attitude, EulerAngles<Codec<Vec3>>>("attitude").unit("rad").what("roll, pitch, yaw").only_beside("position", both)
          .doc("Roll, pitch, yaw (z-y-x) from the assembly's axes.")
          .or_key(field<&T::attitude, EulerAngles<Degrees<Vec3>>>("attitude_deg").unit("deg").what("roll, pitch, yaw")
          .doc("The same in degrees."))};
  return keys;
}
template <> const Keys& Table<CouplingEntry>::fields() {
  using T = CouplingEntry;
  static const Keys keys{
      field<&T::name, OptionalCodec<std::string, NameText>>("name").doc("A word of its own among the couplings; left out: by its ends."),
      field<&T::between, LaterAs<EndsForm>>("between").required("two connectors: [A.starboard, B.port]")
          .doc("Two connectors, each as module.connector."),
      field<&T::turn, Degrees<double>>("turn_deg").unit("degrees")
          .doc("Turn of the second module about the x axis of the first connector.")};
  return keys;
}
template <> const Keys& Table<AssemblyEntry>::fields() {
  using T = AssemblyEntry;
  static const Keys keys{
      field<&T::one_cluster>("one_cluster").doc("Whether all modules must hang together."),
      field<&T::tolerance>("tolerance").doc("How well poses and closed loops must agree."),
      field<&T::modules>("modules").entries(1, most_modules).what("at least one {name: A, robot: bluerov2-heavy}")
          .hint("several assemblies?")
          .required("a list of {name: A, robot: bluerov2-heavy}").doc("Robots and assemblies, coupled or not."),
      field<&T::couplings>("couplings").entries(0, most_couplings).hint("several assemblies?").doc("Couplings of two connectors each.")};
  return keys;
}
template <> const Keys& Table<AssemblyFile>::fields() {
  using T = AssemblyFile;
  static const Keys keys{
      field<&T::name, PlainName>("name").required("a short word").doc("Name of the assembly."),
      field<&T::title>("title").doc("One line for people."),
      field<&T::notes>("notes").doc("Free text."),
      field<&T::assembly>("assembly").required("modules, couplings; a robot alone: 'fathom models' shows it")
          .doc("Robots and how they are coupled.")};
  return keys;
}

}  // namespace fathom::fields
// clang-format on

fathom::fields::Json fathom::assembly::assembly_schema() {
  using namespace fields;
  return schema_file(schema_of<internal::AssemblyFile>(), "urn:fathom:assembly:1",
                     "Fathom assembly, fathom-robot-1", "fathom-robot-1");
}
