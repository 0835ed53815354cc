#include "fathom/assembly/assembly_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/assembly/internal/spec_reader.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model_file/fields.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::assembly {
namespace internal {
namespace {

constexpr std::size_t deepest_nesting = 16;

YAML::Node document_of(const std::string& text, const std::string& file) {
  return yaml::parse_document(text, file, "one assembly per file",
                              "an assembly file begins with 'format: fathom-robot-1'");
}

/// One name for a file, however it is reached.
std::string identity_of(const std::filesystem::path& path) {
  std::error_code error;
  const auto canonical = std::filesystem::weakly_canonical(path, error);
  return (error ? path.lexically_normal() : canonical).string();
}

/// What a copy of a robot takes, about: its parts, and texts as long as those of its file.
std::size_t bytes_of(const model::Robot& robot, const std::string& text) {
  return sizeof(Module) + text.size() + robot.damping().size() * sizeof(model::DragElement) +
         robot.thrusters().size() * sizeof(model::Thruster) + robot.sensors().size() * sizeof(model::Sensor) +
         2 * robot.connectors().size() * sizeof(model::Connector);
}

}  // namespace

Assembly FileReader::read(const std::string& text, const std::string& file) {
  yaml::Reading reading(file);
  const YAML::Node document = document_of(text, file);
  SpecReader spec_reader(*this, std::filesystem::path(file).parent_path());
  open_.push_back(identity_of(file));
  AssemblySpec spec;
  try {
    spec = spec_reader.read(yaml::Field(document, "", reading));
  } catch (...) {
    open_.pop_back();
    throw;
  }
  open_.pop_back();
  if (has_errors(reading.findings())) throw InputError(reading.findings());
  try {
    return Assembly::make(std::move(spec));
  } catch (const InputError& error) {
    Findings findings = error.findings();
    for (Finding& finding : findings) finding.key = spec_reader.key_in_file(finding.key);
    reading.add(findings);
    throw InputError(reading.findings());
  }
}

FilePart FileReader::read_part(const std::filesystem::path& path) {
  FilePart part;
  try {
    const std::string text = read_file(path, largest_assembly_file);
    yaml::Reading unused(path.string());
    part.is_assembly = yaml::Field(document_of(text, path.string()), "", unused).has("assembly");
    if (part.is_assembly) {
      Assembly assembly = read(text, path.string());
      part.poses = assembly.poses();
      part.couplings = assembly.couplings();
      part.modules = assembly.modules();
      for (const Module& module : part.modules)
        part.bytes += robot_bytes_.at(module.robot_file) + module.connectors.size() * sizeof(model::Connector);
    } else {
      model::Robot robot = model::parse_robot(text, path.string());
      part.bytes = robot_bytes_[path.string()] = bytes_of(robot, text);
      std::vector<model::Connector> connectors = robot.connectors();
      part.poses = {Pose()};
      part.modules.push_back({"", std::move(robot), path.string(), std::move(connectors)});
    }
  } catch (const InputError& error) {
    part.error = error.findings().front();
  }
  return part;
}

const FilePart* FileReader::part(const yaml::Field& field, const std::filesystem::path& beside,
                                 std::set<const FilePart*>& told) {
  const auto path = model::find_named_robot(field, beside, folders_);
  if (!path) return nullptr;
  const std::string identity = identity_of(*path);
  if (const auto again = std::find(open_.begin(), open_.end(), identity); again != open_.end()) {
    std::vector<std::string> cycle;
    for (auto file = again; file != open_.end(); ++file)
      cycle.push_back(std::filesystem::path(*file).filename().string());
    cycle.push_back(cycle.front());
    field.error(fmt::format("= {} closes a cycle of files: {}", in_quotes(field.text().value_or("")),
                            join(cycle, " -> ")),
                "an assembly cannot be a module of itself");
    return nullptr;
  }
  if (open_.size() > deepest_nesting) {
    field.error(fmt::format("is nested deeper than {} files", deepest_nesting), "assemblies of fewer levels");
    return nullptr;
  }
  auto found = parts_.find(identity);
  if (found == parts_.end())
    found = parts_.emplace(identity, std::make_unique<FilePart>(read_part(*path))).first;
  const FilePart* part = found->second.get();
  if (!part->error) return part;
  if (told.insert(part).second) {
    Finding first = *part->error;
    const std::string hint = std::exchange(first.hint, "");
    field.error("cannot be used: " + first.text(), hint);
  }
  return nullptr;
}

}  // namespace internal

Assembly parse_assembly(const std::string& text, const std::string& file,
                        const std::vector<std::filesystem::path>& robot_folders) {
  return internal::FileReader(robot_folders).read(text, file);
}

Assembly read_assembly(const std::filesystem::path& path,
                       const std::vector<std::filesystem::path>& robot_folders) {
  return parse_assembly(read_file(path, internal::largest_assembly_file), path.string(), robot_folders);
}

bool is_assembly_file(const std::filesystem::path& path) {
  try {
    const std::string file = path.string(), text = read_file(path, internal::largest_assembly_file);
    std::string letters = text;
    std::erase(letters, '\0');  // of UTF-16 and UTF-32
    if (letters.find("assembly") == std::string::npos) return false;
    yaml::Reading unused(file);
    return yaml::Field(internal::document_of(text, file), "", unused).has("assembly");
  } catch (const InputError&) {  // missing, too large, not YAML: whoever reads it as a robot will say so
    return false;
  }
}

}  // namespace fathom::assembly
