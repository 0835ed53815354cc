#include "fathom/trajectory/trajectory_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/fields/codec.hpp"
#include "fathom/fields/describe.hpp"
#include "fathom/fields/yaml_values.hpp"

namespace fathom::trajectory {
namespace {

using Eigen::Index;
using fields::Json;
using fields::Spec;
using yaml::Field;
using yaml::Map;

constexpr std::string_view format_word = "fathom-trajectory-1";
constexpr double largest = 1e6;  // m or rad: no vehicle goes there, and sines of larger angles lose digits

/// What the file says, before pieces are counted.
struct TrajectoryFile {
  TrajectoryOrigin origin;
  int degree = 0;
  std::vector<double> knots;               ///< s
  std::vector<std::optional<Field>> rows;  ///< by coordinate
};

/// A list of these words and no others: the order of coordinates and their units are not for choice, but a file
/// that says them can be read without this source.
template <const std::array<std::string_view, 6>& words>
struct Always {
  static void read(const Field& field, const Spec&, TrajectoryFile&) {
    std::vector<std::string> got;
    for (const Field& item : field.items()) got.push_back(item.text().value_or(""));
    if (!std::equal(got.begin(), got.end(), words.begin(), words.end()))
      field.error(fmt::format("= [{}], expected [{}]", join(got, ", "), join(words, ", ")), "");
  }
  static Json write(const TrajectoryFile&, const Spec&) { return words; }
  static Json schema(const Spec&) { return {{"const", words}}; }
};

struct KnotsCodec : fields::Codec<std::vector<double>> {
  static void read(const Field& field, const Spec& spec, std::vector<double>& out) {
    out = field.number_list().value_or(out);
    if (field.is_list() && field.node().size() < 2)
      field.error(fmt::format("has {} entries, at least 2 are needed", field.node().size()),
                  std::string(spec.hint));
  }
};

/// Control points by coordinate, one row per piece.
struct PointsCodec {
  static void read(const Field& field, const Spec&, std::vector<std::optional<Field>>& out) {
    Map map(field);
    for (const std::string_view name : pose_names) out.push_back(map.require(name, "one row per piece"));
    map.finish();
  }
  static Json write(const std::vector<std::optional<Field>>&, const Spec&) { return fields::absent(); }
  static Json schema(const Spec& spec) {
    Json keys;
    for (std::size_t k = 0; k < pose_names.size(); ++k)
      keys[std::string(pose_names[k])] = {{"description", "One row per piece."},
                                          {"unit", pose_units[k]},
                                          {"type", "array"},
                                          {"items", fields::Codec<std::vector<double>>::schema(spec)}};
    return {
        {"type", "object"}, {"properties", keys}, {"required", pose_names}, {"additionalProperties", false}};
  }
};

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

std::optional<Bezier> bezier_of(TrajectoryFile file, yaml::Reading& reading) {
  const Index pieces = static_cast<Index>(file.knots.size()) - 1;
  if (pieces < 1 || file.degree < 1) return std::nullopt;
  Eigen::MatrixXd points = Eigen::MatrixXd::Zero(6, pieces * (file.degree + 1));
  for (std::size_t k = 0; k < file.rows.size(); ++k)
    if (file.rows[k]) read_coordinate(*file.rows[k], pieces, file.degree, static_cast<Index>(k), points);
  if (has_errors(reading.findings())) return std::nullopt;
  try {
    return Bezier(std::move(file.knots), file.degree, std::move(points));
  } catch (const InputError& error) {
    reading.add(error.findings());
    return std::nullopt;
  }
}

}  // namespace
}  // namespace fathom::trajectory

// The keys, one to a line.
// clang-format off
namespace fathom::fields {

using namespace trajectory;

template <> const Keys& Table<TrajectoryOrigin>::fields() {
  static const Keys keys{
      field<&TrajectoryOrigin::problem>("problem").doc("Problem that it solves; for people."),
      field<&TrajectoryOrigin::robot>("robot").doc("Robot that it was designed for; for people.")};
  return keys;
}
template <> const Keys& Table<TrajectoryFile>::fields() {
  using T = TrajectoryFile;
  static const Keys keys{
      spread<&T::origin>(),
      self<T, Always<pose_names>>("coordinates").required("[x, y, z, roll, pitch, yaw]")
          .doc("North, east, down of the body origin, and its attitude (z-y-x)."),
      self<T, Always<pose_units>>("units").required("[m, m, m, rad, rad, rad]").doc("Units of the coordinates."),
      field<&T::degree>("degree").at_least(1).at_most(max_degree).required("of the pieces; 3 is a cubic spline")
          .doc("Degree of the pieces."),
      field<&T::knots, KnotsCodec>("knots").unit("s").entries(2).hint("begin and end, in s")
          .required("s, where the pieces meet: [0, 3.2, ...]").doc("Times at which the pieces meet, increasing."),
      field<&T::rows, PointsCodec>("points").at_least(-largest).at_most(largest)
          .required("control points by coordinate, one row per piece")
          .doc("Control points of each coordinate: degree + 1 numbers for each piece.")};
  return keys;
}

}  // namespace fathom::fields
// clang-format on

namespace fathom::trajectory {

nlohmann::ordered_json trajectory_schema() {
  return fields::schema_file(fields::schema_of<TrajectoryFile>(), "urn:fathom:trajectory:1",
                             "Fathom trajectory", format_word);
}

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
  const Field root(document, "", reading);
  TrajectoryFile said;
  Map map(root);
  yaml::check_format(map, format_word,
                     {{"fathom-robot-1", "this is a robot, not a trajectory", ""},
                      {"fathom-scenario-1", "this is a scenario, not a trajectory", "fathom simulate"},
                      {"fathom-excitation-1", "this is a problem, not a trajectory", "fathom excite"}});
  fields::read_keys(map, root, fields::Table<TrajectoryFile>::fields(), &said);
  map.finish();
  auto path = bezier_of(std::move(said), reading);
  if (has_errors(reading.findings())) throw InputError(reading.findings());
  return *std::move(path);
}

Bezier read_trajectory(const std::filesystem::path& path) {
  return parse_trajectory(read_file(path), path.string());
}

}  // namespace fathom::trajectory
