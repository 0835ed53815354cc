#pragma once
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fathom/excite/problem.hpp"
#include "fathom/fields/codec.hpp"

// Problem files as they are written. The tables of these structs are in problem_file.cpp; parse_problem makes a
// Problem of them.
namespace fathom::excite::internal {

inline constexpr std::size_t largest_problem_file = 1u << 20;
inline constexpr double longest = 1e7;  ///< s
inline constexpr std::string_view keep_one = "keep one of them";
inline constexpr std::string_view name_hint = "a word for the folder of its results";

struct Water {
  double density = model::fresh_water, gravity = 9.81;  ///< kg/m^3, m/s^2
};

struct StatedStructure {
  enum class Quadratic { none, diagonal };

  std::string name;  ///< of a structure of the literature; empty where the keys below count
  model::Dof dof = model::Dof::six;
  model::StructureOptions::Inertia inertia = model::StructureOptions().inertia;
  model::StructureOptions::Linear linear = model::StructureOptions().linear;
  Quadratic quadratic = Quadratic::diagonal;
  std::vector<std::string> cross = {};
};

struct StatedTank {
  Vec3 min = Vec3::Zero(), max = Vec3::Zero();  ///< m, in n
  std::optional<Vec3> clearance = {};           ///< m
};

struct StatedPose {
  Vec3 position = Vec3::Zero();
  std::optional<Vec3> attitude = {};  ///< rad
  std::optional<double> yaw = {};     ///< rad
};

/// Bounds by coordinate. `is_own` is false where one number bounds three coordinates.
struct StatedRange {
  Range range;
  bool is_own = true;
};
struct StatedLimits {
  std::array<std::optional<StatedRange>, 6> pose, rate, acceleration;
};

struct StatedSegment {
  std::string name;
  double share = 1;
  std::optional<double> duration = {};  ///< s
  StatedLimits limits = {};
};

struct ProblemFile {
  std::string name, title;
  fields::Later robot;
  StatedStructure structure;
  Water environment;
  std::optional<StatedTank> tank;
  StatedPose start;
  std::optional<StatedPose> end;
  std::optional<double> duration;  ///< s
  double sampling = 0.2;           ///< s
  StatedLimits limits;
  std::vector<StatedSegment> segments;
  Shape shape;
  Criterion criterion = Criterion::a_optimal;
  Noise noise;
  std::map<std::string, double> priors;
  std::optional<ThrusterShare> thrusters;
  std::optional<View> view;
  std::optional<TetherReach> tether;
  bool thruster_errors = true;
  int starts = 8;
};

/// A robot or arm by its name or path.
struct NameOrPath : fields::Codec<fields::Later> {
  static fields::Json schema(const fields::Spec&) { return fields::text_schema(); }
};
/// A unit vector; `must` is the error of a vector without a direction.
struct Direction : fields::Codec<Vec3> {
  static void read(const yaml::Field& field, const fields::Spec& spec, Vec3& out);
};

YAML::Node problem_document(const std::string& text, const std::string& file);
/// Reads the key format and those of a table.
void read_problem_keys(const yaml::Field& root, const fields::Keys& keys, void* file);
/// Adds the key format.
fields::Json with_format(fields::Json schema);
/// Throws InputError unless the duration that replaces the file's is one.
void check_duration(std::optional<double> duration);
/// Adds findings by key path and throws InputError where there are any.
void throw_errors(yaml::Reading& reading, const Findings& findings = {});

bool is_held(const model::Structure& structure, std::size_t coordinate);
/// The remedy for a coordinate that the structure holds.
std::string held_hint(const model::Structure& structure);
/// "0.2 m" or "11.5 deg"
std::string of_coordinate(std::size_t coordinate, double value);

/// A tank, and the part of it that its clearance leaves for the body's origin.
struct Tank {
  std::array<Vec3, 2> walls_n, room_n;
};
/// Checks that need the whole problem; each adds errors by key path.
void check_path(const Problem& problem, const std::optional<Tank>& tank, bool has_end, Findings& findings);
void check_sampling(const Problem& problem, Findings& findings);
void check_shape(const Problem& problem, Findings& findings);

}  // namespace fathom::excite::internal

namespace fathom::fields {

template <>
const Words<excite::Criterion>& words<excite::Criterion>();
template <>
const Keys& Table<excite::internal::Water>::fields();
template <>
const Keys& Table<excite::internal::ProblemFile>::fields();
template <>
void Table<excite::internal::ProblemFile>::refine(Json& schema);

}  // namespace fathom::fields
