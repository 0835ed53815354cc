#include <algorithm>

#include <fmt/format.h>

#include "fathom/loop/internal/scenario_fields.hpp"

namespace fathom::loop::internal {
namespace {

std::vector<std::size_t> read_members(const Field& field, const Scenario& scenario) {
  std::vector<std::string_view> names;
  for (const VehicleScenario& vehicle : scenario.vehicles) names.push_back(vehicle.name);
  std::vector<std::size_t> members;
  for (const Field& item : field.items()) {
    const auto name = item.text();
    const auto k = name ? index_of(item, *name, names, "vehicle", "the scenario") : std::nullopt;
    if (!k) continue;
    if (std::find(members.begin(), members.end(), *k) != members.end())
      item.error("stands here twice", "");
    else
      members.push_back(*k);
  }
  if (field.is_list() && members.size() < 2 && !has_errors(field.reading().findings()))
    field.error(fmt::format("has {} entries, expected two or more", members.size()),
                "names of vehicles that couplings can join");
  return members;
}

/// Couplings among the members, and none else, must be able to join them all.
void check_joined(const Field& field, const Scenario& scenario, const std::vector<std::size_t>& members) {
  std::vector<std::size_t> reached = {members.front()};
  const auto is_in = [](const std::vector<std::size_t>& list, std::size_t k) {
    return std::find(list.begin(), list.end(), k) != list.end();
  };
  for (std::size_t next = 0; next < reached.size(); ++next)
    for (const CouplingScenario& coupling : scenario.couplings)
      for (const auto& [from, to] : {std::pair(0, 1), std::pair(1, 0)}) {
        const std::size_t other = coupling.ends[static_cast<std::size_t>(to)].vehicle;
        if (coupling.ends[static_cast<std::size_t>(from)].vehicle == reached[next] && is_in(members, other) &&
            !is_in(reached, other))
          reached.push_back(other);
      }
  for (const std::size_t member : members)
    if (!is_in(reached, member))
      field.error(fmt::format("has {}, which floats free: no coupling joins it to {}",
                              scenario.vehicles[member].name, scenario.vehicles[members.front()].name),
                  "add it under couplings, or leave the vehicle out");
}

void check_control(const Field& field, const ClusterScenario& cluster, std::size_t thrusters) {
  if (std::holds_alternative<Drift>(cluster.control)) return;
  if (thrusters == 0) field.error("steers, but its vehicles have no thrusters", "kind: drift");
  const auto* open_loop = std::get_if<OpenLoop>(&cluster.control);
  if (open_loop && open_loop->by != OpenLoop::By::wrench && open_loop->by != OpenLoop::By::force)
    field.error("commands several vehicles by something else than wrench or force",
                "by: wrench, of the whole, or by: force, of all thrusters in the order of the vehicles");
}

std::optional<ClusterScenario> read_cluster(const Field& field, const std::filesystem::path& beside,
                                            const Folders& folders, const Scenario& scenario) {
  Map map(field);
  ClusterScenario cluster;
  const auto members = map.require("vehicles", "the names of vehicles that are steered as one");
  if (members) cluster.vehicles = read_members(*members, scenario);
  if (const auto f = map.require("name", "a word for its channels of the log")) {
    cluster.name = f->text().value_or("");
    check_name(*f, cluster.name);
  }
  read_cluster_control(map, beside, folders, scenario, cluster);
  map.finish();
  if (cluster.vehicles.size() < 2) return std::nullopt;
  check_joined(*members, scenario, cluster.vehicles);
  return cluster;
}

}  // namespace

void read_cluster_control(Map& map, const std::filesystem::path& beside, const Folders& folders,
                          const Scenario& scenario, ClusterScenario& cluster) {
  std::vector<model::Thruster> thrusters;
  for (const std::size_t k : cluster.vehicles) {
    const auto& own = scenario.vehicles[k].robot.thrusters();
    thrusters.insert(thrusters.end(), own.begin(), own.end());
  }
  if (const auto f = map.take("reference")) cluster.reference = read_reference(*f, beside);
  if (const auto f = map.take("control")) {
    cluster.control = read_control(*f, thrusters, beside, folders);
    check_control(*f, cluster, thrusters.size());
    // Whether gains are good does not hang on the robot, so any of the cluster's will do.
    const auto* pid = std::get_if<PidControl>(&cluster.control);
    if (pid && !cluster.vehicles.empty())
      check_under(*f, [&] {
        const model::Robot& robot = scenario.vehicles[cluster.vehicles.front()].robot;
        control::PosePid(dynamics::Vehicle(robot), pid->options);
      });
  }
}

void read_clusters(const Field& field, const std::filesystem::path& beside, const Folders& folders,
                   Scenario& scenario) {
  const auto sorted = [](std::vector<std::size_t> list) {
    std::sort(list.begin(), list.end());
    return list;
  };
  for (const Field& item : field.items())
    if (auto cluster = read_cluster(item, beside, folders, scenario)) {
      check_own_name(item, scenario, cluster->name);
      for (const ClusterScenario& other : scenario.clusters)
        if (sorted(other.vehicles) == sorted(cluster->vehicles))
          item.error(fmt::format("has the vehicles of cluster {}", other.name), "one of them steers");
      scenario.clusters.push_back(*std::move(cluster));
    }
}

}  // namespace fathom::loop::internal
