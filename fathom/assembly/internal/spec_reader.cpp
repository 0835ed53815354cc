#include "fathom/assembly/internal/spec_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/assembly/internal/spec_check.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model_file/fields.hpp"

namespace fathom::assembly::internal {
namespace {

using yaml::Field;
using yaml::Map;

/// What one file may ask for: below it memory is no concern, beyond it nobody wrote it by hand.
constexpr std::size_t most_bytes = 512u << 20, most_given_connectors = 16384;

/// `A.starboard-frame.port` as a name: points become underscores.
std::string default_name(const AssemblySpec& spec, const Coupling& coupling, std::size_t number) {
  std::string name = fmt::format("{}-{}", end_name(spec, coupling.ends[0]), end_name(spec, coupling.ends[1]));
  std::replace(name.begin(), name.end(), '.', '_');
  return is_plain_name(name) ? name : fmt::format("coupling-{}", number + 1);
}

std::vector<std::string_view> connector_names(const Module& module) {
  std::vector<std::string_view> names;
  names.reserve(module.connectors.size());
  for (const model::Connector& connector : module.connectors) names.push_back(connector.name);
  return names;
}

/// The first few.
std::string list_text(std::vector<std::string_view> names) {
  constexpr std::size_t most = 12;
  const bool is_cut = names.size() > most;
  if (is_cut) names.resize(most);
  return fmt::format("{}{}", join(names, ", "), is_cut ? ", ..." : "");
}

}  // namespace

AssemblySpec SpecReader::read(const Field& root) {
  reading_ = &root.reading();
  AssemblyFile file;
  Map map(root);
  yaml::check_format(map, "fathom-robot-1", {});
  fields::read_keys(map, root, fields::Table<AssemblyFile>::fields(), &file);
  if (!map.has("assembly")) throw InputError(reading_->findings());  // a robot: none of its keys is at fault
  for (const char* key : {"hull", "damping", "thruster_maps", "thruster_transients", "thrusters", "sensors",
                          "connectors", "command_path", "steering", "identified"})
    if (const auto field = map.take(key))
      field->error("stands beside assembly", "an assembly has none of its own; its modules' files have");
  map.finish();
  const AssemblyEntry& assembly = file.assembly;
  spec_ = {file.name, file.title, file.notes, {}, {}, assembly.tolerance, assembly.one_cluster};
  for (std::size_t k = 0; k < assembly.modules.size() && !is_full_; ++k)
    add_module(fmt::format("assembly.modules[{}]", k), assembly.modules[k]);
  if (assembly.modules.empty()) return std::move(spec_);
  for (std::size_t k = 0; k < assembly.couplings.size(); ++k) {
    if (wrong_ends_ >= most_findings) {
      report("assembly.couplings", "has more entries, which were not read", "mend those above first");
      break;
    }
    add_coupling(fmt::format("assembly.couplings[{}]", k), assembly.couplings[k]);
  }
  return std::move(spec_);
}

void SpecReader::report(const std::string& key, std::string message, std::string hint) {
  reading_->error(key, yaml::nearest_line(reading_->lines(), key), std::move(message), std::move(hint));
}

void SpecReader::add_module(const std::string& key, const ModuleEntry& entry) {
  std::vector<model::Connector> connectors;
  if (const auto& field = entry.connectors.field) {
    fields::Spec spec{.unit = {}, .what = {}, .hint = "several assemblies?", .must = {}};
    spec.most_entries = most_given_connectors - given_connectors_;
    fields::read(*field, connectors, spec);
    given_connectors_ += connectors.size();
  }
  const FilePart* part = entry.robot.field ? files_.part(*entry.robot.field, beside_, told_) : nullptr;
  if (!part) {
    unread_.insert(entry.name);
    return;
  }
  if (!has_room(key, *part)) return;
  if (!part->is_assembly) return add_robot(key, entry, std::move(connectors), *part);
  if (entry.connectors.field)
    entry.connectors.field->error(fmt::format("stands beside an assembly, {}", in_quotes(entry.name)),
                                  "give them to the module that has them, in the assembly's own file");
  add_nested(key, entry, *part);
}

bool SpecReader::has_room(const std::string& key, const FilePart& part) {
  bytes_ += part.bytes;
  const std::size_t count = spec_.modules.size() + part.modules.size();
  if (count > most_modules)
    report(key, fmt::format("makes {} modules of this assembly, at most {}", count, most_modules),
           "nested assemblies count with all their modules");
  else if (bytes_ > most_bytes)
    report(key, fmt::format("makes the robots of this assembly larger than {} MB", most_bytes >> 20),
           "smaller robot files: fewer sensors, no identified covariance");
  else
    return true;
  is_full_ = true;
  return false;
}

void SpecReader::add_robot(const std::string& key, const ModuleEntry& entry,
                           std::vector<model::Connector> connectors, const FilePart& part) {
  Module module = part.modules.front();
  module.name = entry.name;
  if (entry.position) module.pose = {entry.attitude, *entry.position};
  for (model::Connector& connector : connectors) module.connectors.push_back(std::move(connector));
  module_by_name_.emplace(module.name, spec_.modules.size());
  spec_.modules.push_back(std::move(module));
  module_keys_.push_back(key);
  is_own_module_.push_back(true);
}

void SpecReader::add_nested(const std::string& key, const ModuleEntry& outer, const FilePart& part) {
  const std::size_t first = spec_.modules.size();
  for (std::size_t k = 0; k < part.modules.size(); ++k) {
    Module module = part.modules[k];
    module.name = fmt::format("{}-{}", outer.name, module.name);
    module.pose.reset();
    if (outer.position) module.pose = Pose{outer.attitude, *outer.position} * part.poses[k];
    module_by_name_.emplace(module.name, spec_.modules.size());
    spec_.modules.push_back(std::move(module));
    module_keys_.push_back(key);
    is_own_module_.push_back(false);
  }
  for (Coupling coupling : part.couplings) {
    coupling.name = fmt::format("{}-{}", outer.name, coupling.name);
    for (End& end : coupling.ends) end.module += first;
    spec_.couplings.push_back(std::move(coupling));
    coupling_keys_.push_back(key);
    is_own_coupling_.push_back(false);
  }
  nested_.emplace(outer.name, spec_.modules[first].name);
}

void SpecReader::add_coupling(const std::string& key, const CouplingEntry& entry) {
  const auto& between = entry.between.field;
  if (!between) return;
  if (!between->is_list() || between->node().size() != 2)
    return between->error("must be two connectors", "[A.starboard, B.port]");
  const std::vector<Field> ends = between->items();
  const auto a = read_end(ends[0]), b = read_end(ends[1]);
  if (!a || !b) return;
  Coupling coupling{"", {*a, *b}, entry.turn};
  coupling.name = entry.name ? *entry.name : default_name(spec_, coupling, spec_.couplings.size());
  spec_.couplings.push_back(std::move(coupling));
  coupling_keys_.push_back(key);
  is_own_coupling_.push_back(true);
}

/// `module.connector`
std::optional<End> SpecReader::read_end(const Field& field) {
  const auto text = field.text();
  if (!text) return std::nullopt;
  const std::size_t point = text->find('.');
  if (point == std::string::npos || !is_plain_name(text->substr(0, point)) ||
      !is_plain_name(text->substr(point + 1))) {
    ++wrong_ends_;
    field.error(fmt::format("= {}, expected module.connector", in_quotes(*text)), "such as A.starboard");
    return std::nullopt;
  }
  const std::string name = text->substr(0, point), connector = text->substr(point + 1);
  const auto found = module_by_name_.find(name);
  if (found == module_by_name_.end()) {
    reject_module(field, *text, name);
    return std::nullopt;
  }
  const std::vector<std::string_view> names = connector_names(spec_.modules[found->second]);
  const auto place = std::find(names.begin(), names.end(), connector);
  if (place != names.end()) return End{found->second, static_cast<std::size_t>(place - names.begin())};
  ++wrong_ends_;
  const std::string nearest = nearest_word(connector, names);
  const std::string known = names.empty() ? fmt::format("{} has none: give it some under connectors", name)
                                          : fmt::format("{} has {}", name, list_text(names));
  field.error(fmt::format("= {}: module {} has no connector {}", in_quotes(*text), in_quotes(name),
                          in_quotes(connector)),
              nearest.empty() ? known : fmt::format("did you mean {}.{}? {}", name, nearest, known));
  return std::nullopt;
}

void SpecReader::reject_module(const Field& field, const std::string& text, const std::string& name) {
  // What could not be read, or was not read any more, must not be missed too.
  const bool is_of_unread =
      is_full_ || std::any_of(unread_.begin(), unread_.end(), [&](const std::string& unread) {
        return name == unread || name.starts_with(unread + '-');
      });
  if (is_of_unread) return;
  ++wrong_ends_;
  std::vector<std::string_view> names;
  names.reserve(spec_.modules.size());
  for (const Module& module : spec_.modules) names.push_back(module.name);
  const auto nested = nested_.find(name);
  field.error(fmt::format("= {}: there is no module {}", in_quotes(text), in_quotes(name)),
              nested != nested_.end()
                  ? fmt::format("{} is an assembly: name one of its modules, such as {}", name, nested->second)
                  : did_you_mean(name, names, fmt::format("there are {}", list_text(names))));
}

std::string SpecReader::key_in_file(const std::string& key) const {
  const auto translate = [&](std::string_view list, const std::vector<std::string>& keys,
                             const std::vector<bool>& is_own) -> std::optional<std::string> {
    const std::size_t close = key.find(']');
    if (!key.starts_with(fmt::format("{}[", list)) || close == std::string::npos) return std::nullopt;
    const std::size_t k = std::stoul(key.substr(list.size() + 1));
    return keys[k] + (is_own[k] ? key.substr(close + 1) : "");
  };
  if (const auto module = translate("modules", module_keys_, is_own_module_)) return *module;
  if (const auto coupling = translate("couplings", coupling_keys_, is_own_coupling_)) return *coupling;
  return key == "name" ? key : "assembly." + key;
}

}  // namespace fathom::assembly::internal
