#pragma once
#include <filesystem>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fathom/base/yaml.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/loop/scenario.hpp"

namespace fathom::loop::internal {

using yaml::Field;
using yaml::Map;
using Folders = std::vector<std::filesystem::path>;

inline constexpr double degree = std::numbers::pi / 180;

// Single values. Each reader leaves `out` alone where the key is absent or wrong.
void read(Map& map, std::string_view key, std::string_view unit, double& out);
void read(Map& map, std::string_view key, std::string_view what, Vec3& out);
void read_positive(Map& map, std::string_view key, std::string_view unit, double& out);
bool read_flag(const Field& field, bool otherwise);
std::optional<Vec3> vec3(const Field& field, std::string_view what);
/// The position of a word among those allowed.
std::optional<std::size_t> choice(const Field& field, const std::vector<std::string_view>& words);
/// One of `attitude_deg` [roll, pitch, yaw] or `yaw_deg`, in radians.
Vec3 read_attitude(Map& map);
/// A robot by name, or by a path seen from `beside`.
std::optional<model::Robot> read_named_robot(const Field& field, const std::filesystem::path& beside,
                                             const Folders& folders, std::string* file = nullptr);

/// Runs a check that throws, and puts its problems under the field's key.
template <class Check>
void judge(const Field& field, const Check& check) {
  if (has_errors(field.reading().problems())) return;  // what could not be read must not be judged
  try {
    check();
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) {
      const bool said = problem.key.empty() || field.key().ends_with(problem.key);
      field.error(said ? problem.message : fmt::format("{} {}", problem.key, problem.message), problem.hint);
    }
  }
}

// The parts of a scenario, each in a file of its own.
void read_environment(const Field& field, Scenario& scenario);
Control read_control(const Field& field, const model::Robot& robot, const std::filesystem::path& beside,
                     const Folders& folders);
std::optional<trajectory::Waypoints> read_reference(const Field& field);
std::optional<VehicleScenario> read_vehicle(const Field& field, const std::filesystem::path& beside,
                                            const Folders& folders);

// What can be read but not run.
void check_name(const Field& field, const std::string& name);
void check_parts(const Field& field, const VehicleScenario& vehicle);
/// Once the whole scenario is known.
void check_vehicle(const Field& field, const Scenario& scenario, const VehicleScenario& vehicle);

}  // namespace fathom::loop::internal
