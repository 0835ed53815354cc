#include "fathom/model_file/internal/lint.hpp"

#include <fmt/format.h>

#include "fathom/model/robot_parameters.hpp"

namespace fathom::model::internal {
namespace {

void add(Findings& findings, Severity severity, std::string key, std::string message, std::string hint) {
  findings.push_back({severity, "", 0, std::move(key), std::move(message), std::move(hint)});
}

void lint_forces(Findings& findings, const Robot& robot, const Environment& environment) {
  for (std::size_t a = 0; a < robot.thrusters().size(); ++a) {
    const Thruster& thruster = robot.thrusters()[a];
    if (thruster.force && thruster.map) {
      const ForceRange attained = attained_force(*thruster.map, thruster.transient, environment.density());
      const ForceRange& force = thruster.force->value;
      const double slack = 0.01 * (attained.max - attained.min);  // both are rounded
      if (force.min < attained.min - slack || force.max > attained.max + slack)
        add(findings, Severity::warning, fmt::format("thrusters[{}].force", a),
            fmt::format("= [{:.4g}, {:.4g}] N, but the map attains [{:.4g}, {:.4g}] N", force.min, force.max,
                        attained.min, attained.max),
            "leave force out, and the range follows from the map");
    }
    if (!thruster.force && !thruster.map)
      add(findings, Severity::note, fmt::format("thrusters[{}]", a), "has no force limits",
          "add force: [min, max] in N, or a map");
  }
}

void lint_identified(Findings& findings, const Robot& robot) {
  const std::vector<StaleParameter> stale = stale_parameters(robot);
  if (stale.empty()) return;
  const Parameter& first = robot.identified()->parameters[stale.front().index];
  add(findings, Severity::warning, fmt::format("identified.parameters[{}]", stale.front().index),
      fmt::format("{} = {:.6g} was identified, the robot now has {:.6g}{}: the covariance is not used for it",
                  first.name, first.value, stale.front().now,
                  stale.size() == 1 ? "" : fmt::format(" (and {} more like it)", stale.size() - 1)),
      "a value was edited after the estimate? estimate again, or remove identified");
}

void lint_sources(Findings& findings, const Robot& robot) {
  std::vector<std::string> missing;
  const auto look = [&](const std::string& key, const auto& value) {
    if (value.source.empty()) missing.push_back(key);
  };
  const Hull& hull = robot.hull();
  look("hull.mass", hull.mass);
  look("hull.inertia", hull.inertia);
  look("hull.centre_of_mass", hull.centre_of_mass);
  look("hull.volume", hull.volume);
  look("hull.centre_of_buoyancy", hull.centre_of_buoyancy);
  look("hull.added_mass", hull.added_mass);
  for (std::size_t k = 0; k < robot.damping().size(); ++k) {
    look(fmt::format("damping[{}].linear", k), robot.damping()[k].linear);
    look(fmt::format("damping[{}].quadratic", k), robot.damping()[k].quadratic);
  }
  if (hull.size) look("hull.size", *hull.size);
  for (std::size_t k = 0; k < robot.thrusters().size(); ++k) {
    const Thruster& thruster = robot.thrusters()[k];
    look(fmt::format("thrusters[{}].position", k), thruster.position_b);
    look(fmt::format("thrusters[{}].direction", k), thruster.direction_b);
    if (thruster.force) look(fmt::format("thrusters[{}].force", k), *thruster.force);
    if (thruster.map) look(fmt::format("thrusters[{}].map", k), *thruster.map);
    if (thruster.transient) look(fmt::format("thrusters[{}].transient", k), *thruster.transient);
  }
  for (std::size_t k = 0; k < robot.sensors().size(); ++k)
    look(fmt::format("sensors[{}]", k), robot.sensors()[k]);
  for (std::size_t k = 0; k < robot.connectors().size(); ++k)
    look(fmt::format("connectors[{}].position", k), robot.connectors()[k].position_b);
  if (robot.identified()) look("identified", *robot.identified());
  if (!missing.empty())
    add(findings, Severity::note, missing.front(),
        missing.size() == 1 ? "has no source" : fmt::format("and {} more have no source", missing.size() - 1),
        "say where each number comes from: source: or assumed:");
}

}  // namespace

Findings lint_robot(const Robot& robot, const Environment& environment) {
  Findings findings;
  lint_identified(findings, robot);
  lint_forces(findings, robot, environment);
  lint_sources(findings, robot);
  return findings;
}

}  // namespace fathom::model::internal
