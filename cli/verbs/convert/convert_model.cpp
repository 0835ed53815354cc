#include "cli/verbs/convert/convert_model.hpp"

#include <fstream>

#include <fmt/format.h>

#include "fathom/exchange/import.hpp"
#include "fathom/fields/yaml.hpp"
#include "fathom/model/robot_file.hpp"

#include "cli/finish.hpp"
#include "cli/output.hpp"
#include "cli/verbs/export/exchange_text.hpp"

namespace fathom::cli {
namespace {

namespace fs = std::filesystem;

/// The robot that a model describes. What nature forbids is told with the line of the model.
model::Robot imported_robot(const exchange::Imported& imported, const std::string& source) {
  try {
    return model::Robot::make(imported.spec);
  } catch (const InputError& error) {
    std::map<std::string, int> lines;
    for (const auto& [key, place] : imported.places) lines[key] = place.line;
    Findings findings = error.findings();
    for (Finding& finding : findings) {
      finding.file = source;
      finding.line = yaml::nearest_line(lines, finding.key);
      // A matrix is judged as a whole; its entries have the lines.
      const auto below = lines.lower_bound(finding.key);
      if (finding.line == 0 && below != lines.end() && below->first.starts_with(finding.key))
        finding.line = below->second;
      // Robot files have keys for the other sign, models of other programs have not.
      if (finding.wrong_sign)
        finding.hint = "a sign turned over? fathom lint " + shell_word(source) + " says which";
    }
    throw InputError(findings);
  }
}

nlohmann::ordered_json model_summary(const std::string& source, const exchange::Imported& imported) {
  nlohmann::ordered_json places = nlohmann::ordered_json::object();
  for (const auto& [key, place] : imported.places)
    places[key] = {{"file", place.file}, {"line", place.line}, {"tag", place.tag}};
  return {{"command", "convert " + shell_word(source)},
          {"robot", imported.spec.name},
          {"format", exchange::facts_of(imported.format).name},
          {"losses", losses_json(imported.losses)},
          {"places", places}};
}

std::string model_text(const exchange::Imported& imported, const model::Robot& robot) {
  return fmt::format("{}: a model of {}, {} kg, {} thruster{}\n{}", robot.name(),
                     exchange::facts_of(imported.format).title, robot.hull().mass.value,
                     robot.thrusters().size(), robot.thrusters().size() == 1 ? "" : "s",
                     losses_text(imported.losses));
}

}  // namespace

bool is_model_file(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(256, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  if (begin.starts_with("\xef\xbb\xbf")) begin.erase(0, 3);
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  const std::string extension = path.extension().string();
  return (first != std::string::npos && begin[first] == '<') || extension == ".sdf" || extension == ".urdf";
}

int convert_model(const Verb& verb, const std::string& source) {
  const exchange::Imported imported = exchange::import_model(source);
  const model::Robot robot = imported_robot(imported, source);
  nlohmann::ordered_json summary = model_summary(source, imported);
  const std::string text = model_text(imported, robot);
  if (const fs::path file = verb.common().out; file.extension() == ".yaml" || file.extension() == ".yml") {
    check_not_read(file, {source});
    model::write_robot(robot, file);
    summary["files"] = {file.string()};
    verb.print(summary, text + fmt::format("written: {}\n", file.string()));
    return Status::done;
  }
  const std::string name = robot.name() + ".yaml";
  OutputFolder out(verb.out_folder(robot.name()), {verb.name(), {source}, {name, "summary.json"}});
  out.write(name, model::robot_to_yaml(robot));
  finish(verb, std::move(summary), {name, "summary.json"}, text, out);
  return Status::done;
}

}  // namespace fathom::cli
