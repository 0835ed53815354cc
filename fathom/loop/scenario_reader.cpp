#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/loop/internal/scenario_builder.hpp"
#include "fathom/model_file/fields.hpp"

namespace fathom::loop::internal {
namespace {

constexpr std::size_t largest_scenario_file = 4u << 20;  // long series of commands stand in a log file
constexpr double most_steps = 1e8;                       // eleven days at 100 Hz

template <class Part>
std::optional<std::size_t> index_among(const yaml::Field& field, const std::vector<Part>& parts,
                                       std::string_view what, const std::string& robot) {
  const auto name = field.text();
  return name ? index_of(field, *name, names_of(parts), what, robot) : std::nullopt;
}

}  // namespace

std::optional<std::size_t> index_of(const yaml::Field& field, const std::string& name,
                                    const std::vector<std::string_view>& names, std::string_view what,
                                    const std::string& owner) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  field.error(fmt::format("= {}, but {} has no such {}", in_quotes(name), owner, what),
              did_you_mean(name, names,
                           names.empty() ? fmt::format("it has no {} at all", what)
                                         : fmt::format("it has {}", join(names, ", "))));
  return std::nullopt;
}

std::vector<std::size_t> ScenarioBuilder::sensors(const VehicleEntry& entry, const model::Robot& robot) {
  std::vector<std::size_t> all(robot.sensors().size()), chosen;
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto& field = entry.sensors.field;
  if (!field) return all;
  if (!field->is_list()) return yaml::choice(*field, {"all", "none"}) == 1u ? chosen : all;
  for (const yaml::Field& item : field->items()) {
    const auto k = index_among(item, robot.sensors(), "sensor", robot.name());
    if (k && std::find(chosen.begin(), chosen.end(), *k) != chosen.end())
      item.error("stands here twice", "");
    else if (k)
      chosen.push_back(*k);
  }
  return chosen;
}

void ScenarioBuilder::add_fault(const std::string& key, const FaultEntry& entry, VehicleScenario& vehicle) {
  const model::Robot& robot = vehicle.robot;
  const auto &thruster = entry.thruster.field, &sensor = entry.sensor.field, &becomes = entry.becomes.field;
  if (thruster.has_value() == sensor.has_value()) {
    error(key, "names neither or both of thruster and sensor", "a fault befalls one of them");
  } else if (thruster) {
    ThrusterFault fault{.at = entry.at, .factor = entry.factor, .known_at = entry.known_at};
    fault.thruster = index_among(*thruster, robot.thrusters(), "thruster", robot.name()).value_or(0);
    if (becomes)
      fault.kind = ThrusterFault::Kind(yaml::choice(*becomes, {"dead", "stuck", "weak"}).value_or(0));
    if (fault.known_at && *fault.known_at < fault.at)
      error(key + ".known_at", fmt::format("= {} s, before it happens at {} s", *fault.known_at, fault.at), "");
    vehicle.thruster_faults.push_back(fault);
  } else {
    SensorFault fault{.at = entry.at, .until = entry.until.value_or(HUGE_VAL)};
    const auto& in_use = vehicle.sensors;
    if (const auto k = index_among(*sensor, robot.sensors(), "sensor", robot.name())) {
      fault.sensor = *k;
      if (std::find(in_use.begin(), in_use.end(), *k) == in_use.end())
        sensor->error("is not among the sensors of this vehicle in this scenario", "name it under sensors");
    }
    if (becomes) fault.kind = SensorFault::Kind(yaml::choice(*becomes, {"silent", "frozen"}).value_or(0));
    if (fault.until <= fault.at)
      error(key + ".until", fmt::format("= {} s, not after at = {} s", fault.until, fault.at), "");
    vehicle.sensor_faults.push_back(fault);
  }
}

bool ScenarioBuilder::add_vehicle(const std::string& key, const VehicleEntry& entry) {
  std::string file;
  const auto robot =
      entry.robot.field ? model::read_named_robot(*entry.robot.field, beside_, folders_, &file) : std::nullopt;
  if (!robot) return false;  // the keys that name its parts cannot be judged
  VehicleScenario vehicle{.name = entry.name.empty() ? robot->name() : entry.name,
                          .robot = *robot,
                          .robot_file = file,
                          .dof = entry.dof,
                          .start = entry.start.value_or(dynamics::State()),
                          .voltage = entry.voltage,
                          .command_delay = entry.command_delay,
                          .reference = reference(key + ".reference", entry.guidance),
                          .sensors = sensors(entry, *robot),
                          .tether = entry.tether,
                          .disturbance = entry.disturbance};
  if (entry.name.empty()) yaml::check_name(*entry.robot.field, vehicle.name);
  if (vehicle.reference && !entry.start) {
    const auto first = vehicle.reference->at(0);
    vehicle.start = {first.q_nb, first.p_nb_n, first.nu_b};
  }
  const std::string at_control = key + ".control";
  vehicle.control = control(at_control, entry.guidance.control, robot->thrusters());
  if (!std::holds_alternative<Drift>(vehicle.control) && robot->thrusters().empty())
    error(at_control, fmt::format("steers, but {} has no thrusters", robot->name()), "kind: drift");
  if (const auto* pid = std::get_if<PidControl>(&vehicle.control)) {
    if (!vehicle.reference && is_good())
      error(at_control, "follows a reference, but the vehicle has none",
            "add reference: {waypoints: [...]} or {trajectory: path.yaml}");
    check_under(at_control, [&] { control::PosePid(dynamics::Vehicle(*robot), pid->options); });
  }
  reading_.add(check_robot(key + (entry.sensors.field ? ".sensors" : ".robot"), vehicle));
  for (std::size_t k = 0; k < entry.faults.size(); ++k)
    add_fault(fmt::format("{}.faults[{}]", key, k), entry.faults[k], vehicle);
  reading_.add(check_vehicle(key, vehicle));
  for (const VehicleScenario& other : scenario_.vehicles)
    if (other.name == vehicle.name)
      error(key, fmt::format("has the name {} of an earlier vehicle", in_quotes(other.name)),
            "give each its own 'name: ...'");
  scenario_.vehicles.push_back(std::move(vehicle));
  return true;
}

void ScenarioBuilder::add_bodies(const ScenarioFile& file) {
  std::vector<std::string> keys;  // by vehicle
  std::vector<bool> is_placed;
  for (std::size_t k = 0; k < file.vehicles.size(); ++k) {
    const std::string key = fmt::format("vehicles[{}]", k);
    const auto* vehicle = std::get_if<VehicleEntry>(&file.vehicles[k]);
    const bool is_read =
        vehicle ? add_vehicle(key, *vehicle) : add_assembly(key, std::get<AssemblyEntry>(file.vehicles[k]));
    if (!is_read) continue;
    keys.resize(scenario_.vehicles.size(), key);
    is_placed.resize(keys.size(), !vehicle || vehicle->start || vehicle->guidance.reference);
  }
  std::vector<std::string> at_coupling(scenario_.couplings.size(), "vehicles");  // of assemblies
  if (is_good())  // couplings name vehicles: without these there is nothing to judge
    for (std::size_t k = 0; k < file.couplings.size(); ++k)
      add_coupling(at_coupling.emplace_back(fmt::format("couplings[{}]", k)), file.couplings[k]);
  if (is_good() && !file.couplings.empty()) {
    place_coupled(std::move(is_placed));
    reading_.add(check_couplings(at_coupling, scenario_));
  }
  const bool may_swim = is_good();
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (may_swim) reading_.add(check_surroundings(keys[k], scenario_, scenario_.vehicles[k]));
    reading_.add(check_rates(keys[k], scenario_, scenario_.vehicles[k]));
  }
  if (is_good())
    for (std::size_t k = 0; k < file.clusters.size(); ++k)
      add_cluster(fmt::format("clusters[{}]", k), file.clusters[k]);
}

Scenario ScenarioBuilder::build(const ScenarioFile& file) {
  scenario_ = file.scenario;
  const double duration = scenario_.duration, step = scenario_.step;
  if (duration > most_steps * step)
    error("duration",
          fmt::format("asks for {:.3g} steps: duration = {} s in steps of {} s; at most {:g}", duration / step,
                      duration, step, most_steps),
          "seconds, not milliseconds?");
  scenario_.environment = model::Environment(file.environment.density, file.environment.gravity);
  scenario_.current = file.environment.current;
  scenario_.tank = file.environment.tank;
  scenario_.usbl_transceiver = file.environment.usbl;
  add_bodies(file);
  return std::move(scenario_);
}

}  // namespace fathom::loop::internal

namespace fathom::loop {

Scenario parse_scenario(const std::string& text, const std::string& file,
                        const std::vector<std::filesystem::path>& robot_folders) {
  using namespace internal;
  yaml::Reading reading(file);
  const yaml::Field root(yaml::parse_document(text, file, "one scenario per file",
                                              fmt::format("begin with 'format: {}'", scenario_format)),
                         "", reading);
  ScenarioFile said;
  yaml::Map map(root);
  yaml::check_format(map, scenario_format, {});
  fields::read_keys(map, root, fields::Table<ScenarioFile>::fields(), &said);
  map.finish();
  ScenarioBuilder builder(reading, std::filesystem::path(file).parent_path(), robot_folders);
  Scenario scenario = builder.build(said);
  if (has_errors(reading.findings())) throw InputError(reading.findings());
  scenario.file = file;
  return scenario;
}

Scenario read_scenario(const std::filesystem::path& path,
                       const std::vector<std::filesystem::path>& robot_folders) {
  return parse_scenario(read_file(path, internal::largest_scenario_file), path.string(), robot_folders);
}

}  // namespace fathom::loop
