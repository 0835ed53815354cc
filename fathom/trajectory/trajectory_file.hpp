#pragma once
#include <array>
#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "fathom/trajectory/bezier.hpp"

namespace fathom::trajectory {

/// Coordinates of a path of poses, in the order of its rows: place in n, and roll, pitch, yaw.
inline constexpr std::array<std::string_view, 6> pose_names = {"x", "y", "z", "roll", "pitch", "yaw"};
inline constexpr std::array<std::string_view, 6> pose_units = {"m", "m", "m", "rad", "rad", "rad"};

/// Where a path comes from; for people.
struct TrajectoryOrigin {
  std::string problem, robot;
};

/// A path of six coordinates as a trajectory file (docs/trajectory-file.md): its knots and control points.
/// Reading it back gives the same bits.
std::string trajectory_to_yaml(const Bezier& path, const TrajectoryOrigin& origin = {});

/// Throws InputError that lists everything wrong with it.
Bezier read_trajectory(const std::filesystem::path& path);
Bezier parse_trajectory(const std::string& text, const std::string& file);
/// Returns the JSON schema of trajectory files.
nlohmann::ordered_json trajectory_schema();

}  // namespace fathom::trajectory
