#include "fathom/model_file/internal/joint_reader.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/fields/yaml_values.hpp"
#include "fathom/model_file/internal/value_reader.hpp"

namespace fathom::model::internal {
namespace {

using yaml::Field;
using yaml::Map;

constexpr double nearly_one = 1e-9;

/// `key`, or `key_deg`; not both. Keys are literals: the map keeps them.
void take_angle(Map& map, std::string_view key, std::string_view key_deg, std::string_view unit, double& out) {
  const auto radians = map.take(key), degrees = map.take(key_deg);
  if (radians && degrees) degrees->error(fmt::format("stands beside {}", key), "give one of them");
  if (radians) out = radians->number(unit).value_or(out);
  if (const auto value = degrees && !radians ? degrees->number("degrees") : std::nullopt) out = *value * degree;
}

Pose read_khalil_kleinfinger(const Field& field) {
  KhalilKleinfinger p;
  Map map(field);
  take_angle(map, "gamma", "gamma_deg", "rad", p.gamma);
  take_angle(map, "alpha", "alpha_deg", "rad", p.alpha);
  take_angle(map, "theta", "theta_deg", "rad", p.theta);
  yaml::read(map, "b", "m", p.b);
  yaml::read(map, "d", "m", p.d);
  yaml::read(map, "r", "m", p.r);
  map.finish();
  return pose_of(p);
}

/// position, and one of attitude, attitude_deg, quaternion.
Pose read_origin(const Field& field) {
  Pose pose;
  Map map(field);
  if (const auto f = map.take("position"))
    if (const auto p = yaml::vec3(*f, "x, y, z in m, in the parent's frame")) pose.p_pc_p = *p;
  const bool has_angles = map.has("attitude") || map.has("attitude_deg");
  const Vec3 attitude_rpy = read_attitude(map).value;
  check_turns(field, attitude_rpy);
  pose.q_pc = quaternion_from_euler(attitude_rpy);
  if (const auto f = map.take("quaternion")) {
    if (has_angles) f->error("stands beside attitude", "give one of them");
    if (const auto q = f->numbers(4, "w, x, y, z")) {
      pose.q_pc = Quat((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
      if (!(std::abs(pose.q_pc.norm() - 1) <= nearly_one))
        f->error(fmt::format("has length {:.9g}, must be 1", pose.q_pc.norm()), "all its digits; w first");
    }
  }
  map.finish();
  return pose;
}

void take_place(const Field& field, Map& map, Joint& joint) {
  const auto khalil = map.take("khalil_kleinfinger"), origin = map.take("origin"), axis = map.take("axis");
  if (khalil && (origin || axis))
    khalil->error(fmt::format("stands beside {}", origin ? "origin" : "axis"),
                  "give one of them: by Khalil's parameters the joint's axis is z");
  if (!khalil && !origin)
    field.error("has neither origin nor khalil_kleinfinger", "where is the joint on its parent?");
  if (khalil) joint.zero = read_khalil_kleinfinger(*khalil);
  if (origin) joint.zero = read_origin(*origin);
  if (!axis) return;
  if (const auto direction = yaml::vec3(*axis, "of the joint, in the moved link's frame")) {
    const double length = direction->norm();
    if (!(length > 1e-6)) return axis->error("is zero", "the direction about or along which the joint moves");
    // What has length one stays as it is written, to the last digit.
    joint.axis = std::abs(length - 1) <= nearly_one ? *direction : Vec3(*direction / length);
  }
}

void read_limits(const Field& field, bool turns, JointLimits& limits) {
  Map map(field);
  if (turns) {
    take_angle(map, "min", "min_deg", "rad", limits.min);
    take_angle(map, "max", "max_deg", "rad", limits.max);
    take_angle(map, "speed", "speed_deg", "rad/s", limits.speed);
    take_angle(map, "acceleration", "acceleration_deg", "rad/s^2", limits.acceleration);
  } else {
    yaml::read(map, "min", "m", limits.min);
    yaml::read(map, "max", "m", limits.max);
    yaml::read(map, "speed", "m/s", limits.speed);
    yaml::read(map, "acceleration", "m/s^2", limits.acceleration);
  }
  yaml::read(map, "effort", turns ? "N m" : "N", limits.effort);
  map.finish();
}

void read_friction(const Field& field, bool turns, JointFriction& friction) {
  Map map(field);
  const yaml::Origin origin = yaml::take_origin(map);
  const auto take = [&](std::string_view key, Value<double>& out) {
    const auto f = map.take(key);
    if (!f) return false;
    const std::string_view unit = key == "viscous" ? (turns ? "N m s" : "N s/m") : (turns ? "N m" : "N");
    read_value(*f, unit, AsNumber{unit}, out);
    inherit(out, origin);
    return true;
  };
  take("viscous", friction.viscous);
  if (take("coulomb", friction.coulomb_forward)) {
    friction.coulomb_backward = friction.coulomb_forward;
    for (const char* side : {"coulomb_forward", "coulomb_backward"})
      if (const auto f = map.take(side))
        f->error("stands beside coulomb", "coulomb is that of both directions");
  }
  take("coulomb_forward", friction.coulomb_forward);
  take("coulomb_backward", friction.coulomb_backward);
  map.finish();
}

Gear read_gear(const Field& field) {
  Gear gear;
  Map map(field);
  if (const auto f = map.require("ratio", "turns of the motor per turn of the joint"))
    gear.ratio = f->number("").value_or(1);
  map.finish();
  return gear;
}

ScrewLever read_screw_lever(const Field& field) {
  ScrewLever lever;
  Map map(field);
  const auto need = [&](std::string_view key, std::string_view hint, double& out) {
    if (const auto f = map.require(key, hint)) out = f->number(key == "ratio" ? "" : "m").value_or(out);
  };
  need("ratio", "turns of the motor per turn of the screw", lever.ratio);
  need("pitch", "m of the screw per turn", lever.pitch);
  need("l1", "m, from the joint's axis to one end of the screw", lever.l1);
  need("l2", "m, from the joint's axis to the other end", lever.l2);
  if (!map.has("offset") && !map.has("offset_deg"))
    field.error("has no offset_deg", "the angle between l1 and l2 at q = 0");
  take_angle(map, "offset", "offset_deg", "rad", lever.offset);
  yaml::read(map, "sense", "1 or -1", lever.sense);
  map.finish();
  return lever;
}

JointMotor read_motor(const Field& field) {
  JointMotor motor;
  Map map(field);
  if (const auto f = map.require("k_t", "N m/A")) motor.k_t = f->number("N m/A").value_or(1);
  yaml::read(map, "inertia", "kg m^2", motor.inertia);
  yaml::read(map, "viscous", "N m s", motor.viscous);
  yaml::read(map, "coulomb", "N m", motor.coulomb);
  map.finish();
  return motor;
}

Actuator read_actuator(const Field& field) {
  Actuator actuator;
  Map map(field);
  yaml::take_origin(map, actuator);
  const auto gear = map.take("gear"), lever = map.take("screw_lever");
  if (gear.has_value() == lever.has_value())
    field.error(gear ? "has both gear and screw_lever" : "has neither gear nor screw_lever",
                "gear: {ratio}, or screw_lever: {ratio, pitch, l1, l2, offset_deg}");
  if (gear) actuator.transmission = read_gear(*gear);
  if (lever) actuator.transmission = read_screw_lever(*lever);
  if (const auto f = map.require("motor", "{k_t, inertia, viscous, coulomb}")) actuator.motor = read_motor(*f);
  const auto option = [&](std::string_view key, std::string_view unit, std::optional<double>& out) {
    if (const auto f = map.take(key)) out = f->number(unit);
  };
  option("current", "A", actuator.current);
  option("speed", "rad/s of the shaft", actuator.speed);
  option("acceleration", "rad/s^2 of the shaft", actuator.acceleration);
  option("increments", "per turn of the shaft", actuator.increments);
  map.finish();
  return actuator;
}

}  // namespace

void take_joint(const Field& field, Map& map, Joint& joint) {
  yaml::take_origin(map, joint);
  if (const auto f = map.take("kind"))
    joint.kind = yaml::choice(*f, {"revolute", "prismatic"}).value_or(0) == 0 ? Joint::Kind::revolute
                                                                              : Joint::Kind::prismatic;
  take_place(field, map, joint);
  const bool turns = joint.kind == Joint::Kind::revolute;
  if (const auto f = map.take("limits")) read_limits(*f, turns, joint.limits);
  if (const auto f = map.take("friction")) read_friction(*f, turns, joint.friction);
  if (const auto f = map.take("actuator")) joint.actuator = read_actuator(*f);
}

}  // namespace fathom::model::internal
