#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/loop/internal/scenario_builder.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::loop::internal {
namespace {

constexpr double fastest_sensor_hz = 1e5;
constexpr double most_samples_per_step = 1e4;
constexpr int most_substeps = 200;
constexpr double most_delayed_steps = 1e5;  // each keeps a row of commands

/// Nobody starts or goes inside a wall.
void check_inside(Findings& findings, const std::string& key, const Scenario& scenario,
                  const VehicleScenario& vehicle) {
  if (!scenario.tank) return;
  const dynamics::Vehicle body(vehicle.robot, scenario.environment);
  const simulate::Contact contact(vehicle.robot, body, *scenario.tank);
  const auto check = [&](const dynamics::State& state, const std::string& what) {
    const simulate::ContactLoad load = contact.load(state);
    for (const simulate::Wall wall : {simulate::Wall::north, simulate::Wall::south, simulate::Wall::east,
                                      simulate::Wall::west, simulate::Wall::floor}) {
      const double depth = load.at(wall).penetration;
      if (depth <= 0.01) continue;
      const std::string_view name = simulate::to_string(wall);
      add_error(findings, key,
                fmt::format("{} [{:g}, {:g}, {:g}] with its hull {:.2g} m inside the {}{}", what,
                            state.p_nb_n.x(), state.p_nb_n.y(), state.p_nb_n.z(), depth, name,
                            wall == simulate::Wall::floor ? "" : " wall"),
                "north, east, down, in m");
      return false;
    }
    return true;
  };
  check(vehicle.start, "starts at");
  if (!vehicle.reference) return;
  const bool is_curve = !vehicle.reference->waypoints();
  for (const trajectory::Waypoint& point : vehicle.reference->places())
    if (!check({quaternion_from_euler(point.attitude_rpy), point.p_nb_n, Vec6::Zero()},
               is_curve ? "has a trajectory that passes" : "has a way-point at") &&
        is_curve)
      return;  // its neighbours are no better
}

void check_stiffness(Findings& findings, const std::string& key, const Scenario& scenario,
                     const VehicleScenario& vehicle) {
  if (!vehicle.tether || scenario.adaptive || !findings.empty()) return;
  const double step = simulate::Tether(*vehicle.tether, scenario.environment).stable_step();
  if (scenario.step > most_substeps * step)
    add_error(findings, key,
              fmt::format("has a tether so stiff and short-segmented that it needs steps of {:.2g} s", step),
              "less axial_stiffness, fewer segments, or integrator: dormand_prince");
}

/// What the degrees of freedom hold still must begin still, and nobody may be sent where it cannot go.
void check_held(Findings& findings, const std::string& key, const VehicleScenario& vehicle) {
  if (vehicle.dof == model::Dof::six) return;
  const int n = static_cast<int>(vehicle.dof);
  for (int i = 0; i < 6; ++i)
    if (!model::is_free(vehicle.dof, i) && vehicle.start.nu_b[i] != 0)
      add_error(findings, key,
                fmt::format("starts with {} = {}, which {} degrees of freedom hold at 0",
                            model::velocity_name(i), vehicle.start.nu_b[i], n),
                "dof: 6");
  const auto level = [&](const Quat& q_nb, const char* what) {
    const Vec3 rpy = euler_from_quaternion(q_nb);
    const bool is_level = rpy.head<2>().norm() <= 1e-9;
    if (!is_level)
      add_error(findings, key,
                fmt::format("{} with roll or pitch, which {} degrees of freedom hold at 0", what, n), "dof: 6");
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
      add_error(findings, key,
                fmt::format("{} {} m down, but starts at {} m and 3 degrees of freedom hold its depth", what,
                            point.p_nb_n.z(), vehicle.start.p_nb_n.z()),
                "dof: 4");
    }
    if (!holds && is_curve) return;  // its neighbours are no better
  }
}

void check_overlap(Findings& findings, const std::string& key, const VehicleScenario& vehicle) {
  for (std::size_t i = 0; i < vehicle.sensor_faults.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const SensorFault &a = vehicle.sensor_faults[i], &b = vehicle.sensor_faults[j];
      if (a.sensor == b.sensor && a.at < b.until && b.at < a.until)
        add_error(
            findings, key,
            fmt::format("has two faults of sensor {} at one time", vehicle.robot.sensors()[a.sensor].name),
            "end the first with until before the second");
    }
  for (std::size_t i = 0; i < vehicle.thruster_faults.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (vehicle.thruster_faults[i].thruster == vehicle.thruster_faults[j].thruster)
        add_error(findings, key,
                  fmt::format("has two faults of thruster {}",
                              vehicle.robot.thrusters()[vehicle.thruster_faults[i].thruster].name),
                  "what is broken stays broken");
}

}  // namespace

Findings check_robot(const std::string& key, const VehicleScenario& vehicle) {
  Findings findings;
  const model::Robot& robot = vehicle.robot;
  for (const std::size_t k : vehicle.sensors) {
    const model::Sensor& sensor = robot.sensors()[k];
    static constexpr std::array<std::string_view, 6> own = {"state",   "reference", "thrusters",
                                                            "control", "water",     "tether"};
    const auto reject = [&](std::string what, std::string hint) {
      add_error(findings, key,
                fmt::format("takes sensor {} of {}, {}", in_quotes(sensor.name), robot.name(), what),
                std::move(hint));
    };
    if (std::find(own.begin(), own.end(), sensor.name) != own.end())
      reject("which has the name of a channel of the log", "give it another name in the robot file");
    else if (!is_plain_name(sensor.name))
      reject("whose name cannot be part of a file's name", "letters, digits, - and _");
    if (!sensor.rate_hz)
      reject("which has no rate_hz",
             "give it one in the robot file, or name the sensors to use: 'sensors: none'");
    else if (sensor.rate_hz->value > fastest_sensor_hz)
      reject(fmt::format("which has {} Hz, more than {:g}", sensor.rate_hz->value, fastest_sensor_hz), "");
    for (const model::Thruster& thruster : robot.thrusters()) {
      const bool has_shaft = thruster.map && std::holds_alternative<model::Propeller>(thruster.map->law);
      const bool has_motor =
          thruster.transient && std::holds_alternative<model::DcMotor>(thruster.transient->law);
      if (sensor.kind == model::SensorKind::thruster_rate && !has_shaft) {
        reject(fmt::format("but thruster {} has no shaft", thruster.name), "a propeller map has one");
        break;
      }
      if (sensor.kind == model::SensorKind::thruster_current && !has_motor &&
          !(thruster.map && thruster.map->current)) {
        reject(fmt::format("but the current of thruster {} is not known", thruster.name),
               "a dc_motor, or map.current");
        break;
      }
    }
  }
  for (const model::Thruster& thruster : robot.thrusters())
    if (!is_plain_name(thruster.name))
      add_error(findings, key,
                fmt::format("names robot {}, whose thruster {} cannot be a column of a log", robot.name(),
                            in_quotes(thruster.name)),
                "letters, digits, - and _");
  return findings;
}

Findings check_vehicle(const std::string& key, const VehicleScenario& vehicle) {
  Findings findings;
  check_held(findings, key, vehicle);
  check_overlap(findings, key, vehicle);
  return findings;
}

Findings check_rates(const std::string& key, const Scenario& scenario, const VehicleScenario& vehicle) {
  Findings findings;
  for (const std::size_t k : vehicle.sensors) {
    const model::Sensor& sensor = vehicle.robot.sensors()[k];
    const double samples = sensor.rate_hz ? sensor.rate_hz->value * scenario.step : 0;
    if (samples > most_samples_per_step)
      add_error(findings, key, fmt::format("has sensor {} with {:g} samples in one step", sensor.name, samples),
                "a shorter step");
  }
  const double steps = vehicle.command_delay / scenario.step;
  if (steps > most_delayed_steps)
    add_error(findings, key,
              fmt::format("has a command_delay of {:.3g} steps, at most {:g}", steps, most_delayed_steps),
              "a longer step");
  return findings;
}

Findings check_surroundings(const std::string& key, const Scenario& scenario, const VehicleScenario& vehicle) {
  Findings findings;
  check_inside(findings, key, scenario, vehicle);
  check_stiffness(findings, key, scenario, vehicle);
  return findings;
}

}  // namespace fathom::loop::internal
