#include <numeric>

#include <fmt/format.h>

#include "fathom/assembly/assembly_file.hpp"
#include "fathom/loop/internal/scenario_fields.hpp"

namespace fathom::loop::internal {
namespace {

std::optional<assembly::Assembly> read_named_assembly(const Field& field, const std::filesystem::path& beside,
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
    const Finding& first = error.findings().front();
    field.error("cannot be used: " + first.text(), "");
  }
  return std::nullopt;
}

/// Module k at its place, moving with the assembly's frame, of which `start` is the state.
VehicleScenario vehicle_of(const assembly::Assembly& assembly, std::size_t k, const std::string& name,
                           const dynamics::State& start, bool measures) {
  const assembly::Module& module = assembly.modules()[k];
  VehicleScenario vehicle{
      .name = fmt::format("{}-{}", name, module.name), .robot = module.robot, .robot_file = module.robot_file};
  const Pose &pose = assembly.poses()[k], pose_n = Pose{start.q_nb, start.p_nb_n} * pose;
  vehicle.start = {pose_n.q_pc, pose_n.p_pc_p, twist_transform(pose) * start.nu_b};
  if (measures) {
    vehicle.sensors.resize(module.robot.sensors().size());
    std::iota(vehicle.sensors.begin(), vehicle.sensors.end(), std::size_t{0});
  }
  return vehicle;
}

}  // namespace

void read_assembly_entry(const Field& field, const std::filesystem::path& beside, const Folders& folders,
                         Scenario& scenario) {
  Map map(field);
  const auto source = map.require("assembly", "the name of an assembly, or the path of its file");
  const auto assembly = source ? read_named_assembly(*source, beside, folders) : std::nullopt;
  if (!assembly) return;  // what else is said about it cannot be judged
  ClusterScenario cluster{.name = assembly->name(), .vehicles = {}};
  if (const auto f = map.take("name")) cluster.name = f->text().value_or(cluster.name);
  check_name(field, cluster.name);
  dynamics::State start;
  if (const auto f = map.take("start")) start = read_start(*f);
  const auto sensors = map.take("sensors");
  const bool measures = !sensors || choice(*sensors, {"all", "none"}) != 1u;
  const std::size_t first = scenario.vehicles.size();
  for (std::size_t k = 0; k < assembly->modules().size(); ++k) {
    VehicleScenario vehicle = vehicle_of(*assembly, k, cluster.name, start, measures);
    check_name(field, vehicle.name);
    check_parts(sensors ? *sensors : *source, vehicle);
    check_own_name(field, scenario, vehicle.name);
    cluster.vehicles.push_back(scenario.vehicles.size());
    scenario.vehicles.push_back(std::move(vehicle));
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
    check_name(field, closed.name);
    check_own_name(field, scenario, closed.name);
    scenario.couplings.push_back(std::move(closed));
  }
  read_cluster_control(map, beside, folders, scenario, cluster);
  map.finish();
  check_own_name(field, scenario, cluster.name);
  scenario.clusters.push_back(std::move(cluster));
}

}  // namespace fathom::loop::internal
