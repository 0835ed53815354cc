#include "fathom/loop/internal/scenario_fields.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"

namespace fathom::loop::internal {

bool read_flag(const Field& field, bool otherwise) {
  const auto word = field.text();
  if (!word) return otherwise;
  if (*word == "true" || *word == "yes" || *word == "on") return true;
  if (*word == "false" || *word == "no" || *word == "off") return false;
  field.error(fmt::format("= {}, expected true or false", in_quotes(*word)), "");
  return otherwise;
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

std::optional<std::size_t> index_of(const Field& field, const std::string& name,
                                    const std::vector<std::string_view>& names, std::string_view what,
                                    const std::string& owner) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  field.error(fmt::format("= {}, but {} has no such {}", in_quotes(name), owner, what),
              did_you_mean(name, names,
                           names.empty() ? fmt::format("it has no {} at all", what)
                                         : fmt::format("it has {}", join(names, ", "))));
  return std::nullopt;
}

}  // namespace fathom::loop::internal
