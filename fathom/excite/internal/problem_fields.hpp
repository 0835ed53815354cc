#pragma once
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fathom/excite/problem.hpp"
#include "fathom/fields/yaml_values.hpp"
#include "fathom/model/fields.hpp"

namespace fathom::excite::internal {

using yaml::Field;
using yaml::Map;

inline constexpr std::string_view place = "m north, east, down";
inline constexpr std::size_t largest_problem_file = 1u << 20;

// What problems of vehicles and of arms say in the same words.
YAML::Node problem_document(const std::string& text, const std::string& file);
struct ProblemTitle {
  std::string name, title;
};
/// The keys format, name and title.
ProblemTitle read_title(Map& map);
/// The key criterion.
void read_criterion(Map& map, Criterion& criterion);
/// Throws InputError where what is to replace the file's is no time.
void check_duration(std::optional<double> duration);

/// A number from `least` to `most`; both keep squares far from where doubles end.
std::optional<double> between(const Field& field, std::string_view unit, double least, double most);
void read_between(Map& map, std::string_view key, std::string_view unit, double least, double most,
                  double& out);
/// A point nearer than 100 km: farther ones are a slip, and their squares lose the centimetres.
std::optional<Vec3> point(const Field& field, std::string_view what);
void read_point(Map& map, std::string_view key, std::string_view what, Vec3& out);
/// One of `key` in SI or `key_deg`; not both.
struct Angle {
  Field field;
  double unit;  ///< rad
};
std::optional<Angle> take_angle(Map& map, std::string_view key, std::string_view key_deg);
/// "0.2 m" or "11.5 deg".
std::string of_coordinate(std::size_t coordinate, double value);
bool is_held(const model::Structure& structure, std::size_t coordinate);
/// What to do about a coordinate that the structure holds.
std::string held_hint(const model::Structure& structure);

// The parts of a problem, each in a file of its own.
std::optional<model::Structure> read_structure(const Field& field, const model::Robot& robot);
Shape read_shape(const Field& field);
Noise read_noise(const Field& field);
std::vector<Prior> read_priors(const Field& field, const model::Structure& structure);
std::optional<ThrusterShare> read_thrusters(const Field& field, const model::Robot& robot);
View read_view(const Field& field);
TetherReach read_tether(const Field& field);
/// x y z roll pitch yaw
Vec6 read_pose(const Field& field, const model::Structure& structure);

/// A tank, and what its clearance leaves of it for the body's origin.
struct Tank {
  Box walls_n, room_n;
  Field field;
};
std::optional<Tank> read_tank(const Field& field, const model::Robot& robot, const model::Structure& structure);

/// A range with the place that states it.
struct Bound {
  Range range;
  Field field;
};
struct StatedLimits {
  std::array<std::optional<Bound>, 6> pose, rate, acceleration;
};
/// Where limits are stated: all of it in words, for messages.
struct LimitsOf {
  const model::Structure& structure;
  const std::optional<Tank>& tank;
  std::string whose;  ///< such as " of segment 'surge'"
};
/// What holds before the file has stated any: the tank. `field` is there also where it could not be read.
StatedLimits limits_of_tank(const std::optional<Field>& field, const std::optional<Tank>& tank,
                            const model::Structure& structure);
/// Replaces those of `stated` that the field states.
void read_limits(const Field& field, const LimitsOf& of, StatedLimits& stated);

/// Segments with their durations and limits; one of them where `list` is absent. `root` receives what is
/// missing.
struct SegmentsOf {
  const Field& root;
  const std::optional<Field>& duration;
  const std::optional<Field>& list;
  std::optional<double> instead;  ///< s, in place of the file's duration
  LimitsOf limits_of;
  double start_yaw;
};
std::vector<Segment> read_segments(const SegmentsOf& of, const StatedLimits& stated);

/// What can be read but has no path. `start` and `end` are where the file states them.
void check_problem(const Problem& problem, const Field& start, const Field& end,
                   const std::optional<Tank>& tank);

}  // namespace fathom::excite::internal
