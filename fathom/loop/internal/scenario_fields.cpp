#include "fathom/loop/internal/scenario_fields.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/model/catalogue.hpp"
#include "fathom/model/robot_file.hpp"

namespace fathom::loop::internal {
namespace {

std::string with_unit(double value, std::string_view unit) {
  return unit.empty() ? fmt::format("{}", value) : fmt::format("{} {}", value, unit);
}

}  // namespace

void read(Map& map, std::string_view key, std::string_view unit, double& out) {
  if (const auto field = map.take(key))
    if (const auto value = field->number(unit)) out = *value;
}

void read_positive(Map& map, std::string_view key, std::string_view unit, double& out) {
  const auto field = map.take(key);
  if (!field) return;
  const auto value = field->number(unit);
  if (value && !(*value > 0))
    field->error(fmt::format("= {}, must be > 0", with_unit(*value, unit)), "");
  else if (value)
    out = *value;
}

std::optional<Vec3> vec3(const Field& field, std::string_view what) {
  const auto v = field.numbers(3, what);
  return v ? std::optional(Vec3((*v)[0], (*v)[1], (*v)[2])) : std::nullopt;
}

void read(Map& map, std::string_view key, std::string_view what, Vec3& out) {
  if (const auto field = map.take(key))
    if (const auto value = vec3(*field, what)) out = *value;
}

bool read_flag(const Field& field, bool otherwise) {
  const auto word = field.text();
  if (!word) return otherwise;
  if (*word == "true" || *word == "yes" || *word == "on") return true;
  if (*word == "false" || *word == "no" || *word == "off") return false;
  field.error(fmt::format("= {}, expected true or false", in_quotes(*word)), "");
  return otherwise;
}

std::optional<std::size_t> choice(const Field& field, const std::vector<std::string_view>& words) {
  const auto word = field.text();
  if (!word) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::string nearest = nearest_word(*word, words);
  field.error(fmt::format("= {}, expected one of {}", in_quotes(*word), fmt::join(words, ", ")),
              nearest.empty() ? "" : fmt::format("did you mean {}?", nearest));
  return std::nullopt;
}

Vec3 read_attitude(Map& map) {
  Vec3 rpy_deg = Vec3::Zero();
  const auto attitude = map.take("attitude_deg"), yaw = map.take("yaw_deg");
  if (attitude && yaw) yaw->error("stands beside attitude_deg", "keep one of them");
  if (attitude)
    rpy_deg = vec3(*attitude, "roll, pitch, yaw in degrees").value_or(rpy_deg);
  else if (yaw)
    rpy_deg.z() = yaw->number("deg").value_or(0);
  return degree * rpy_deg;
}

std::optional<model::Robot> read_named_robot(const Field& field, const std::filesystem::path& beside,
                                             const Folders& folders, std::string* file) {
  auto name = field.text();
  if (!name) return std::nullopt;
  // A path in the scenario is meant from where the scenario lies.
  const bool is_path = name->find('/') != std::string::npos || name->ends_with(".yaml");
  if (is_path && std::filesystem::path(*name).is_relative())
    name = (beside / *name).lexically_normal().string();
  if (is_path && name->find('/') == std::string::npos) name = "./" + *name;
  std::error_code none;
  if (is_path && !std::filesystem::exists(*name, none)) {
    field.error(fmt::format("= {}, which does not exist", in_quotes(*name)),
                "a path is meant from the folder of the scenario");
    return std::nullopt;
  }
  try {
    const auto found = model::find_robot_file(*name, folders);
    if (file) *file = found.string();
    return model::read_robot(found);
  } catch (const InputError& error) {
    Problem first = error.problems().front();
    const std::string hint = std::exchange(first.hint, "");
    field.error(first.file.empty() ? first.message : "cannot be used: " + first.text(), hint);
    return std::nullopt;
  }
}

}  // namespace fathom::loop::internal
