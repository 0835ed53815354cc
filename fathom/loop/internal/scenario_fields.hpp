#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/fields.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/model/fields.hpp"

namespace fathom::loop::internal {

using yaml::Field;
using yaml::Map;
using Folders = std::vector<std::filesystem::path>;

using model::read_named_robot;
using yaml::check_name;
using yaml::choice;
using yaml::degree;
using yaml::judge;
using yaml::read;
using yaml::read_positive;
using yaml::vec3;

bool read_flag(const Field& field, bool otherwise);
/// One of `attitude_deg` [roll, pitch, yaw] or `yaw_deg`, in radians.
Vec3 read_attitude(Map& map);

// The parts of a scenario, each in a file of its own.
void read_environment(const Field& field, Scenario& scenario);
Control read_control(const Field& field, const model::Robot& robot, const std::filesystem::path& beside,
                     const Folders& folders);
std::optional<trajectory::Path> read_reference(const Field& field, const std::filesystem::path& beside);
std::optional<VehicleScenario> read_vehicle(const Field& field, const std::filesystem::path& beside,
                                            const Folders& folders);

// What can be read but not run.
void check_parts(const Field& field, const VehicleScenario& vehicle);
/// Once the whole scenario is known.
void check_vehicle(const Field& field, const Scenario& scenario, const VehicleScenario& vehicle);

}  // namespace fathom::loop::internal
