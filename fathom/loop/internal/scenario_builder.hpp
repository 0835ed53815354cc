#pragma once
#include "fathom/loop/internal/scenario_file.hpp"

namespace fathom::loop::internal {

using Folders = std::vector<std::filesystem::path>;

/// Turns what a file states into a scenario: looks up robots, files and vehicles, and adds what is wrong to the
/// reading. A key is the path of an entry in the file.
class ScenarioBuilder {
 public:
  ScenarioBuilder(yaml::Reading& reading, std::filesystem::path beside, const Folders& folders)
      : reading_(reading), beside_(std::move(beside)), folders_(folders) {}

  Scenario build(const ScenarioFile& file);

 private:
  using Thrusters = std::vector<model::Thruster>;

  void add_bodies(const ScenarioFile& file);
  bool add_vehicle(const std::string& key, const VehicleEntry& entry);
  /// The modules as vehicles, the couplings as closed ones, and all of it as a cluster.
  bool add_assembly(const std::string& key, const AssemblyEntry& entry);
  void add_coupling(const std::string& key, const CouplingEntry& entry);
  void add_cluster(const std::string& key, const ClusterEntry& entry);

  std::vector<std::size_t> sensors(const VehicleEntry& entry, const model::Robot& robot);
  void add_fault(const std::string& key, const FaultEntry& entry, VehicleScenario& vehicle);
  std::optional<CouplingEnd> end(const EndEntry& entry);
  std::vector<std::size_t> members(const yaml::Field& field);
  Control control(const std::string& key, const ControlEntry& entry, const Thrusters& thrusters);
  PidControl pid(const std::string& key, const PidEntry& entry);
  Control open_loop(const std::string& key, const OpenLoopEntry& entry, const Thrusters& thrusters);
  std::optional<trajectory::Path> reference(const std::string& key, const Guidance& guidance);
  void set_guidance(const std::string& key, const Guidance& guidance, ClusterScenario& cluster);
  /// Channels of the log begin with the names of vehicles, couplings and clusters.
  void check_own_name(const std::string& key, const std::string& name);
  /// Vehicles whose start nobody gives sit where couplings that are closed from the start hold them.
  void place_coupled(std::vector<bool> is_placed);

  bool is_good() const { return !has_errors(reading_.findings()); }
  void error(const std::string& key, std::string message, std::string hint) const {
    reading_.error(key, yaml::nearest_line(reading_.lines(), key), std::move(message), std::move(hint));
  }
  /// Puts the findings of a check that throws under the key. What could not be read must not be judged.
  template <class Check>
  void check_under(const std::string& key, const Check& check) {
    if (is_good()) report_under(reading_, key, check);
  }

  yaml::Reading& reading_;
  std::filesystem::path beside_;
  const Folders& folders_;
  Scenario scenario_;
};

/// The place of `name` among `names`, or an error that tells what `owner` has: `what` is one of them, in words.
std::optional<std::size_t> index_of(const yaml::Field& field, const std::string& name,
                                    const std::vector<std::string_view>& names, std::string_view what,
                                    const std::string& owner);
template <class Part>
std::vector<std::string_view> names_of(const std::vector<Part>& parts) {
  std::vector<std::string_view> names;
  for (const Part& part : parts) names.push_back(part.name);
  return names;
}

// Scenarios that can be read but not run: findings by key.

/// A robot that a simulation cannot use.
Findings check_robot(const std::string& key, const VehicleScenario& vehicle);
/// Velocities that the degrees of freedom hold at zero, faults at one time.
Findings check_vehicle(const std::string& key, const VehicleScenario& vehicle);
Findings check_rates(const std::string& key, const Scenario& scenario, const VehicleScenario& vehicle);
/// Walls and tether; the scenario has no other errors.
Findings check_surroundings(const std::string& key, const Scenario& scenario, const VehicleScenario& vehicle);
/// Couplings that are closed from the start must fit, each connector holds one, and none makes a vehicle lean
/// that its degrees of freedom hold level. One key for each coupling.
Findings check_couplings(const std::vector<std::string>& keys, const Scenario& scenario);
/// Couplings among the members, and none else, must be able to join them all.
Findings check_joined(const std::string& key, const Scenario& scenario,
                      const std::vector<std::size_t>& members);

}  // namespace fathom::loop::internal
