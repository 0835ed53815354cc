#include <fmt/format.h>

#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/loop/internal/scenario_fields.hpp"

namespace fathom::loop {
namespace {

using namespace internal;

constexpr std::string_view format_word = "fathom-scenario-1";
constexpr std::size_t largest_scenario_file = 4u << 20;  // long series of commands stand in a log file
constexpr double most_steps = 1e8;                       // eleven days at 100 Hz

/// Doubles have 16 digits: no integrator can keep less.
void read_tolerance(Map& map, std::string_view key, double least, double& out) {
  const auto field = map.take(key);
  const auto value = field ? field->number("") : std::nullopt;
  if (!value) return;
  if (*value >= least)
    out = *value;
  else
    field->error(fmt::format("= {}, must be >= {:g}", *value, least), "");
}

void read_integrator(const Field& field, Scenario& scenario) {
  if (!field.is_map()) {
    if (choice(field, {"rk4", "dormand_prince"}) == 1u) scenario.adaptive.emplace();
    return;
  }
  Map map(field);
  const auto kind = map.require("kind", "rk4 or dormand_prince");
  if (kind && choice(*kind, {"rk4", "dormand_prince"}) == 1u) {
    scenario.adaptive.emplace();
    read_tolerance(map, "relative", 1e-14, scenario.adaptive->relative);
    read_tolerance(map, "absolute", 1e-16, scenario.adaptive->absolute);
  }
  map.finish();
}

/// The fields of the vehicles that could be read.
std::vector<Field> read_vehicles(const Field& field, const std::filesystem::path& beside,
                                 const Folders& folders, Scenario& scenario) {
  const auto items = field.items();
  if (field.is_list() && items.empty()) field.error("is empty", "at least one {robot: bluerov2-heavy, ...}");
  std::vector<Field> read;
  for (const Field& item : items) {
    if (item.has("assembly")) {
      read_assembly_entry(item, beside, folders, scenario);
      read.resize(scenario.vehicles.size(), item);
      continue;
    }
    if (auto vehicle = read_vehicle(item, beside, folders)) {
      check_name(item, vehicle->name);
      for (const VehicleScenario& other : scenario.vehicles)
        if (other.name == vehicle->name)
          item.error(fmt::format("has the name {} of an earlier vehicle", in_quotes(other.name)),
                     "give each its own 'name: ...'");
      scenario.vehicles.push_back(*std::move(vehicle));
      read.push_back(item);
    }
  }
  return read;
}

/// What swims, and what holds it together.
void read_bodies(Map& map, const std::filesystem::path& beside, const Folders& folders, Scenario& scenario) {
  const auto list = map.require("vehicles", "a list of {robot: bluerov2-heavy, ...}");
  const auto couplings = map.take("couplings"), clusters = map.take("clusters");
  if (!list) return;
  const std::vector<Field> vehicles = read_vehicles(*list, beside, folders, scenario);
  const std::size_t own = scenario.couplings.size();
  const auto is_good = [&] { return !has_errors(list->reading().findings()); };
  // They name vehicles: without these there is nothing to judge.
  if (couplings && is_good()) read_couplings(*couplings, scenario);
  if (couplings && is_good()) {
    std::vector<bool> is_placed;
    for (const Field& vehicle : vehicles)
      is_placed.push_back(vehicle.has("start") || vehicle.has("reference") || vehicle.has("assembly"));
    place_coupled(scenario, std::move(is_placed));
    std::vector<Field> fields(own, *list);  // those of assemblies come first
    for (const Field& item : couplings->items()) fields.push_back(item);
    check_couplings(fields, scenario);
  }
  for (std::size_t k = 0; k < vehicles.size(); ++k) check_vehicle(vehicles[k], scenario, scenario.vehicles[k]);
  if (clusters && is_good()) read_clusters(*clusters, beside, folders, scenario);
}

Scenario read_spec(const Field& root, const std::filesystem::path& beside, const Folders& folders) {
  Scenario scenario;
  Map map(root);
  yaml::check_format(map, format_word, {});
  if (const auto f = map.require("name", "a word for the folder of its results")) {
    scenario.name = f->text().value_or("");
    check_name(*f, scenario.name);
  }
  if (const auto f = map.take("title")) scenario.title = f->text().value_or("");
  const auto duration = map.require("duration", "s, how long it runs");
  if (duration) {
    const auto value = duration->number("s");
    if (value && !(*value > 0))
      duration->error(fmt::format("= {} s, must be > 0", *value), "");
    else if (value)
      scenario.duration = *value;
  }
  if (const auto f = map.take("step")) {
    const auto value = f->number("s");
    if (value && !(*value > 0 && *value <= 10))
      f->error(fmt::format("= {} s, must be > 0 and <= 10", *value), "");
    else if (value)
      scenario.step = *value;
  }
  if (duration && scenario.duration > most_steps * scenario.step)
    duration->error(
        fmt::format("asks for {:.3g} steps: duration = {} s in steps of {} s; at most {:g}",
                    scenario.duration / scenario.step, scenario.duration, scenario.step, most_steps),
        "seconds, not milliseconds?");
  if (const auto f = map.take("integrator")) read_integrator(*f, scenario);
  if (const auto f = map.take("environment")) read_environment(*f, scenario);
  read_bodies(map, beside, folders, scenario);
  map.finish();
  return scenario;
}

}  // namespace

Scenario parse_scenario(const std::string& text, const std::string& file, const Folders& robot_folders) {
  yaml::Reading reading(file);
  const YAML::Node document = yaml::parse_document(text, file, "one scenario per file",
                                                   fmt::format("begin with 'format: {}'", format_word));
  Scenario scenario =
      read_spec(Field(document, "", reading), std::filesystem::path(file).parent_path(), robot_folders);
  if (has_errors(reading.findings())) throw InputError(reading.findings());
  scenario.file = file;
  return scenario;
}

Scenario read_scenario(const std::filesystem::path& path, const Folders& robot_folders) {
  return parse_scenario(read_file(path, largest_scenario_file), path.string(), robot_folders);
}

}  // namespace fathom::loop
