#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/excite/internal/problem_fields.hpp"

namespace fathom::excite::internal {
namespace {

constexpr std::size_t most_corners = 64;

/// From the origin to what of the hull reaches farthest, whatever the heading, and whatever roll and pitch
/// where they are free: the hull is a box about its centre of buoyancy, as for simulate/contact.hpp.
Vec3 reach_of(const model::Hull& hull, const model::Structure& structure) {
  if (!hull.size) return Vec3::Zero();
  const Vec3 farthest = hull.centre_of_buoyancy.value.cwiseAbs() + hull.size->value / 2;
  if (!is_held(structure, 3) || !is_held(structure, 4)) return Vec3::Constant(farthest.norm());
  const double across = farthest.head<2>().norm();
  return {across, across, farthest.z()};
}

Vec3 read_clearance(const Field& field) {
  Vec3 clearance = Vec3::Zero();
  if (field.is_list())
    clearance = point(field, "m along north, east, down").value_or(clearance);
  else
    clearance.setConstant(between(field, "m", 0, 1e4).value_or(0));
  if (clearance.minCoeff() < 0) field.error("has an entry below 0", "m between the body's origin and a wall");
  return clearance;
}

/// Corners of a rectangle at one depth.
std::vector<Vec3> read_rectangle(const Field& field) {
  Map map(field);
  double depth = 0;
  if (const auto f = map.require("depth", "m, positive down")) depth = f->number("m").value_or(0);
  const auto corner = [&](std::string_view key) -> Vec3 {
    const auto f = map.require(key, "[north, east] in m");
    const auto v = f ? f->numbers(2, "[north, east] in m") : std::nullopt;
    return v ? Vec3((*v)[0], (*v)[1], depth) : Vec3::Zero();
  };
  const Vec3 min = corner("min"), max = corner("max");
  map.finish();
  yaml::check_under(field, [&] {
    if (!(min.x() < max.x() && min.y() < max.y()))
      field.error("has a side where min is not below max", "[north, east] in m");
    if (!(std::max(min.cwiseAbs().maxCoeff(), max.cwiseAbs().maxCoeff()) <= 1e5))
      field.error("is more than 100 km away", "metres, not millimetres?");
  });
  return {min, {max.x(), min.y(), depth}, max, {min.x(), max.y(), depth}};
}

std::vector<Vec3> read_area(const Field& field) {
  if (field.is_map()) return read_rectangle(field);
  std::vector<Vec3> area;
  for (const Field& item : field.items())
    if (const auto corner = point(item, place)) area.push_back(*corner);
  if (field.is_list() && (field.node().size() == 0 || field.node().size() > most_corners))
    field.error(fmt::format("has {} corners, expected 1 to {}", field.node().size(), most_corners), "");
  return area;
}

}  // namespace

std::optional<Tank> read_tank(const Field& field, const model::Robot& robot,
                              const model::Structure& structure) {
  Map map(field);
  const auto walls = model::take_tank(field, map);
  const auto stated = map.take("clearance");
  const Vec3 clearance = stated ? read_clearance(*stated) : reach_of(robot.hull(), structure);
  map.finish();
  if (!walls) return std::nullopt;
  if (!(std::max(-walls->min.minCoeff(), walls->max.maxCoeff()) <= 1e4)) {
    field.error("has a wall more than 10 km away", "metres, not millimetres?");
    return std::nullopt;
  }
  const Tank tank{*walls, {walls->min + clearance, walls->max - clearance}, field};
  for (Eigen::Index k = 0; k < 3; ++k) {
    if (tank.room_n.min[k] < tank.room_n.max[k]) continue;
    field.error(fmt::format("is {:g} m {}, which leaves no room with {:.3g} m of clearance on both sides",
                            walls->max[k] - walls->min[k], std::array{"long", "wide", "deep"}[std::size_t(k)],
                            clearance[k]),
                stated ? "less clearance" : "state a clearance, between the body's origin and the walls");
    return std::nullopt;
  }
  return tank;
}

Vec6 read_pose(const Field& field, const model::Structure& structure) {
  Vec6 pose = Vec6::Zero();
  Map map(field);
  if (const auto f = map.require("position", place)) pose.head<3>() = point(*f, place).value_or(Vec3::Zero());
  const auto attitude = take_angle(map, "attitude", "attitude_deg");
  const auto yaw = take_angle(map, "yaw", "yaw_deg");
  if (attitude && yaw) yaw->field.error("stands beside the attitude", "keep one of them");
  if (attitude) {
    const auto rpy = yaml::vec3(attitude->field,
                                attitude->unit < 1 ? "roll, pitch, yaw in degrees" : "roll, pitch, yaw in rad");
    if (rpy) pose.tail<3>() = attitude->unit * *rpy;
  } else if (yaw) {
    pose[5] = yaw->unit * yaw->field.number(yaw->unit < 1 ? "degrees" : "rad").value_or(0);
  }
  map.finish();
  if (pose.tail<3>().cwiseAbs().maxCoeff() > 1e4)
    field.error("turns by more than 10000 rad", "rad or degrees?");
  for (Eigen::Index k = 3; k < 5; ++k)
    if (is_held(structure, std::size_t(k)) && pose[k] != 0)
      field.error(fmt::format("has a {}", coordinate_names[std::size_t(k)]), held_hint(structure));
  return pose;
}

View read_view(const Field& field) {
  View view;
  Map map(field);
  read_point(map, "position", "m forward, starboard, down", view.position_b);
  if (const auto f = map.take("axis"))
    if (const auto axis = point(*f, "forward, starboard, down")) {
      if (axis->norm() > 1e-6)
        view.axis_b = axis->normalized();
      else
        f->error("has no direction", "[0, 0, 1] looks down");
    }
  if (const auto angle = take_angle(map, "half_angle", "half_angle_deg")) {
    const auto value = angle->field.number(angle->unit < 1 ? "degrees" : "rad");
    if (value &&
        !(*value * angle->unit >= degree * (1 - 1e-12) && *value * angle->unit <= View::widest * (1 + 1e-12)))
      angle->field.error(
          fmt::format("= {}, must be 1 to {:g} degrees", *value, View::widest / degree),
          angle->unit < 1 ? "half the narrower field of view" : "the unit is rad; degrees: half_angle_deg");
    else if (value)
      view.half_angle = *value * angle->unit;
  } else if (field.is_map()) {
    field.error("lacks the key half_angle_deg", "half the narrower field of view, in degrees");
  }
  if (const auto f =
          map.require("area", "corners [north, east, down], or {min: [x, y], max: [x, y], depth: z}"))
    view.area_n = read_area(*f);
  map.finish();
  return view;
}

TetherReach read_tether(const Field& field) {
  TetherReach tether;
  Map map(field);
  if (const auto f = map.require("anchor", place)) tether.anchor_n = point(*f, place).value_or(tether.anchor_n);
  read_point(map, "attachment", "m forward, starboard, down", tether.attachment_b);
  if (const auto f = map.require("length", "m")) tether.length = between(*f, "m", 1e-3, 1e5).value_or(0);
  map.finish();
  return tether;
}

}  // namespace fathom::excite::internal
