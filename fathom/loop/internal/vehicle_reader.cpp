#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/geometry/rotation.hpp"
#include "fathom/loop/internal/scenario_fields.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::loop::internal {
namespace {

constexpr int most_segments = 500;
constexpr double longest_delay = 10;  // s

template <class Part>
std::optional<std::size_t> index_among(const Field& field, const std::vector<Part>& parts,
                                       std::string_view what, const std::string& robot) {
  const auto name = field.text();
  if (!name) return std::nullopt;
  std::vector<std::string_view> names;
  for (const Part& part : parts) names.push_back(part.name);
  return index_of(field, *name, names, what, robot);
}

std::vector<std::size_t> all_sensors(const model::Robot& robot) {
  std::vector<std::size_t> all(robot.sensors().size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  return all;
}

std::vector<std::size_t> read_sensors(const Field& field, const model::Robot& robot) {
  if (!field.is_list()) {
    if (choice(field, {"all", "none"}) == 1u) return {};
    return all_sensors(robot);
  }
  std::vector<std::size_t> sensors;
  for (const Field& item : field.items()) {
    const auto k = index_among(item, robot.sensors(), "sensor", robot.name());
    if (!k) continue;
    if (std::find(sensors.begin(), sensors.end(), *k) != sensors.end())
      item.error("stands here twice", "");
    else
      sensors.push_back(*k);
  }
  return sensors;
}

void read_fault(const Field& field, VehicleScenario& vehicle) {
  Map map(field);
  double at = 0;
  if (const auto f = map.require("at", "s, when it happens")) at = f->number("s").value_or(0);
  if (at < 0) field.error(fmt::format("at = {} s, must be >= 0", at), "");
  const auto thruster = map.take("thruster"), sensor = map.take("sensor");
  if (thruster.has_value() == sensor.has_value()) {
    field.error("names neither or both of thruster and sensor", "a fault befalls one of them");
  } else if (thruster) {
    ThrusterFault fault{.at = at};
    if (const auto k = index_among(*thruster, vehicle.robot.thrusters(), "thruster", vehicle.robot.name()))
      fault.thruster = *k;
    if (const auto f = map.take("becomes"))
      if (const auto k = choice(*f, {"dead", "stuck", "weak"})) fault.kind = ThrusterFault::Kind(*k);
    read(map, "factor", "", fault.factor);
    if (!(fault.factor >= 0 && fault.factor <= 1))
      field.error(fmt::format("factor = {}, must be 0 to 1", fault.factor),
                  "the share of its force that is left");
    if (const auto f = map.take("known_at")) {
      fault.known_at = f->number("s");
      if (fault.known_at && *fault.known_at < at)
        f->error(fmt::format("= {} s, before it happens at {} s", *fault.known_at, at), "");
    }
    vehicle.thruster_faults.push_back(fault);
  } else {
    SensorFault fault{.at = at, .until = HUGE_VAL};
    if (const auto k = index_among(*sensor, vehicle.robot.sensors(), "sensor", vehicle.robot.name()))
      fault.sensor = *k;
    if (std::find(vehicle.sensors.begin(), vehicle.sensors.end(), fault.sensor) == vehicle.sensors.end())
      sensor->error("is not among the sensors of this vehicle in this scenario", "name it under sensors");
    if (const auto f = map.take("becomes"))
      if (const auto k = choice(*f, {"silent", "frozen"})) fault.kind = SensorFault::Kind(*k);
    if (const auto f = map.take("until")) {
      fault.until = f->number("s").value_or(HUGE_VAL);
      if (fault.until <= at) f->error(fmt::format("= {} s, not after at = {} s", fault.until, at), "");
    }
    vehicle.sensor_faults.push_back(fault);
  }
  map.finish();
}

simulate::TetherSpec read_tether(const Field& field) {
  simulate::TetherSpec spec;
  Map map(field);
  if (const auto f = map.require("anchor", "m north, east, down"))
    spec.anchor_n = vec3(*f, "m north, east, down").value_or(spec.anchor_n);
  read(map, "attachment", "m forward, starboard, down", spec.attachment_b);
  if (const auto f = map.require("length", "m")) spec.length = f->number("m").value_or(spec.length);
  if (const auto f = map.take("segments"))
    spec.segments = yaml::whole(*f, 2, most_segments).value_or(spec.segments);
  read(map, "diameter", "m", spec.diameter);
  read(map, "mass_per_length", "kg/m", spec.mass_per_length);
  read(map, "axial_stiffness", "N", spec.axial_stiffness);
  map.finish();
  return spec;
}

simulate::DisturbanceSpec read_disturbance(const Field& field) {
  simulate::DisturbanceSpec spec;
  Map map(field);
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  read(map, "force", "N forward, starboard, down", force);
  read(map, "torque", "N m about forward, starboard, down", torque);
  read(map, "time", "s", spec.time);
  map.finish();
  spec.sigma_b << force, torque;
  return spec;
}

void read_command_delay(Map& map, VehicleScenario& vehicle) {
  const auto f = map.take("command_delay");
  const auto value = f ? f->number("s") : std::nullopt;
  if (!value) return;
  if (*value >= 0 && *value <= longest_delay)
    vehicle.command_delay = *value;
  else
    f->error(fmt::format("= {} s, must be 0 to {:g}", *value, longest_delay), "seconds, not milliseconds?");
}

/// What the degrees of freedom hold still must begin still, and nobody may be sent where it cannot go.
void check_held(const Field& field, const VehicleScenario& vehicle) {
  if (vehicle.dof == model::Dof::six) return;
  const int n = static_cast<int>(vehicle.dof);
  for (int i = 0; i < 6; ++i)
    if (!model::is_free(vehicle.dof, i) && vehicle.start.nu_b[i] != 0)
      field.error(fmt::format("starts with {} = {}, which {} degrees of freedom hold at 0",
                              model::velocity_name(i), vehicle.start.nu_b[i], n),
                  "dof: 6");
  const auto level = [&](const Quat& q_nb, const char* what) {
    const Vec3 rpy = euler_from_quaternion(q_nb);
    const bool is_level = rpy.head<2>().norm() <= 1e-9;
    if (!is_level)
      field.error(fmt::format("{} with roll or pitch, which {} degrees of freedom hold at 0", what, n),
                  "dof: 6");
    return is_level;
  };
  level(vehicle.start.q_nb, "starts");
  if (!vehicle.reference) return;
  const bool is_curve = !vehicle.reference->waypoints();
  const char* const what = is_curve ? "has a trajectory" : "has a way-point";
  for (const trajectory::Waypoint& point : vehicle.reference->places()) {
    bool holds = level(quaternion_from_euler(point.attitude_rpy), what);
    if (vehicle.dof == model::Dof::three && std::abs(point.p_nb_n.z() - vehicle.start.p_nb_n.z()) > 1e-9) {
      holds = false;
      field.error(fmt::format("{} {} m down, but starts at {} m and 3 degrees of freedom hold its depth", what,
                              point.p_nb_n.z(), vehicle.start.p_nb_n.z()),
                  "dof: 4");
    }
    if (!holds && is_curve) return;  // its neighbours are no better
  }
}

void check_overlap(const Field& field, const VehicleScenario& vehicle) {
  for (std::size_t i = 0; i < vehicle.sensor_faults.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const SensorFault &a = vehicle.sensor_faults[i], &b = vehicle.sensor_faults[j];
      if (a.sensor == b.sensor && a.at < b.until && b.at < a.until)
        field.error(
            fmt::format("has two faults of sensor {} at one time", vehicle.robot.sensors()[a.sensor].name),
            "end the first with until before the second");
    }
  for (std::size_t i = 0; i < vehicle.thruster_faults.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (vehicle.thruster_faults[i].thruster == vehicle.thruster_faults[j].thruster)
        field.error(fmt::format("has two faults of thruster {}",
                                vehicle.robot.thrusters()[vehicle.thruster_faults[i].thruster].name),
                    "what is broken stays broken");
}

}  // namespace

dynamics::State read_start(const Field& field) {
  Map map(field);
  dynamics::State start;
  read(map, "position", "m north, east, down", start.p_nb_n);
  start.q_nb = quaternion_from_euler(read_attitude(map));
  Vec3 velocity = Vec3::Zero(), rates = Vec3::Zero();
  read(map, "velocity", "m/s forward, starboard, down", velocity);
  read(map, "rates", "rad/s about forward, starboard, down", rates);
  start.nu_b << velocity, rates;
  map.finish();
  return start;
}

std::optional<VehicleScenario> read_vehicle(const Field& field, const std::filesystem::path& beside,
                                            const Folders& folders) {
  Map map(field);
  const auto robot_field =
      map.require("robot", "the name of a robot (fathom models), or the path of a robot file");
  std::string file;
  auto robot = robot_field ? read_named_robot(*robot_field, beside, folders, &file) : std::nullopt;
  if (!robot) return std::nullopt;  // what else is said about it cannot be judged
  VehicleScenario vehicle{.name = robot->name(), .robot = *robot, .robot_file = file};
  if (const auto f = map.take("name")) vehicle.name = f->text().value_or(vehicle.name);
  if (const auto f = map.take("dof")) vehicle.dof = model::read_dof(*f).value_or(vehicle.dof);
  read_positive(map, "voltage", "V", vehicle.voltage);
  read_command_delay(map, vehicle);
  if (const auto f = map.take("reference")) vehicle.reference = read_reference(*f, beside);
  if (const auto f = map.take("start")) {
    vehicle.start = read_start(*f);
  } else if (vehicle.reference) {
    const auto first = vehicle.reference->at(0);
    vehicle.start = {first.q_nb, first.p_nb_n, first.nu_b};
  }
  const auto control = map.take("control");
  if (control) vehicle.control = read_control(*control, vehicle.robot.thrusters(), beside, folders);
  if (!std::holds_alternative<Drift>(vehicle.control) && vehicle.robot.thrusters().empty())
    control->error(fmt::format("steers, but {} has no thrusters", vehicle.robot.name()), "kind: drift");
  if (const auto* pid = std::get_if<PidControl>(&vehicle.control)) {
    if (!vehicle.reference && !has_errors(field.reading().findings()))
      control->error("follows a reference, but the vehicle has none",
                     "add reference: {waypoints: [...]} or {trajectory: path.yaml}");
    check_under(*control, [&] { control::PosePid(dynamics::Vehicle(vehicle.robot), pid->options); });
  }
  const auto sensors = map.take("sensors");
  vehicle.sensors = sensors ? read_sensors(*sensors, vehicle.robot) : all_sensors(vehicle.robot);
  check_parts(sensors ? *sensors : *robot_field, vehicle);
  if (const auto f = map.take("tether")) {
    vehicle.tether = read_tether(*f);
    check_under(*f, [&] { simulate::check(*vehicle.tether); });
  }
  if (const auto f = map.take("disturbance")) {
    vehicle.disturbance = read_disturbance(*f);
    check_under(*f, [&] { simulate::check(*vehicle.disturbance); });
  }
  if (const auto f = map.take("faults"))
    for (const Field& item : f->items()) read_fault(item, vehicle);
  map.finish();
  check_held(field, vehicle);
  check_overlap(field, vehicle);
  return vehicle;
}

}  // namespace fathom::loop::internal
