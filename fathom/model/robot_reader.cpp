#include <fmt/format.h>

#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/fields/yaml.hpp"
#include "fathom/fields/yaml_values.hpp"
#include "fathom/model/fields.hpp"
#include "fathom/model/internal/command_path.hpp"
#include "fathom/model/internal/drag_reader.hpp"
#include "fathom/model/internal/identified_reader.hpp"
#include "fathom/model/internal/lint.hpp"
#include "fathom/model/internal/sensor_reader.hpp"
#include "fathom/model/internal/thruster_section.hpp"
#include "fathom/model/internal/value_reader.hpp"
#include "fathom/model/robot_file.hpp"
#include "fathom/model/robot_spec_file.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::model {
namespace {

using internal::AsMat3;
using internal::AsNumber;
using internal::AsVec3;
using internal::inherit;
using internal::read_sensor;
using internal::read_value;
using yaml::Field;
using yaml::Map;
using yaml::Origin;
using yaml::Reading;
using yaml::take_origin;

constexpr std::string_view format_word = "fathom-robot-1";
constexpr std::size_t largest_robot_file = 1u << 22;  // the covariance of every parameter takes 1 MB

Symmetry read_symmetry(const Field& field) {
  Symmetry symmetry;
  static constexpr std::array<std::string_view, 3> words = {"port_starboard", "fore_aft", "top_bottom"};
  for (const Field& item : field.items()) {
    const auto word = item.text();
    if (!word) continue;
    if (*word == words[0])
      symmetry.port_starboard = true;
    else if (*word == words[1])
      symmetry.fore_aft = true;
    else if (*word == words[2])
      symmetry.top_bottom = true;
    else
      item.error(fmt::format("= {}, expected port_starboard, fore_aft or top_bottom", in_quotes(*word)),
                 did_you_mean(*word, words));
  }
  return symmetry;
}

Hull read_hull(const Field& field) {
  Hull hull;
  Map map(field);
  const Origin origin = take_origin(map);
  if (const auto f = map.require("mass", "kg, dry")) read_value(*f, "kg", AsNumber{"kg"}, hull.mass);
  if (const auto f = map.require("inertia", "kg m^2 about the centre of mass"))
    read_value(*f, "kg m^2", AsMat3{}, hull.inertia);
  const AsVec3 point{"x, y, z in m, body axes forward, starboard, down"};
  if (const auto f = map.require("centre_of_mass", "m; [0, 0, 0] if the body origin is there"))
    read_value(*f, "m", point, hull.centre_of_mass);
  if (const auto f = map.require("volume", "m^3 of displaced water"))
    read_value(*f, "m^3", AsNumber{"m^3"}, hull.volume);
  if (const auto f = map.require("centre_of_buoyancy", "m; z is down, so above the origin is negative"))
    read_value(*f, "m", point, hull.centre_of_buoyancy);
  internal::take_added_mass(map, true, hull.added_mass);
  if (const auto f = map.take("size")) {
    hull.size.emplace();
    read_value(*f, "m", AsVec3{"length, width, height in m"}, *hull.size);
    inherit(*hull.size, origin);
  }
  if (const auto f = map.take("symmetry")) hull.symmetry = read_symmetry(*f);
  map.finish();
  inherit(hull.mass, origin);
  inherit(hull.inertia, origin);
  inherit(hull.centre_of_mass, origin);
  inherit(hull.volume, origin);
  inherit(hull.centre_of_buoyancy, origin);
  inherit(hull.added_mass, origin);
  return hull;
}

/// A file of several robots has the same format, but nothing that stands below.
void reject_assembly(const Field& root) {
  if (!root.has("assembly")) return;
  Map(root)
      .take("assembly")
      ->error("stands here: this is an assembly of robots, not one robot",
              "'fathom assemble FILE' writes its merged robot, which can be used here");
  throw InputError(root.reading().findings());
}

/// Nor has one of a vehicle with arms.
void reject_arms(const Field& root) {
  if (!root.has("arms")) return;
  Map(root).take("arms")->error(
      "stand here: this is a vehicle with arms, not one body",
      "'fathom assemble FILE' writes the vehicle with its arms held, which can be used here");
  throw InputError(root.reading().findings());
}

RobotSpec read_spec(const Field& root) {
  RobotSpec spec;
  Map map(root);
  yaml::check_format(map, format_word, {});
  reject_assembly(root);
  reject_arms(root);
  spec.name = take_name(map);
  if (const auto f = map.take("title")) spec.title = f->text().value_or("");
  if (const auto f = map.take("notes")) spec.notes = f->text().value_or("");
  if (const auto f = map.require("hull", "mass, inertia, volume, added_mass ...")) spec.hull = read_hull(*f);
  if (const auto f = map.require("damping", "a list of drag elements; [] if there is none"))
    for (const Field& item : f->items()) spec.damping.push_back(internal::read_drag(item));
  spec.thrusters = internal::read_thrusters(map);
  if (const auto f = map.take("sensors"))
    for (const Field& item : f->items()) spec.sensors.push_back(read_sensor(item));
  if (const auto f = map.take("connectors"))
    for (const Field& item : f->items()) spec.connectors.push_back(read_connector(item));
  if (const auto f = map.take("steering")) spec.command_path = internal::read_command_path(*f);
  if (const auto f = map.take("identified")) spec.identified = internal::read_identified(*f);
  map.finish();
  return spec;
}

/// The robot as the file states it, or nothing and the findings in `reading`.
std::optional<RobotSpec> read_unchecked(const std::string& text, const std::string& file, Reading& reading) {
  const YAML::Node document = yaml::parse_document(text, file, "one robot per file",
                                                   "a robot file begins with 'format: fathom-robot-1'");
  RobotSpec spec = read_spec(Field(document, "", reading));
  // Physics is judged only on a file that could be read: a missing number would look like a wrong one.
  if (has_errors(reading.findings())) return std::nullopt;
  return spec;
}

/// The robot, or nothing and the findings in `reading`.
std::optional<Robot> checked(const std::optional<RobotSpec>& spec, Reading& reading) {
  if (!spec) return std::nullopt;
  try {
    return Robot::make(*spec);
  } catch (const InputError& error) {
    reading.add(error.findings());
    return std::nullopt;
  }
}

}  // namespace

Robot parse_robot(const std::string& text, const std::string& file) {
  Reading reading(file);
  std::optional<Robot> robot = checked(read_unchecked(text, file, reading), reading);
  if (!robot) throw InputError(reading.findings());
  return *std::move(robot);
}

Robot read_robot(const std::filesystem::path& path) {
  return parse_robot(read_file(path, largest_robot_file), path.string());
}

RobotSpecFile read_robot_spec(const std::filesystem::path& path, const Environment& environment) {
  RobotSpecFile result;
  try {
    const std::string text = read_file(path, largest_robot_file);
    Reading reading(path.string());
    result.spec = read_unchecked(text, path.string(), reading);
    const std::optional<Robot> robot = checked(result.spec, reading);
    if (robot) reading.add(internal::lint_robot(*robot, environment));
    result.loads = robot.has_value();
    result.findings = reading.findings();
    result.lines = reading.lines();
  } catch (const InputError& error) {  // missing, not YAML
    result.findings = error.findings();
  }
  return result;
}

}  // namespace fathom::model
