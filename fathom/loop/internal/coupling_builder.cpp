#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "fathom/assembly/assembly_file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/loop/internal/scenario_builder.hpp"
#include "fathom/model_file/fields.hpp"

// Couplings, clusters, and assemblies, which are both.
namespace fathom::loop::internal {
namespace {

std::optional<assembly::Assembly> read_named_assembly(const yaml::Field& field,
                                                      const std::filesystem::path& beside,
                                                      const Folders& folders) {
  const auto path = model::find_named_robot(field, beside, folders);
  if (!path) return std::nullopt;
  try {
    assembly::Assembly assembly = assembly::read_assembly(*path, folders);
    if (assembly.clusters().size() == 1 && assembly.modules().size() > 1) return assembly;
    field.error(fmt::format("names an assembly of {} modules in {} clusters", assembly.modules().size(),
                            assembly.clusters().size()),
                "all modules of an assembly that swims hang together");
  } catch (const InputError& error) {
    field.error("cannot be used: " + error.findings().front().text(), "");
  }
  return std::nullopt;
}

/// Module k at its place, moving with the assembly's frame, of which `start` is the state.
VehicleScenario vehicle_of(const assembly::Assembly& assembly, std::size_t k, const std::string& name,
                           const AssemblyEntry& entry) {
  const assembly::Module& module = assembly.modules()[k];
  VehicleScenario vehicle{
      .name = fmt::format("{}-{}", name, module.name), .robot = module.robot, .robot_file = module.robot_file};
  const Pose &pose = assembly.poses()[k], pose_n = Pose{entry.start.q_nb, entry.start.p_nb_n} * pose;
  vehicle.start = {pose_n.q_pc, pose_n.p_pc_p, twist_transform(pose) * entry.start.nu_b};
  if (entry.measures) {
    vehicle.sensors.resize(module.robot.sensors().size());
    std::iota(vehicle.sensors.begin(), vehicle.sensors.end(), std::size_t{0});
  }
  return vehicle;
}

/// Of a vehicle and its connector, by names.
std::optional<CouplingEnd> connector_end(const yaml::Field& field, const Scenario& scenario) {
  const auto text = field.text();
  if (!text) return std::nullopt;
  const auto dot = text->find('.');
  if (dot == std::string::npos) {
    field.error(fmt::format("= {}, expected a vehicle and its connector", in_quotes(*text)), end_hint);
    return std::nullopt;
  }
  const auto vehicle =
      index_of(field, text->substr(0, dot), names_of(scenario.vehicles), "vehicle", "the scenario");
  if (!vehicle) return std::nullopt;
  const model::Robot& robot = scenario.vehicles[*vehicle].robot;
  const std::string name = text->substr(dot + 1);
  const auto connector = index_of(field, name, names_of(robot.connectors()), "connector", robot.name());
  if (!connector) return std::nullopt;
  return CouplingEnd{*vehicle, name, robot.connectors()[*connector].pose()};
}

std::vector<std::size_t> sorted(std::vector<std::size_t> list) {
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace

void ScenarioBuilder::check_own_name(const std::string& key, const std::string& name) {
  const auto taken = [&](const auto& list, std::string_view what) {
    for (const auto& other : list)
      if (other.name == name)
        error(key, fmt::format("has the name {} of {}", in_quotes(name), what), "give it its own 'name: ...'");
  };
  taken(scenario_.vehicles, "a vehicle");
  taken(scenario_.couplings, "an earlier coupling");
  taken(scenario_.clusters, "an earlier cluster");
}

bool ScenarioBuilder::add_assembly(const std::string& key, const AssemblyEntry& entry) {
  const auto& field = entry.assembly.field;
  const auto assembly = field ? read_named_assembly(*field, beside_, folders_) : std::nullopt;
  if (!assembly) return false;
  ClusterScenario cluster{.name = entry.name.empty() ? assembly->name() : entry.name, .vehicles = {}};
  const auto check_name = [&](const std::string& name) {
    yaml::check_name(*field, name);
    check_own_name(key, name);
  };
  const std::size_t first = scenario_.vehicles.size();
  for (std::size_t k = 0; k < assembly->modules().size(); ++k) {
    VehicleScenario vehicle = vehicle_of(*assembly, k, cluster.name, entry);
    check_name(vehicle.name);
    reading_.add(check_robot(field->key(), vehicle));
    cluster.vehicles.push_back(scenario_.vehicles.size());
    scenario_.vehicles.push_back(std::move(vehicle));
  }
  for (const assembly::Coupling& coupling : assembly->couplings()) {
    CouplingScenario closed{.name = fmt::format("{}-{}", cluster.name, coupling.name), .ends = {}};
    closed.turn = coupling.turn;
    closed.closed = true;
    for (std::size_t k = 0; k < 2; ++k) {
      const assembly::End& end = coupling.ends[k];
      const model::Connector& connector = assembly->modules()[end.module].connectors[end.connector];
      closed.ends[k] = {first + end.module, connector.name, connector.pose()};
    }
    check_name(closed.name);
    scenario_.couplings.push_back(std::move(closed));
  }
  set_guidance(key, entry.guidance, cluster);
  check_name(cluster.name);
  scenario_.clusters.push_back(std::move(cluster));
  return true;
}

std::optional<CouplingEnd> ScenarioBuilder::end(const EndEntry& entry) {
  if (entry.connector.field) return connector_end(*entry.connector.field, scenario_);
  const auto& field = entry.vehicle.field;
  const auto name = field ? field->text() : std::nullopt;
  const auto vehicle =
      name ? index_of(*field, *name, names_of(scenario_.vehicles), "vehicle", "the scenario") : std::nullopt;
  if (!vehicle) return std::nullopt;
  return CouplingEnd{*vehicle, "", {entry.attitude, entry.position_b}};
}

void ScenarioBuilder::add_coupling(const std::string& key, const CouplingEntry& entry) {
  CouplingScenario coupling = entry.coupling;
  if (entry.latch) {
    coupling.latch = entry.latch->latch;
    coupling.armed_from = entry.latch->from;
  }
  if (!coupling.closed && !coupling.latch)
    error(key, "is open at the start and has no latch, so it never closes",
          "closed: true, or latch: {distance: 0.03}");
  double before = 0;
  for (const double at : coupling.opens_at) {
    if (!(at > before))
      error(key + ".opens_at", fmt::format("has {} s, which is not after {} s", at, before),
            "s, each later than the one before, and after the start");
    before = at;
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const auto found = end(entry.between[k]);
    if (!found) return;
    coupling.ends[k] = *found;
  }
  const auto name = [&](std::size_t k) { return scenario_.vehicles[coupling.ends[k].vehicle].name; };
  if (coupling.ends[0].vehicle == coupling.ends[1].vehicle)
    error(key + ".between", fmt::format("couples {} to itself", name(0)), "two vehicles");
  if (coupling.name.empty()) coupling.name = fmt::format("{}-{}", name(0), name(1));
  check_own_name(key, coupling.name);
  scenario_.couplings.push_back(std::move(coupling));
}

std::vector<std::size_t> ScenarioBuilder::members(const yaml::Field& field) {
  std::vector<std::size_t> members;
  for (const yaml::Field& item : field.items()) {
    const auto name = item.text();
    const auto k =
        name ? index_of(item, *name, names_of(scenario_.vehicles), "vehicle", "the scenario") : std::nullopt;
    if (k && std::find(members.begin(), members.end(), *k) != members.end())
      item.error("stands here twice", "");
    else if (k)
      members.push_back(*k);
  }
  if (field.is_list() && members.size() < 2 && is_good())
    field.error(fmt::format("has {} entries, expected two or more", members.size()),
                "names of vehicles that couplings can join");
  return members;
}

void ScenarioBuilder::add_cluster(const std::string& key, const ClusterEntry& entry) {
  ClusterScenario cluster{.name = entry.name, .vehicles = members(*entry.vehicles.field)};
  set_guidance(key, entry.guidance, cluster);
  if (cluster.vehicles.size() < 2) return;
  reading_.add(check_joined(key + ".vehicles", scenario_, cluster.vehicles));
  check_own_name(key, cluster.name);
  for (const ClusterScenario& other : scenario_.clusters)
    if (sorted(other.vehicles) == sorted(cluster.vehicles))
      error(key, fmt::format("has the vehicles of cluster {}", other.name), "one of them steers");
  scenario_.clusters.push_back(std::move(cluster));
}

void ScenarioBuilder::place_coupled(std::vector<bool> is_placed) {
  for (bool found = true; found;) {
    found = false;
    for (const CouplingScenario& coupling : scenario_.couplings) {
      const std::size_t a = coupling.ends[0].vehicle, b = coupling.ends[1].vehicle;
      if (!coupling.closed || is_placed[a] == is_placed[b]) continue;
      const Pose b_in_a = assembly::mated_pose(coupling.ends[0].pose_b, coupling.ends[1].pose_b, coupling.turn);
      const Pose here = is_placed[a] ? b_in_a : b_in_a.inverse();
      const dynamics::State& from = scenario_.vehicles[is_placed[a] ? a : b].start;
      const std::size_t to = is_placed[a] ? b : a;
      const Pose pose_n = Pose{from.q_nb, from.p_nb_n} * here;
      scenario_.vehicles[to].start = {pose_n.q_pc, pose_n.p_pc_p, twist_transform(here) * from.nu_b};
      is_placed[to] = found = true;
    }
  }
}

}  // namespace fathom::loop::internal
