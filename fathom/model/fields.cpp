#include "fathom/model/fields.hpp"

#include <utility>

#include <fmt/format.h>

#include "fathom/base/shelf.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model/catalogue.hpp"
#include "fathom/model/internal/value_reader.hpp"
#include "fathom/model/robot_file.hpp"

namespace fathom::model {

namespace {

/// What keeps a robot from being found or read, told at the field that names it.
void pass_on(const yaml::Field& field, const InputError& error) {
  Finding first = error.findings().front();
  const std::string hint = std::exchange(first.hint, "");
  field.error(first.file.empty() ? "cannot be found: " + first.message : "cannot be used: " + first.text(),
              hint);
}

/// A path in a file is meant from where that file lies. Nothing, and an error, where there is no such file.
std::optional<std::string> path_from(const yaml::Field& field, std::string path,
                                     const std::filesystem::path& beside) {
  if (std::filesystem::path(path).is_relative()) path = (beside / path).lexically_normal().string();
  if (path.find('/') == std::string::npos) path = "./" + path;
  std::error_code none;
  if (std::filesystem::exists(path, none)) return path;
  field.error(fmt::format("= {}, which does not exist", in_quotes(path)),
              "a path is meant from the folder of this file");
  return std::nullopt;
}

/// Files of arms by name. Throws InputError that names the nearest.
std::filesystem::path find_arm_in(const std::string& name, const std::vector<std::filesystem::path>& folders) {
  std::vector<std::string> names;
  for (const std::filesystem::path& file : list_robot_files(folders)) {
    if (file.stem() == name) return file;
    names.push_back(file.stem().string());
  }
  refuse_name("arm", name, names, fmt::format("there are {}; a path ends in .yaml", fmt::join(names, ", ")));
}

}  // namespace

std::optional<std::filesystem::path> find_named_robot(const yaml::Field& field,
                                                      const std::filesystem::path& beside,
                                                      const std::vector<std::filesystem::path>& folders) {
  auto name = field.text();
  if (name && is_path(*name)) name = path_from(field, *name, beside);
  if (!name) return std::nullopt;
  try {
    return find_robot_file(*name, folders);
  } catch (const InputError& error) {
    pass_on(field, error);
    return std::nullopt;
  }
}

std::optional<Robot> read_named_robot(const yaml::Field& field, const std::filesystem::path& beside,
                                      const std::vector<std::filesystem::path>& folders, std::string* file) {
  const auto found = find_named_robot(field, beside, folders);
  if (!found) return std::nullopt;
  if (file) *file = found->string();
  try {
    return read_robot(*found);
  } catch (const InputError& error) {
    pass_on(field, error);
    return std::nullopt;
  }
}

std::optional<Arm> read_named_arm(const yaml::Field& field, const std::filesystem::path& beside,
                                  const std::vector<std::filesystem::path>& folders, std::string* file) {
  auto name = field.text();
  const bool is_file = name && (is_path(*name) || name->ends_with(".urdf"));
  if (is_file) name = path_from(field, *name, beside);
  if (!name) return std::nullopt;
  try {
    const std::string found = is_file ? *name : find_arm_in(*name, folders).string();
    if (file) *file = found;
    return read_arm(found);
  } catch (const InputError& error) {
    pass_on(field, error);
    return std::nullopt;
  }
}

Connector read_connector(const yaml::Field& field) {
  Connector connector;
  yaml::Map map(field);
  connector.name = take_name(map);
  const yaml::Origin origin = yaml::take_origin(map);
  connector.position_b = internal::read_position(map);
  connector.attitude_rpy = internal::read_attitude(map);
  map.finish();
  internal::inherit(connector.position_b, origin);
  internal::inherit(connector.attitude_rpy, origin);
  return connector;
}

std::string take_name(yaml::Map& map) {
  const auto field = map.require("name", "a short word");
  return field ? field->text().value_or("") : "";
}

Environment take_environment(yaml::Map& map) {
  double density = fresh_water, gravity = 9.81;
  yaml::read_positive(map, "density", "kg/m^3", density);
  yaml::read_positive(map, "gravity", "m/s^2", gravity);
  return Environment(density, gravity);
}

std::optional<yaml::Box> take_tank(const yaml::Field& field, yaml::Map& map) {
  auto tank = yaml::read_box(field, map, "m north, east, down; down is positive");
  if (tank && (tank->min.z() > 0 || tank->max.z() <= 0)) {
    field.error(fmt::format("reaches from {} to {} m down, but the surface of the water is at 0", tank->min.z(),
                            tank->max.z()),
                "down is positive: min [.., .., 0], max [.., .., depth]");
    return std::nullopt;
  }
  return tank;
}

}  // namespace fathom::model
