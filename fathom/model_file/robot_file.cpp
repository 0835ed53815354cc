#include "fathom/model_file/robot_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/fields/describe.hpp"
#include "fathom/model_file/internal/arm_table.hpp"
#include "fathom/model_file/internal/lint.hpp"
#include "fathom/model_file/internal/robot_table.hpp"
#include "fathom/model_file/internal/value_codec.hpp"
#include "fathom/model_file/robot_spec_file.hpp"
#include "fathom/model_file/schema.hpp"

namespace fathom::model {
namespace {

constexpr std::string_view robot_format = "fathom-robot-1";
constexpr std::size_t largest_robot_file = 1u << 22;  // the covariance of every parameter takes 1 MB

/// A file of several robots, or of a vehicle with arms, has the same format, but nothing else of a robot.
void reject_other_contents(const yaml::Field& root) {
  const auto reject_key = [&](std::string_view key, std::string message, std::string hint) {
    if (!root.has(key)) return;
    yaml::Map(root).take(key)->error(std::move(message), std::move(hint));
    throw InputError(root.reading().findings());
  };
  reject_key("assembly", "stands here: this is an assembly of robots, not one robot",
             "'fathom assemble FILE' writes its merged robot, which can be used here");
  reject_key("arms", "stand here: this is a vehicle with arms, not one body",
             "'fathom assemble FILE' writes the vehicle with its arms held, which can be used here");
}

/// Gives each thruster the map or transient that it names; all of them must be named.
template <class T>
void share(yaml::Reading& reading, const fields::Named<T>& shared, std::string_view key,
           std::string_view section, std::vector<Thruster>& thrusters, std::optional<T> Thruster::*member,
           std::string Thruster::*name) {
  const auto report = [&](const std::string& path, std::string message, std::string hint) {
    reading.error(path, yaml::nearest_line(reading.lines(), path), std::move(message), std::move(hint));
  };
  std::vector<std::string_view> words, used;
  for (const auto& entry : shared) words.push_back(entry.first);
  for (std::size_t k = 0; k < thrusters.size(); ++k) {
    const std::string& word = thrusters[k].*name;
    if (word.empty()) continue;
    const auto found =
        std::find_if(shared.begin(), shared.end(), [&](const auto& e) { return e.first == word; });
    if (found == shared.end()) {
      report(fmt::format("thrusters[{}].{}", k, key),
             fmt::format("= {}, expected a map of keys or a name defined in {}", in_quotes(word), section),
             did_you_mean(word, words));
      continue;
    }
    thrusters[k].*member = found->second;
    used.push_back(found->first);
  }
  for (const std::string_view word : words)
    if (std::find(used.begin(), used.end(), word) == used.end())
      report(fmt::format("{}.{}", section, word), "is named by no thruster",
             "name it in a thruster, or remove it");
}

/// The robot as the file states it, or nothing and the findings in `reading`.
std::optional<RobotSpec> read_unchecked(const std::string& text, const std::string& file,
                                        yaml::Reading& reading) {
  const YAML::Node document = yaml::parse_document(text, file, "one robot per file",
                                                   "a robot file begins with 'format: fathom-robot-1'");
  const yaml::Field root(document, "", reading);
  RobotFile robot;
  yaml::Map map(root);
  yaml::check_format(map, robot_format, {});
  reject_other_contents(root);
  fields::read_keys(map, root, fields::Table<RobotFile>::fields(), &robot);
  find_shared(reading, robot.thruster_maps, robot.thruster_transients, robot.spec.thrusters);
  map.finish();
  // Physics is judged only on a file that could be read: a missing number would look like a wrong one.
  if (has_errors(reading.findings())) return std::nullopt;
  return std::move(robot.spec);
}

/// The robot, or nothing and the findings in `reading`.
std::optional<Robot> checked(const std::optional<RobotSpec>& spec, yaml::Reading& reading) {
  if (!spec) return std::nullopt;
  try {
    return Robot::make(*spec);
  } catch (const InputError& error) {
    reading.add(error.findings());
    return std::nullopt;
  }
}

/// The maps or transients that have a name, each once.
template <class T>
fields::Named<T> shared_by(const std::vector<Thruster>& thrusters, std::optional<T> Thruster::*member,
                           std::string Thruster::*name) {
  fields::Named<T> shared;
  for (const Thruster& thruster : thrusters) {
    const std::string& word = thruster.*name;
    if (word.empty() || !(thruster.*member) ||
        std::any_of(shared.begin(), shared.end(), [&](const auto& entry) { return entry.first == word; }))
      continue;
    shared.emplace_back(word, *(thruster.*member));
  }
  return shared;
}

template <class T>
std::string named_to_yaml(const char* section, const std::string& name, const T& value) {
  return fields::emit_yaml({{section, {{name, fields::to_json(value)}}}});
}

}  // namespace

void find_shared(yaml::Reading& reading, const fields::Named<ThrusterMap>& maps,
                 const fields::Named<Transient>& transients, std::vector<Thruster>& thrusters) {
  share(reading, maps, "map", "thruster_maps", thrusters, &Thruster::map, &Thruster::map_name);
  share(reading, transients, "transient", "thruster_transients", thrusters, &Thruster::transient,
        &Thruster::transient_name);
}

Robot parse_robot(const std::string& text, const std::string& file) {
  yaml::Reading reading(file);
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
    yaml::Reading reading(path.string());
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

std::string robot_to_yaml(const Robot& robot) {
  const std::vector<Thruster>& thrusters = robot.thrusters();
  const RobotFile file{robot.spec(), shared_by(thrusters, &Thruster::map, &Thruster::map_name),
                       shared_by(thrusters, &Thruster::transient, &Thruster::transient_name)};
  fields::Json json = {{"format", robot_format}};
  json.update(fields::to_json(file));
  return fields::emit_yaml(json);
}

std::string thruster_map_to_yaml(const std::string& name, const ThrusterMap& map) {
  return named_to_yaml("thruster_maps", name, map);
}

std::string thruster_transient_to_yaml(const std::string& name, const Transient& transient) {
  return named_to_yaml("thruster_transients", name, transient);
}

fields::Json robot_schema() {
  const fields::Json either = {
      {"oneOf", {fields::schema_of<RobotFile>(), internal::vehicle_with_arms_schema()}}};
  return fields::schema_file(either, "urn:fathom:robot:1", "Fathom robot file, fathom-robot-1", robot_format);
}

void write_robot(const Robot& robot, const std::filesystem::path& path) {
  write_file_atomically(path, robot_to_yaml(robot));
}

}  // namespace fathom::model
