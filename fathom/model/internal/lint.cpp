#include "fathom/model/internal/lint.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/geometry/spectrum.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::model::internal {
namespace {

void add(Findings& findings, Severity severity, std::string key, std::string message, std::string hint) {
  findings.push_back({severity, "", 0, std::move(key), std::move(message), std::move(hint)});
}

void lint_hydrostatics(Findings& findings, const Hull& hull, const Environment& environment) {
  const double body_density = hull.mass.value / hull.volume.value;
  if (body_density < 100 || body_density > 10000)
    return add(findings, Severity::error, "hull.mass",
               fmt::format("over hull.volume is {:.4g} kg/m^3: no vehicle has that density", body_density),
               "tonnes, grams or litres? Fathom wants kg and m^3");
  const double net = 1 - environment.density() * hull.volume.value / hull.mass.value;  // share of the weight
  if (std::abs(net) > 0.05)
    add(findings, Severity::warning, "hull.volume",
        fmt::format("makes the vehicle {} by {:.1f} % of its weight in water of {:g} kg/m^3",
                    net > 0 ? "sink" : "rise", 100 * std::abs(net), environment.density()),
        "trimmed vehicles are within 1 to 2 %");
  const double above = hull.centre_of_mass.value.z() - hull.centre_of_buoyancy.value.z();  // z is down
  if (above < 0)
    add(findings, Severity::warning, "hull.centre_of_buoyancy",
        fmt::format("is {:.4g} m below the centre of mass: the vehicle turns over", -above),
        "z is down: above the origin is negative");
}

void lint_added_mass(Findings& findings, const Hull& hull, const Environment& environment) {
  const double displaced = environment.density() * hull.volume.value;
  for (int i = 0; i < 3; ++i) {
    const double ratio = hull.added_mass.value(i, i) / displaced;
    if (ratio > 10)
      add(findings, Severity::warning, fmt::format("hull.added_mass[{}]", i),
          fmt::format("is {:.3g} times the displaced mass", ratio),
          "bluff bodies have 0.5 to 3; a slip of units?");
    else if (ratio == 0)
      add(findings, Severity::note, fmt::format("hull.added_mass[{}]", i), "is zero",
          "a sphere has half the displaced mass");
  }
  if (hull.size) {
    const double filling = hull.volume.value / hull.size->value.prod();
    if (filling < 0.01)
      add(findings, Severity::warning, "hull.volume",
          fmt::format("fills only {:.2g} % of hull.size", 100 * filling),
          "litres or centimetres? open frames fill 10 to 40 %");
  }
}

/// Parts far outside the hull, and moments that only a far larger body has: millimetres or grams, most likely.
void lint_distances(Findings& findings, const Robot& robot) {
  constexpr double far = 10;  // sides of a cube of the hull's volume; no arm or tow is that long
  const Hull& hull = robot.hull();
  const double side = std::cbrt(hull.volume.value);
  const auto look = [&](const std::string& key, double distance, const char* what) {
    if (distance > far * side)
      add(findings, Severity::warning, key,
          fmt::format("{} {:.3g} m, {:.3g} times the side of a cube of the hull's volume", what, distance,
                      distance / side),
          "millimetres or centimetres? Fathom wants m and kg m^2");
  };
  for (std::size_t k = 0; k < robot.thrusters().size(); ++k)
    look(fmt::format("thrusters[{}].position", k), robot.thrusters()[k].position_b.value.norm(), "lies at");
  for (std::size_t k = 0; k < robot.sensors().size(); ++k)
    look(fmt::format("sensors[{}].position", k), robot.sensors()[k].position_b.value.norm(), "lies at");
  const double moment = hull.inertia.value.diagonal().maxCoeff();
  look("hull.inertia", std::sqrt(moment / hull.mass.value), "has a radius of gyration of");
}

void lint_damping(Findings& findings, const Robot& robot) {
  Mat6 linear = Mat6::Zero();
  Vec6 any = Vec6::Zero();
  for (const DragElement& element : robot.damping()) {
    linear += element.linear.value.cwiseAbs();
    for (std::size_t j = 0; j < 6; ++j)
      any[static_cast<Eigen::Index>(j)] += element.quadratic.value.by_speed[j].cwiseAbs().maxCoeff();
  }
  for (int j = 0; j < 6; ++j)
    if (linear(j, j) == 0 && any[j] == 0)
      add(findings, Severity::warning, "damping", fmt::format("has nothing in {}", dof_name(j)),
          "the simulated vehicle will never stop there");
}

void lint_thrusters(Findings& findings, const Robot& robot, const Environment& environment) {
  if (robot.thrusters().empty()) return;
  const Mat6X B = allocation_matrix(robot);
  Mat6 directions;
  const Vec6 gains = symmetric_eigenvalues(Mat6(B * B.transpose()), &directions);  // ascending
  const Eigen::Index rank = (gains.array() > 1e-12 * gains[5]).count();
  if (rank < 6) {
    // Velocities along which no combination of thrusters does work, named by their largest entries.
    const Vec6 lost = directions.leftCols(6 - rank).rowwise().norm();
    std::vector<std::string_view> names;
    for (int i = 0; i < 6; ++i)
      if (lost[i] > 0.3) names.push_back(dof_name(i));
    add(findings, Severity::note, "thrusters",
        fmt::format("span {} of 6 directions; without, or coupled: {}", rank, fmt::join(names, ", ")),
        "under-actuated by intention?");
  }
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
    for (std::size_t b = a + 1; b < robot.thrusters().size(); ++b)
      if ((B.col(static_cast<Eigen::Index>(a)) - B.col(static_cast<Eigen::Index>(b))).norm() < 1e-9)
        add(findings, Severity::warning, fmt::format("thrusters[{}]", b),
            fmt::format("has the same line of force as thrusters[{}]", a), "copied and not edited?");
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
  if (robot.identified()) look("identified", *robot.identified());
  if (!missing.empty())
    add(findings, Severity::note, missing.front(),
        missing.size() == 1 ? "has no source" : fmt::format("and {} more have no source", missing.size() - 1),
        "say where each number comes from: source: or assumed:");
}

}  // namespace

Findings lint_robot(const Robot& robot, const Environment& environment) {
  Findings findings;
  lint_hydrostatics(findings, robot.hull(), environment);
  lint_added_mass(findings, robot.hull(), environment);
  lint_distances(findings, robot);
  lint_damping(findings, robot);
  lint_identified(findings, robot);
  lint_thrusters(findings, robot, environment);
  lint_sources(findings, robot);
  return findings;
}

}  // namespace fathom::model::internal
