#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fields/yaml_values.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/model/fields.hpp"

namespace fathom::loop::internal {

using yaml::Field;
using yaml::Map;
using Folders = std::vector<std::filesystem::path>;

using model::read_named_robot;
using yaml::check_name;
using yaml::check_under;
using yaml::choice;
using yaml::read;
using yaml::read_positive;
using yaml::vec3;

bool read_flag(const Field& field, bool otherwise);
/// One of `attitude_deg` [roll, pitch, yaw] or `yaw_deg`, in radians.
Vec3 read_attitude(Map& map);

/// The place of `name` among `names`, or an error that tells what `owner` has: `what` is one of them, in words.
std::optional<std::size_t> index_of(const Field& field, const std::string& name,
                                    const std::vector<std::string_view>& names, std::string_view what,
                                    const std::string& owner);

// The parts of a scenario, each in a file of its own.
void read_environment(const Field& field, Scenario& scenario);
Control read_control(const Field& field, const std::vector<model::Thruster>& thrusters,
                     const std::filesystem::path& beside, const Folders& folders);
std::optional<trajectory::Path> read_reference(const Field& field, const std::filesystem::path& beside);
std::optional<VehicleScenario> read_vehicle(const Field& field, const std::filesystem::path& beside,
                                            const Folders& folders);
dynamics::State read_start(const Field& field);
/// A vehicle entry with `assembly`: its modules as vehicles, its couplings as closed ones, and all of it as a
/// cluster, added to the scenario. Nothing is added where it cannot be read.
void read_assembly_entry(const Field& field, const std::filesystem::path& beside, const Folders& folders,
                         Scenario& scenario);
/// The keys control and reference of a cluster whose vehicles are known.
void read_cluster_control(Map& map, const std::filesystem::path& beside, const Folders& folders,
                          const Scenario& scenario, ClusterScenario& cluster);
/// Once all vehicles are known.
void read_couplings(const Field& field, Scenario& scenario);
void read_clusters(const Field& field, const std::filesystem::path& beside, const Folders& folders,
                   Scenario& scenario);
/// Vehicles whose start nobody gives sit where couplings that are closed from the start hold them. `is_placed`:
/// by vehicle, somebody does.
void place_coupled(Scenario& scenario, std::vector<bool> is_placed);

// What can be read but not run.
void check_parts(const Field& field, const VehicleScenario& vehicle);
/// Once the whole scenario is known.
void check_vehicle(const Field& field, const Scenario& scenario, const VehicleScenario& vehicle);
/// Channels of the log begin with the names of vehicles, couplings and clusters.
void check_own_name(const Field& field, const Scenario& scenario, const std::string& name);
/// Those that are closed from the start must fit, each connector holds one, and none makes a vehicle lean that
/// its degrees of freedom hold level. One field for each coupling.
void check_couplings(const std::vector<Field>& fields, const Scenario& scenario);

}  // namespace fathom::loop::internal
