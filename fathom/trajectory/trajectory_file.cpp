#include "fathom/trajectory/trajectory_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/fields/yaml_values.hpp"

namespace fathom::trajectory {
namespace {

using Eigen::Index;
using yaml::Field;
using yaml::Map;

constexpr std::string_view format_word = "fathom-trajectory-1";
constexpr double largest = 1e6;  // m or rad: no vehicle goes there, and sines of larger angles lose digits

/// A list of these words and no others: the order of coordinates and their units are not for choice, but a file
/// that says them can be read without this source.
void check_words(Map& map, std::string_view key, const std::array<std::string_view, 6>& words) {
  const auto field = map.require(key, fmt::format("[{}]", join(words, ", ")));
  if (!field) return;
  std::vector<std::string> got;
  for (const Field& item : field->items()) got.push_back(item.text().value_or(""));
  if (!std::equal(got.begin(), got.end(), words.begin(), words.end()))
    field->error(fmt::format("= [{}], expected [{}]", join(got, ", "), join(words, ", ")), "");
}

/// The rows of one coordinate, degree + 1 numbers per piece.
void read_coordinate(const Field& field, Index pieces, int degree, Index row, Eigen::MatrixXd& points) {
  const std::vector<Field> items = field.items();
  if (static_cast<Index>(items.size()) != pieces) {
    field.error(fmt::format("has {} rows, expected {}", items.size(), pieces),
                "one for each piece, that is, between two knots");
    return;
  }
  for (Index piece = 0; piece < pieces; ++piece) {
    const auto numbers =
        items[static_cast<std::size_t>(piece)].numbers(static_cast<std::size_t>(degree) + 1, "control points");
    for (Index i = 0; numbers && i <= degree; ++i) {
      const double point = (*numbers)[static_cast<std::size_t>(i)];
      points(row, piece * (degree + 1) + i) = point;
      if (std::abs(point) <= largest) continue;
      items[static_cast<std::size_t>(piece)].error(
          fmt::format("has {:g} {unit}, must be within {:g} {unit} of zero", point, largest,
                      fmt::arg("unit", pose_units[static_cast<std::size_t>(row)])),
          "");
      return;
    }
  }
}

std::string as_scalar(const std::string& text) {
  YAML::Emitter emitter;
  emitter << text;
  return emitter.c_str();
}

std::optional<Bezier> read_path(const Field& root) {
  Map map(root);
  yaml::check_format(map, format_word,
                     {{"fathom-robot-1", "this is a robot, not a trajectory", ""},
                      {"fathom-scenario-1", "this is a scenario, not a trajectory", "fathom simulate"},
                      {"fathom-excitation-1", "this is a problem, not a trajectory", "fathom excite"}});
  for (const std::string_view key : {"problem", "robot"})
    if (const auto f = map.take(key)) f->text();
  check_words(map, "coordinates", pose_names);
  check_words(map, "units", pose_units);
  std::optional<int> degree;
  if (const auto f = map.require("degree", "of the pieces; 3 is a cubic spline"))
    degree = yaml::whole(*f, 1, max_degree);
  std::optional<std::vector<double>> knots;
  if (const auto f = map.require("knots", "s, where the pieces meet: [0, 3.2, ...]")) {
    knots = f->number_list();
    if (knots && knots->size() < 2) {
      f->error(fmt::format("has {} entries, at least 2 are needed", knots->size()), "begin and end, in s");
      knots.reset();
    }
  }
  const auto field = map.require("points", "control points by coordinate, one row per piece");
  std::optional<Bezier> path;
  if (field && degree && knots) {
    const Index pieces = static_cast<Index>(knots->size()) - 1;
    Eigen::MatrixXd points = Eigen::MatrixXd::Zero(6, pieces * (*degree + 1));
    Map rows(*field);
    for (std::size_t k = 0; k < pose_names.size(); ++k)
      if (const auto f = rows.require(pose_names[k], "one row per piece"))
        read_coordinate(*f, pieces, *degree, static_cast<Index>(k), points);
    rows.finish();
    if (!has_errors(root.reading().findings())) try {
        path.emplace(*std::move(knots), *degree, std::move(points));
      } catch (const InputError& error) {
        root.reading().add(error.findings());
      }
  }
  map.finish();
  return path;
}

}  // namespace

std::string trajectory_to_yaml(const Bezier& path, const TrajectoryOrigin& origin) {
  if (path.coordinates() != 6 || path.degree() > max_degree)
    reject("path", fmt::format("has {} coordinates and degree {}, expected 6 and at most {}",
                               path.coordinates(), path.degree(), max_degree));
  std::string text = fmt::format(
      "# A path: pieces of polynomials in Bernstein form. Place is north, east, down.\nformat: {}\n",
      format_word);
  if (!origin.problem.empty()) text += fmt::format("problem: {}\n", as_scalar(origin.problem));
  if (!origin.robot.empty()) text += fmt::format("robot: {}\n", as_scalar(origin.robot));
  text += fmt::format("coordinates: [{}]\nunits: [{}]\n", join(pose_names, ", "), join(pose_units, ", "));
  text += fmt::format("degree: {}\nknots: [{}]  # s\npoints:  # degree + 1 numbers for each piece\n",
                      path.degree(), fmt::join(path.knots(), ", "));
  for (Index row = 0; row < 6; ++row) {
    text += fmt::format("  {}:\n", pose_names[static_cast<std::size_t>(row)]);
    for (Index piece = 0; piece < path.pieces(); ++piece) {
      // Eigen's columns are not in a row of memory; {} writes the shortest decimals that read back as the same.
      const Eigen::VectorXd points =
          path.points().row(row).segment(piece * (path.degree() + 1), path.degree() + 1);
      text += fmt::format("    - [{}]\n", fmt::join(points.begin(), points.end(), ", "));
    }
  }
  return text;
}

Bezier parse_trajectory(const std::string& text, const std::string& file) {
  yaml::Reading reading(file);
  const YAML::Node document = yaml::parse_document(text, file, "one trajectory per file",
                                                   fmt::format("begin with 'format: {}'", format_word));
  auto path = read_path(Field(document, "", reading));
  if (has_errors(reading.findings())) throw InputError(reading.findings());
  return *std::move(path);
}

Bezier read_trajectory(const std::filesystem::path& path) {
  return parse_trajectory(read_file(path), path.string());
}

}  // namespace fathom::trajectory
