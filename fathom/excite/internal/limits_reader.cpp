#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/excite/internal/problem_fields.hpp"

namespace fathom::excite::internal {
namespace {

using Table = std::array<std::optional<Bound>, 6> StatedLimits::*;

constexpr double most_place = 1e4, most_turn = 200 * std::numbers::pi;  // m, rad
constexpr double most_turn_in_rad = 20 * std::numbers::pi;  // of a key in rad: [-180, 180] is meant in degrees
constexpr double least_rate = 1e-6, most_rate = 1e3;
constexpr Range unread = {-1, 1};         // in place of what could not be read: it is not missing
constexpr double steepest = 85 * degree;  // rates of roll and yaw are singular at 90
constexpr std::array<std::string_view, 6> keys_deg = {"", "", "", "roll_deg", "pitch_deg", "yaw_deg"};

/// Limits of three coordinates under one key.
struct Group {
  std::string_view key, key_deg, unit;
  std::size_t first;
  Table table;
};
constexpr std::array<Group, 4> groups = {{
    {"speed", "", "m/s", 0, &StatedLimits::rate},
    {"turn_rate", "turn_rate_deg", "rad/s", 3, &StatedLimits::rate},
    {"acceleration", "", "m/s^2", 0, &StatedLimits::acceleration},
    {"turn_acceleration", "turn_acceleration_deg", "rad/s^2", 3, &StatedLimits::acceleration},
}};

std::optional<Angle> take(Map& map, std::string_view key, std::string_view key_deg) {
  if (!key_deg.empty()) return take_angle(map, key, key_deg);
  const auto field = map.take(key);
  return field ? std::optional(Angle{*field, 1}) : std::nullopt;
}

/// Whether the coordinate may be bounded at all.
bool is_free(const Field& field, const LimitsOf& of, std::size_t coordinate) {
  if (!is_held(of.structure, coordinate)) return true;
  field.error(fmt::format("bounds {}, which stays as it is", coordinate_names[coordinate]),
              held_hint(of.structure));
  return false;
}

std::optional<Range> read_range(const Field& field, double unit, std::string_view what) {
  const auto v = field.numbers(2, what);
  if (!v) return std::nullopt;
  if (!((*v)[0] < (*v)[1])) {
    field.error(fmt::format("= [{}, {}], where min is not below max", (*v)[0], (*v)[1]), std::string(what));
    return std::nullopt;
  }
  return Range{(*v)[0] * unit, (*v)[1] * unit};
}

/// What a range and the tank have in common.
Range within_tank(const Range& range, const Field& field, const LimitsOf& of, std::size_t k) {
  const auto axis = static_cast<Eigen::Index>(k);
  const Range room{of.tank->room_n.min[axis], of.tank->room_n.max[axis]};
  const Range common{std::max(range.min, room.min), std::min(range.max, room.max)};
  if (common.min < common.max) return common;
  field.error(fmt::format("= [{:g}, {:g}] m{} lies {:.3g} m outside the tank, where {} of the body's origin is "
                          "{:.4g} to {:.4g} m",
                          range.min, range.max, of.whose, common.min - common.max, coordinate_names[k],
                          room.min, room.max),
              "the tank less its clearance");
  return range;
}

void read_pose_bound(Map& map, const LimitsOf& of, std::size_t k, StatedLimits& stated) {
  const auto angle = take(map, coordinate_names[k], keys_deg[k]);
  if (!angle || !is_free(angle->field, of, k)) return;
  stated.pose[k] = Bound{unread, angle->field};
  auto range = read_range(angle->field, angle->unit,
                          k < 3             ? "[min, max] in m"
                          : angle->unit < 1 ? "[min, max] in degrees"
                                            : "[min, max] in rad");
  if (!range) return;
  const double most = k == 4 ? steepest : k < 3 ? most_place : angle->unit == 1 ? most_turn_in_rad : most_turn;
  const double largest = std::max(-range->min, range->max);
  if (!(largest <= most)) {
    angle->field.error(fmt::format("reaches {}, at most {}", of_coordinate(k, largest), of_coordinate(k, most)),
                       k == 4 ? "at 90 degrees roll and yaw are one"
                       : angle->unit == 1
                           ? "degrees? the unit is rad; degrees have the key " + std::string(keys_deg[k])
                           : "");
    return;
  }
  if (k < 3 && of.tank) range = within_tank(*range, angle->field, of, k);
  stated.pose[k] = Bound{*range, angle->field};
}

/// A number stands for both signs. Rest must lie inside.
std::optional<Range> read_rate(const Field& field, double unit, std::string_view in) {
  if (!field.is_list()) {
    const auto value = between(field, unit < 1 ? "degrees" : in, least_rate, most_rate);
    return value ? std::optional(Range{-*value * unit, *value * unit}) : std::nullopt;
  }
  const auto range = read_range(field, unit, fmt::format("[min, max] in {}", unit < 1 ? "degrees" : in));
  if (!range) return std::nullopt;
  if (range->min <= -least_rate && range->max >= least_rate && range->min >= -most_rate &&
      range->max <= most_rate)
    return range;
  field.error(fmt::format("= [{:g}, {:g}], must be below and above 0, from {:g} to {:g}", range->min / unit,
                          range->max / unit, least_rate, most_rate),
              "the path begins and ends at rest");
  return std::nullopt;
}

void read_group(Map& map, const LimitsOf& of, const Group& group, StatedLimits& stated) {
  const auto angle = take(map, group.key, group.key_deg);
  if (!angle) return;
  const auto state = [&](std::size_t k, const Field& field, const Range& range) {
    (stated.*group.table)[k] = Bound{range, field};
  };
  if (!angle->field.is_map()) {
    const Range range = read_rate(angle->field, angle->unit, group.unit).value_or(unread);
    for (std::size_t k = group.first; k < group.first + 3; ++k)
      if (!is_held(of.structure, k)) state(k, angle->field, range);
    return;
  }
  Map by_coordinate(angle->field);
  for (std::size_t k = group.first; k < group.first + 3; ++k) {
    const auto field = by_coordinate.take(coordinate_names[k]);
    if (field && is_free(*field, of, k))
      state(k, *field, read_rate(*field, angle->unit, group.unit).value_or(unread));
  }
  by_coordinate.finish();
}

}  // namespace

StatedLimits limits_of_tank(const std::optional<Field>& field, const std::optional<Tank>& tank,
                            const model::Structure& structure) {
  StatedLimits stated;
  if (!field) return stated;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    if (is_held(structure, k)) continue;
    stated.pose[k] = Bound{tank ? Range{tank->room_n.min[axis], tank->room_n.max[axis]} : unread, *field};
  }
  return stated;
}

void read_limits(const Field& field, const LimitsOf& of, StatedLimits& stated) {
  Map map(field);
  for (std::size_t k = 0; k < 6; ++k) read_pose_bound(map, of, k, stated);
  for (const Group& group : groups) read_group(map, of, group, stated);
  map.finish();
}

}  // namespace fathom::excite::internal
