#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/loop/internal/scenario_fields.hpp"

namespace fathom::loop::internal {
namespace {

constexpr double fastest_sensor_hz = 1e5;
constexpr double most_samples_per_step = 1e4;
constexpr int most_substeps = 200;
constexpr double most_delayed_steps = 1e5;  // each keeps a row of commands

/// Nobody starts or goes inside a wall.
void check_inside(const Field& field, const Scenario& scenario, const VehicleScenario& vehicle) {
  if (!scenario.tank || has_errors(field.reading().findings())) return;
  const dynamics::Vehicle body(vehicle.robot, scenario.environment);
  const simulate::Contact contact(vehicle.robot, body, *scenario.tank);
  const auto check = [&](const dynamics::State& state, const std::string& what) {
    const simulate::ContactLoad load = contact.load(state);
    for (const simulate::Wall wall : {simulate::Wall::north, simulate::Wall::south, simulate::Wall::east,
                                      simulate::Wall::west, simulate::Wall::floor}) {
      const double depth = load.at(wall).penetration;
      if (depth <= 0.01) continue;
      const std::string_view name = simulate::to_string(wall);
      field.error(fmt::format("{} [{:g}, {:g}, {:g}] with its hull {:.2g} m inside the {}{}", what,
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

/// A sensor that is asked more often than anyone reads it.
void check_rates(const Field& field, const Scenario& scenario, const VehicleScenario& vehicle) {
  for (const std::size_t k : vehicle.sensors) {
    const auto& rate = vehicle.robot.sensors()[k].rate_hz;
    if (rate && rate->value * scenario.step > most_samples_per_step)
      field.error(fmt::format("has sensor {} with {:g} samples in one step", vehicle.robot.sensors()[k].name,
                              rate->value * scenario.step),
                  "a shorter step");
  }
}

void check_stiffness(const Field& field, const Scenario& scenario, const VehicleScenario& vehicle) {
  if (!vehicle.tether || scenario.adaptive || has_errors(field.reading().findings())) return;
  const double step = simulate::Tether(*vehicle.tether, scenario.environment).stable_step();
  if (scenario.step > most_substeps * step)
    field.error(fmt::format("has a tether so stiff and short-segmented that it needs steps of {:.2g} s", step),
                "less axial_stiffness, fewer segments, or integrator: dormand_prince");
}

void check_delay(const Field& field, const Scenario& scenario, const VehicleScenario& vehicle) {
  const double steps = vehicle.command_delay / scenario.step;
  if (steps > most_delayed_steps)
    field.error(fmt::format("has a command_delay of {:.3g} steps, at most {:g}", steps, most_delayed_steps),
                "a longer step");
}

}  // namespace

/// What a robot may be but a simulation cannot do with.
void check_parts(const Field& field, const VehicleScenario& vehicle) {
  const model::Robot& robot = vehicle.robot;
  for (const std::size_t k : vehicle.sensors) {
    const model::Sensor& sensor = robot.sensors()[k];
    static constexpr std::array<std::string_view, 6> own = {"state",   "reference", "thrusters",
                                                            "control", "water",     "tether"};
    const auto add_error = [&](std::string what, std::string hint) {
      field.error(fmt::format("takes sensor {} of {}, {}", in_quotes(sensor.name), robot.name(), what),
                  std::move(hint));
    };
    if (std::find(own.begin(), own.end(), sensor.name) != own.end())
      add_error("which has the name of a channel of the log", "give it another name in the robot file");
    else if (!is_plain_name(sensor.name))
      add_error("whose name cannot be part of a file's name", "letters, digits, - and _");
    if (!sensor.rate_hz)
      add_error("which has no rate_hz",
                "give it one in the robot file, or name the sensors to use: 'sensors: none'");
    else if (sensor.rate_hz->value > fastest_sensor_hz)
      add_error(fmt::format("which has {} Hz, more than {:g}", sensor.rate_hz->value, fastest_sensor_hz), "");
    for (const model::Thruster& thruster : robot.thrusters()) {
      const bool has_shaft = thruster.map && std::holds_alternative<model::Propeller>(thruster.map->law);
      const bool has_motor =
          thruster.transient && std::holds_alternative<model::DcMotor>(thruster.transient->law);
      if (sensor.kind == model::SensorKind::thruster_rate && !has_shaft) {
        add_error(fmt::format("but thruster {} has no shaft", thruster.name), "a propeller map has one");
        break;
      }
      if (sensor.kind == model::SensorKind::thruster_current && !has_motor &&
          !(thruster.map && thruster.map->current)) {
        add_error(fmt::format("but the current of thruster {} is not known", thruster.name),
                  "a dc_motor, or map.current");
        break;
      }
    }
  }
  for (const model::Thruster& thruster : robot.thrusters())
    if (!is_plain_name(thruster.name))
      field.error(fmt::format("names robot {}, whose thruster {} cannot be a column of a log", robot.name(),
                              in_quotes(thruster.name)),
                  "letters, digits, - and _");
}

void check_vehicle(const Field& field, const Scenario& scenario, const VehicleScenario& vehicle) {
  check_inside(field, scenario, vehicle);
  check_stiffness(field, scenario, vehicle);
  check_rates(field, scenario, vehicle);
  check_delay(field, scenario, vehicle);
}

}  // namespace fathom::loop::internal
