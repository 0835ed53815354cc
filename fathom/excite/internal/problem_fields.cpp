#include "fathom/excite/internal/problem_fields.hpp"

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

namespace fathom::excite::internal {
namespace {

constexpr std::string_view format_word = "fathom-excitation-1";
constexpr double farthest_point = 1e5;  // m

}  // namespace

YAML::Node problem_document(const std::string& text, const std::string& file) {
  return yaml::parse_document(text, file, "one problem per file",
                              fmt::format("begin with 'format: {}'", format_word));
}

ProblemTitle read_title(Map& map) {
  yaml::check_format(map, format_word,
                     {{"fathom-robot-1", "this is a robot, not a problem", "name it under robot: ..."},
                      {"fathom-arm-1", "this is an arm, not a problem", "name it under arm: ..."},
                      {"fathom-scenario-1", "this is a scenario, not a problem", "fathom simulate"},
                      {"fathom-trajectory-1", "this is a path that was designed, not a problem",
                       "a scenario can follow it: fathom simulate"}});
  ProblemTitle out;
  if (const auto f = map.require("name", "a word for the folder of its results")) {
    out.name = f->text().value_or("");
    yaml::check_name(*f, out.name);
  }
  if (const auto f = map.take("title")) out.title = f->text().value_or("");
  return out;
}

void read_criterion(Map& map, Criterion& criterion) {
  if (const auto f = map.take("criterion"))
    if (const auto k = yaml::choice(*f, {"a-optimal", "d-optimal", "condition"}))
      criterion = std::array{Criterion::a_optimal, Criterion::d_optimal, Criterion::condition}[*k];
}

void check_duration(std::optional<double> duration) {
  if (duration && !(*duration > 0 && *duration <= 1e7))
    reject("duration", fmt::format("= {} s, must be > 0 and at most 1e7", *duration));
}

std::optional<double> between(const Field& field, std::string_view unit, double least, double most) {
  const auto value = field.number(unit);
  if (!value || (*value >= least && *value <= most)) return value;
  field.error(fmt::format("= {}, must be {:g} to {:g}", yaml::with_unit(*value, unit), least, most), "");
  return std::nullopt;
}

void read_between(Map& map, std::string_view key, std::string_view unit, double least, double most,
                  double& out) {
  if (const auto field = map.take(key)) out = between(*field, unit, least, most).value_or(out);
}

std::optional<Vec3> point(const Field& field, std::string_view what) {
  auto value = yaml::vec3(field, what);
  if (!value || value->cwiseAbs().maxCoeff() <= farthest_point) return value;
  field.error(
      fmt::format("is {:g} m away, must be nearer than {:g}", value->cwiseAbs().maxCoeff(), farthest_point),
      "metres, not millimetres?");
  return std::nullopt;
}

void read_point(Map& map, std::string_view key, std::string_view what, Vec3& out) {
  if (const auto field = map.take(key)) out = point(*field, what).value_or(out);
}

std::optional<Angle> take_angle(Map& map, std::string_view key, std::string_view key_deg) {
  const auto radians = map.take(key), degrees = map.take(key_deg);
  if (radians && degrees) degrees->error(fmt::format("stands beside {}", key), "keep one of them");
  if (radians) return Angle{*radians, 1};
  if (degrees) return Angle{*degrees, degree};
  return std::nullopt;
}

std::string of_coordinate(std::size_t coordinate, double value) {
  return coordinate < 3 ? fmt::format("{:.3g} m", value) : fmt::format("{:.3g} deg", value / degree);
}

bool is_held(const model::Structure& structure, std::size_t coordinate) {
  return !model::is_free(structure.dof, static_cast<int>(coordinate));
}

std::string held_hint(const model::Structure& structure) {
  return fmt::format("{} holds {}; use a {}-DoF structure", structure.name,
                     structure.dof == model::Dof::three ? "z, roll and pitch" : "roll and pitch",
                     structure.dof == model::Dof::three ? "4- or 6" : "6");
}

}  // namespace fathom::excite::internal
