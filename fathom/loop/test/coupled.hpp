#pragma once
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "fathom/assembly/merge.hpp"
#include "fathom/loop/internal/cluster_control.hpp"
#include "fathom/loop/internal/couplings.hpp"
#include "fathom/loop/internal/vehicle_loop.hpp"
#include "fathom/loop/simulation.hpp"

// What tests of couplings share.
namespace fathom::loop::test {

inline Scenario coupled_scenario(const std::string& body) {
  const std::filesystem::path models = FATHOM_ROBOTS_DIR;
  return parse_scenario("format: fathom-scenario-1\nname: test\n" + body, "test.yaml",
                        {models, std::filesystem::path(FATHOM_SOURCE_DIR) / "data/assemblies"});
}

/// Momentum of body and water, force in n, moment about the origin of n; written out by hand.
inline Vec6 impulse_n(const internal::VehicleLoop& vehicle) {
  const dynamics::State& state = vehicle.state();
  const Vec6 h_b = vehicle.plant().vehicle().M() * state.nu_b;
  Vec6 h_n;
  h_n.head<3>() = state.q_nb * h_b.head<3>();
  h_n.tail<3>() = state.q_nb * h_b.tail<3>() + state.p_nb_n.cross(Vec3(h_n.head<3>()));
  return h_n;
}

/// The same vehicles without drag, weight and buoyancy: nothing but the impact changes their momentum.
inline void take_away_forces(Scenario& scenario) {
  for (VehicleScenario& vehicle : scenario.vehicles) {
    model::RobotSpec spec = vehicle.robot.spec();
    spec.damping.clear();
    spec.hull.volume.value = spec.hull.mass.value / scenario.environment.density();
    spec.hull.centre_of_buoyancy.value = spec.hull.centre_of_mass.value;
    vehicle.robot = model::Robot::make_unchecked(spec);
  }
}

/// All vehicles of a scenario as the one robot that merge makes of them, which drifts.
struct AsOne {
  Scenario scenario;
  Pose pose_first;  ///< of the whole in the first vehicle
};
inline AsOne as_one(const Scenario& coupled) {
  std::vector<assembly::PlacedRobot> parts;
  for (const VehicleScenario& vehicle : coupled.vehicles)
    parts.push_back({vehicle.name, &vehicle.robot, "", {vehicle.start.q_nb, vehicle.start.p_nb_n}});
  const assembly::Merged merged = assembly::merge(parts, "whole");
  AsOne one{coupled, merged.poses[0].inverse()};
  one.scenario.couplings.clear();
  one.scenario.clusters.clear();
  const dynamics::State& first = coupled.vehicles[0].start;
  const Pose start = Pose{first.q_nb, first.p_nb_n} * one.pose_first;
  one.scenario.vehicles = {{.name = "whole",
                            .robot = merged.robot,
                            .robot_file = "",
                            .dof = coupled.vehicles[0].dof,
                            .start = {start.q_pc, start.p_pc_p, twist_transform(one.pose_first) * first.nu_b}}};
  return one;
}

/// State of the whole, told by its first vehicle.
inline dynamics::State whole_of(const dynamics::State& first, const Pose& pose_first) {
  const Pose pose = Pose{first.q_nb, first.p_nb_n} * pose_first;
  return {pose.q_pc, pose.p_pc_p, twist_transform(pose_first) * first.nu_b};
}

/// The largest difference in m, rad, m/s and rad/s.
inline double difference(const dynamics::State& a, const dynamics::State& b) {
  return std::max({(a.p_nb_n - b.p_nb_n).norm(), a.q_nb.angularDistance(b.q_nb), (a.nu_b - b.nu_b).norm()});
}

}  // namespace fathom::loop::test
