#include "fathom/assembly/internal/spec_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/assembly/internal/spec_check.hpp"
#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/fields/yaml_values.hpp"
#include "fathom/model_file/fields.hpp"

namespace fathom::assembly::internal {
namespace {

using yaml::Field;
using yaml::Map;

/// What one file may ask for: below it memory is no concern, beyond it nobody wrote it by hand.
constexpr std::size_t most_bytes = 512u << 20, most_given_connectors = 16384;

/// The keys position and attitude or attitude_deg; nothing where there is no position.
std::optional<Pose> take_pose(Map& map) {
  const auto position = map.take("position");
  const auto radians = map.take("attitude"), degrees = map.take("attitude_deg");
  if (radians && degrees) degrees->error("stands beside attitude", "give one of them");
  if (!position) {
    if (const auto& alone = radians ? radians : degrees)
      alone->error("stands without position",
                   "a module has both, or neither: then they follow from the couplings");
    return std::nullopt;
  }
  Pose pose;
  pose.p_pc_p = yaml::vec3(*position, "x, y, z in m, in the assembly's frame").value_or(Vec3::Zero());
  if (const auto& angles = radians ? radians : degrees) {
    const Vec3 rpy = yaml::vec3(*angles, "roll, pitch, yaw").value_or(Vec3::Zero());
    pose.q_pc = quaternion_from_euler(radians ? rpy : Vec3(rpy * degree));
  }
  return pose;
}

void read_tolerance(const Field& field, Tolerance& tolerance) {
  Map map(field);
  if (const auto f = map.take("distance"))
    if (const auto distance = f->number("m")) tolerance.distance = *distance;
  if (const auto f = map.take("angle_deg"))
    if (const auto angle = f->number("degrees")) tolerance.angle = *angle * degree;
  map.finish();
}

/// The entries of a list that is not absurdly long.
std::vector<Field> some_items(const Field& field, std::size_t most) {
  if (field.is_list() && field.node().size() > most) {
    field.error(fmt::format("has {} entries, at most {}", field.node().size(), most), "several assemblies?");
    return {};
  }
  return field.items();
}

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
  Map map(root);
  yaml::check_format(map, "fathom-robot-1", {});
  if (const auto f = map.require("name", "a short word")) {
    spec_.name = f->text().value_or("");
    yaml::check_name(*f, spec_.name);
  }
  if (const auto f = map.take("title")) spec_.title = f->text().value_or("");
  if (const auto f = map.take("notes")) spec_.notes = f->text().value_or("");
  const auto assembly = map.require("assembly", "modules, couplings; a robot alone: 'fathom models' shows it");
  if (!assembly) throw InputError(root.reading().findings());  // a robot alone: none of its keys is at fault
  for (const char* key : {"hull", "damping", "thruster_maps", "thruster_transients", "thrusters", "sensors",
                          "connectors", "command_path", "steering", "identified"})
    if (map.has(key))
      map.take(key)->error("stands beside assembly",
                           "an assembly has none of its own; its modules' files have");
  read_assembly(*assembly);
  map.finish();
  return std::move(spec_);
}

void SpecReader::read_assembly(const Field& field) {
  Map map(field);
  if (const auto f = map.take("one_cluster")) spec_.one_cluster = f->yes_or_no().value_or(false);
  if (const auto f = map.take("tolerance")) read_tolerance(*f, spec_.tolerance);
  if (const auto f = map.require("modules", "a list of {name: A, robot: bluerov2-heavy}"))
    for (const Field& item : some_items(*f, most_modules)) {
      if (is_full_) break;
      read_module(item);
    }
  if (const auto f = map.take("couplings"); f && map.has("modules"))
    for (const Field& item : some_items(*f, most_couplings)) {
      if (wrong_ends_ >= most_findings) {
        f->error("has more entries, which were not read", "mend those above first");
        break;
      }
      read_coupling(item);
    }
  map.finish();
}

void SpecReader::read_module(const Field& field) {
  Entry entry;
  Map map(field);
  entry.name = model::take_name(map);
  const auto robot = map.require("robot", "a robot's name, or a path from this file");
  const auto connectors = map.take("connectors");
  if (connectors) {
    for (const Field& item : some_items(*connectors, most_given_connectors - given_connectors_))
      entry.connectors.push_back(model::read_connector(item));
    given_connectors_ += entry.connectors.size();
  }
  entry.pose = take_pose(map);
  map.finish();
  const FilePart* part = robot ? files_.part(*robot, beside_, told_) : nullptr;
  if (!part) {
    unread_.insert(entry.name);
    return;
  }
  if (!has_room(field, *part)) return;
  if (!part->is_assembly) return add_robot(field, std::move(entry), *part);
  if (connectors)
    connectors->error(fmt::format("stands beside an assembly, {}", in_quotes(entry.name)),
                      "give them to the module that has them, in the assembly's own file");
  add_nested(field, entry, *part);
}

bool SpecReader::has_room(const Field& field, const FilePart& part) {
  bytes_ += part.bytes;
  const std::size_t count = spec_.modules.size() + part.modules.size();
  if (count > most_modules)
    field.error(fmt::format("makes {} modules of this assembly, at most {}", count, most_modules),
                "nested assemblies count with all their modules");
  else if (bytes_ > most_bytes)
    field.error(fmt::format("makes the robots of this assembly larger than {} MB", most_bytes >> 20),
                "smaller robot files: fewer sensors, no identified covariance");
  else
    return true;
  is_full_ = true;
  return false;
}

void SpecReader::add_robot(const Field& field, Entry entry, const FilePart& part) {
  Module module = part.modules.front();
  module.name = std::move(entry.name);
  module.pose = entry.pose;
  for (model::Connector& connector : entry.connectors) module.connectors.push_back(std::move(connector));
  module_by_name_.emplace(module.name, spec_.modules.size());
  spec_.modules.push_back(std::move(module));
  module_keys_.push_back(field.key());
  is_own_module_.push_back(true);
}

void SpecReader::add_nested(const Field& field, const Entry& outer, const FilePart& part) {
  const std::size_t first = spec_.modules.size();
  for (std::size_t k = 0; k < part.modules.size(); ++k) {
    Module module = part.modules[k];
    module.name = fmt::format("{}-{}", outer.name, module.name);
    module.pose = outer.pose ? std::optional(*outer.pose * part.poses[k]) : std::nullopt;
    module_by_name_.emplace(module.name, spec_.modules.size());
    spec_.modules.push_back(std::move(module));
    module_keys_.push_back(field.key());
    is_own_module_.push_back(false);
  }
  for (Coupling coupling : part.couplings) {
    coupling.name = fmt::format("{}-{}", outer.name, coupling.name);
    for (End& end : coupling.ends) end.module += first;
    spec_.couplings.push_back(std::move(coupling));
    coupling_keys_.push_back(field.key());
    is_own_coupling_.push_back(false);
  }
  nested_.emplace(outer.name, spec_.modules[first].name);
}

void SpecReader::read_coupling(const Field& field) {
  Coupling coupling;
  Map map(field);
  const auto name = map.take("name");
  const auto between = map.require("between", "two connectors: [A.starboard, B.port]");
  if (const auto f = map.take("turn_deg")) coupling.turn = f->number("degrees").value_or(0) * degree;
  map.finish();
  if (!between) return;
  if (!between->is_list() || between->node().size() != 2)
    return between->error("must be two connectors", "[A.starboard, B.port]");
  const std::vector<Field> ends = between->items();
  const auto a = read_end(ends[0]), b = read_end(ends[1]);
  if (!a || !b) return;
  coupling.ends = {*a, *b};
  coupling.name = name ? name->text().value_or("") : default_name(spec_, coupling, spec_.couplings.size());
  spec_.couplings.push_back(std::move(coupling));
  coupling_keys_.push_back(field.key());
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
