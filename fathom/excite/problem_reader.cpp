#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/excite/bounds.hpp"
#include "fathom/excite/internal/problem_fields.hpp"

namespace fathom::excite {
namespace {

using namespace internal;
using Folders = std::vector<std::filesystem::path>;

constexpr double most_samples = 200000;
constexpr double fewest_samples = 100;
constexpr int most_starts = 100000;
constexpr long fewest_numbers = 3;    // of a coordinate: fewer make no motion worth the name
constexpr double most_entries = 3e6;  // of a coordinate's matrix: half a gigabyte for six
constexpr std::string_view pose_hint = "{position: [north, east, down], yaw_deg: 0}, at rest";

void read_path(const Field& root, Map& map, std::optional<double> instead, Problem& problem) {
  std::optional<Tank> tank;
  const auto walls = map.take("tank");
  if (walls) tank = read_tank(*walls, problem.robot, problem.structure);
  if (tank) problem.tank_n = tank->walls_n;

  const auto start = map.require("start", pose_hint), end = map.take("end");
  if (start) problem.start = problem.end = read_pose(*start, problem.structure);
  if (end) problem.end = read_pose(*end, problem.structure);

  const LimitsOf limits_of{problem.structure, tank, ""};
  StatedLimits stated = limits_of_tank(walls, tank, problem.structure);
  if (const auto f = map.take("limits")) read_limits(*f, limits_of, stated);
  const auto duration = map.take("duration"), segments = map.take("segments");
  problem.segments = read_segments({root, duration, segments, instead, limits_of, problem.start[5]}, stated);
  if (start) check_problem(problem, *start, end ? *end : *start, tank);
}

void read_sampling(const Field& root, Map& map, Problem& problem) {
  const auto field = map.take("sampling");
  if (field) problem.sampling = between(*field, "s", 1e-6, 1e6).value_or(problem.sampling);
  const double count = problem.duration() / problem.sampling;
  if (has_errors(root.reading().findings())) return;
  const Field& where = field ? *field : root;
  if (!(count >= fewest_samples * (1 - 1e-9)))
    where.error(fmt::format("{}= {} s is too long for a path of {:g} s: {:g} sample{}, at least {:g}",
                            field ? "" : "sampling ", problem.sampling, problem.duration(),
                            std::floor(count) + 1, count < 1 ? "" : "s", fewest_samples + 1),
                fmt::format("at most {:g} s", problem.duration() / fewest_samples));
  else if (!(count <= most_samples * (1 + 1e-9)))
    where.error(
        fmt::format("{}asks for {:.3g} samples: {:g} s every {:g} s; at most {:g}", field ? "" : "sampling ",
                    count, problem.duration(), problem.sampling, most_samples),
        "seconds, not milliseconds?");
  for (const Segment& segment : problem.segments)
    if (!(segment.duration >= problem.sampling))
      where.error(fmt::format("{}= {:g} s, but segment {} lasts only {:.3g} s", field ? "" : "sampling ",
                              problem.sampling, in_quotes(segment.name), segment.duration),
                  "a larger share of the duration");
}

/// Rest at both ends takes six control points of each coordinate; enough others must be free to tell the
/// parameters apart, and not so many that the bounds fill the memory.
void check_numbers(const Field& where, std::string_view prefix, const Problem& problem) {
  const bool is_bezier = problem.shape.kind == Shape::Kind::bezier;
  const long numbers = free_numbers(problem), moving = static_cast<long>(problem.coordinates().size());
  const long parameters = static_cast<long>(problem.structure.size());
  if (numbers < fewest_numbers || numbers * moving < parameters)
    where.error(
        fmt::format("{}leaves {} free number{} in each of {} coordinates, at least {}, for {} parameters",
                    prefix, numbers, numbers == 1 ? "" : "s", moving,
                    std::max(fewest_numbers, (parameters + moving - 1) / moving), parameters),
        is_bezier ? "a higher degree" : "a shorter interval");
  else if (const double entries = matrix_entries(problem); entries > most_entries)
    where.error(fmt::format("{}bounds each coordinate by a matrix of {:.2g} entries, at most {:g}", prefix,
                            entries, most_entries),
                is_bezier ? "fewer parts or segments, or a lower degree" : "a longer interval");
}

void check_shape(const Field& root, const std::optional<Field>& field, const Problem& problem) {
  if (has_errors(root.reading().findings())) return;
  const bool is_spline = problem.shape.kind == Shape::Kind::spline;
  if (is_spline && field && field->is_map() && problem.shape.interval < problem.sampling)
    field->error(fmt::format("has knots every {:g} s, closer than the samples, every {:g} s",
                             problem.shape.interval, problem.sampling),
                 "a longer interval");
  else
    check_numbers(field ? *field : root, field ? "" : "shape ", problem);
}

void read_design(const Field& root, Map& map, Problem& problem) {
  const auto shape = map.take("shape");
  if (shape) problem.shape = read_shape(*shape);
  read_criterion(map, problem.criterion);
  if (const auto f = map.take("noise")) problem.noise = read_noise(*f);
  if (const auto f = map.take("priors")) problem.priors = read_priors(*f, problem.structure);
  if (const auto f = map.take("starts"))
    problem.starts = yaml::whole(*f, 1, most_starts).value_or(problem.starts);
  check_shape(root, shape, problem);
}

std::optional<Problem> read_spec(const Field& root, const std::filesystem::path& beside, const Folders& folders,
                                 std::optional<double> duration) {
  Map map(root);
  const auto [name, title] = read_title(map);
  std::string robot_file;
  const auto robot_field = map.require(
      "robot", "the name of a robot (fathom models), or the path of a robot file; of an arm, arm: NAME");
  auto robot = robot_field ? model::read_named_robot(*robot_field, beside, folders, &robot_file) : std::nullopt;
  const auto structure_field = map.require(
      "structure", fmt::format("one of {}, or {{dof: 4, ...}}", join(model::structure_names(), ", ")));
  if (!robot || !structure_field) return std::nullopt;  // what else is said about it cannot be judged
  auto structure = read_structure(*structure_field, *robot);
  if (!structure) return std::nullopt;

  Problem problem{name, title, "", *std::move(robot), robot_file};
  problem.structure = *std::move(structure);
  if (const auto f = map.take("environment")) {
    Map environment(*f);
    problem.environment = model::take_environment(environment);
    environment.finish();
  }
  if (const auto f = map.take("thrusters")) problem.thrusters = read_thrusters(*f, problem.robot);
  if (const auto f = map.take("view")) problem.view = read_view(*f);
  if (const auto f = map.take("tether")) problem.tether = read_tether(*f);
  read_path(root, map, duration, problem);
  read_sampling(root, map, problem);
  read_design(root, map, problem);
  map.finish();
  return problem;
}

}  // namespace

Problem parse_problem(const std::string& text, const std::string& file, const Folders& robot_folders,
                      std::optional<double> duration) {
  check_duration(duration);
  yaml::Reading reading(file);
  auto problem = read_spec(Field(problem_document(text, file), "", reading),
                           std::filesystem::path(file).parent_path(), robot_folders, duration);
  if (has_errors(reading.findings())) throw InputError(reading.findings());
  problem->file = file;
  problem->lines = reading.lines();
  return *std::move(problem);
}

Problem read_problem(const std::filesystem::path& path, const Folders& robot_folders,
                     std::optional<double> duration) {
  return parse_problem(read_file(path, largest_problem_file), path.string(), robot_folders, duration);
}

}  // namespace fathom::excite
