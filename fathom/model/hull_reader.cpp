#include <fmt/format.h>

#include "fathom/base/file.hpp"
#include "fathom/fields/yaml.hpp"
#include "fathom/fields/yaml_values.hpp"
#include "fathom/model/fields.hpp"
#include "fathom/model/geometric_prior.hpp"
#include "fathom/model/internal/command_path.hpp"
#include "fathom/model/internal/sensor_reader.hpp"
#include "fathom/model/internal/shape_reader.hpp"
#include "fathom/model/internal/thruster_section.hpp"
#include "fathom/model/internal/value_reader.hpp"

namespace fathom::model {
namespace {

using yaml::Field;
using yaml::Map;

constexpr std::size_t largest_hull_file = 1u << 20;

template <class T, class Parse>
std::optional<Value<T>> take_value(Map& map, std::string_view key, std::string_view unit, const Parse& parse) {
  const auto field = map.take(key);
  if (!field) return std::nullopt;
  Value<T> value;
  internal::read_value(*field, unit, parse, value);
  return value;
}

HullDescription read_description(const Field& root) {
  HullDescription hull;
  Map map(root);
  yaml::check_format(map, "fathom-hull-1",
                     {{"fathom-robot-1", "is a robot file already", "fathom lint or fathom models"}});
  hull.name = take_name(map);
  if (const auto f = map.take("title")) hull.title = f->text().value_or("");
  if (const auto f = map.take("notes")) hull.notes = f->text().value_or("");
  if (const auto f = map.require("kind", "closed or open_frame: does water go through it?"))
    hull.kind =
        yaml::choice(*f, {"closed", "open_frame"}).value_or(0) == 0 ? HullKind::closed : HullKind::open_frame;
  if (const auto f =
          map.require("shape", "{box: [l, w, h]}, {ellipsoid: [l, w, h]} or {cylinder: {length, diameter}}"))
    hull.hull.shape = internal::read_shape(*f);
  hull.hull.pose.p_pc_p = internal::read_position(map).value;
  hull.hull.pose.q_pc = quaternion_from_euler(internal::read_attitude(map).value);
  if (const auto f = map.require("mass", "kg, dry")) {
    internal::read_value(*f, "kg", internal::AsNumber{"kg"}, hull.mass);
    if (!(hull.mass.value > 0)) f->error(fmt::format("= {} kg, must be positive", hull.mass.value), "");
  }
  const internal::AsVec3 point{"x, y, z in m, body axes forward, starboard, down"};
  hull.volume = take_value<double>(map, "volume", "m^3", internal::AsNumber{"m^3"});
  hull.inertia = take_value<Mat3>(map, "inertia", "kg m^2", internal::AsMat3{});
  hull.centre_of_mass = take_value<Vec3>(map, "centre_of_mass", "m", point);
  hull.centre_of_buoyancy = take_value<Vec3>(map, "centre_of_buoyancy", "m", point);
  hull.thrusters = internal::read_thrusters(map);
  if (const auto f = map.take("sensors"))
    for (const Field& item : f->items()) hull.sensors.push_back(internal::read_sensor(item));
  if (const auto f = map.take("steering")) hull.command_path = internal::read_command_path(*f);
  map.finish();
  return hull;
}

}  // namespace

HullDescription parse_hull_file(const std::string& text, const std::string& file) {
  yaml::Reading reading(file);
  const YAML::Node document =
      yaml::parse_document(text, file, "one hull per file", "a hull file begins with 'format: fathom-hull-1'");
  HullDescription hull = read_description(Field(document, "", reading));
  if (has_errors(reading.findings())) throw InputError(reading.findings());
  try {
    geometric_prior(hull, Environment());  // what is wrong with thrusters or sensors is told here, with lines
  } catch (const InputError& error) {
    reading.add(error.findings());
    throw InputError(reading.findings());
  }
  return hull;
}

HullDescription read_hull_file(const std::filesystem::path& path) {
  return parse_hull_file(read_file(path, largest_hull_file), path.string());
}

}  // namespace fathom::model
