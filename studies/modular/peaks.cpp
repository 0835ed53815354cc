// Table 3.4 of Nielsen 2019: two vehicles on a massless rod, the second rolled by a quarter, let go from rest.
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/geometry/rotation.hpp"
#include "fathom/solve/runge_kutta.hpp"

#include "studies/modular/coupled_robots.hpp"
#include "studies/modular/parts.hpp"
#include "studies/modular/pendulum.hpp"

namespace fathom::studies {
namespace {

constexpr std::array<double, 6> rod_lengths = {0.5, 1, 1.5, 2, 2.5, 3};  // m
constexpr int grid_samples = 3000;
constexpr double grid_step = 30.0 / (grid_samples - 1);  // s, of the thesis' linspace(0, 30, 3000)

/// Vehicle A level, B at its right hand, rolled by a quarter.
std::vector<CoupledRobots::Member> hanging_pair(const model::Robot& robot, double length) {
  const Quat quarter = exp_rotation({std::numbers::pi / 2, 0, 0});
  return {{robot}, {robot, {quarter, Vec3(0, length, 0)}}};
}

model::Robot without_translational_added_mass(const model::Robot& robot) {
  model::RobotSpec spec = robot.spec();
  spec.hull.added_mass.value.topLeftCorner<3, 3>().setZero();
  return model::Robot::make(std::move(spec));
}

/// s, of the first sample that is below both its neighbours, as the thesis reads it off.
double first_peak_on_grid(const Eigen::RowVectorXd& angle) {
  for (Eigen::Index k = 1; k + 1 < angle.size(); ++k)
    if (angle[k] < angle[k - 1] && angle[k] <= angle[k + 1]) return grid_step * static_cast<double>(k);
  return nan;
}

double peak_of_simulator(const model::Robot& robot, double length) {
  CoupledRobots pair(hanging_pair(robot, length), model::Environment(model::fresh_water, 10));
  constexpr int samples = 700;  // all peaks come within 7 s
  Eigen::RowVectorXd roll(samples);
  for (int k = 0; k < samples; ++k) {
    roll[k] = pair.roll(0);
    pair.step(grid_step);
  }
  return first_peak_on_grid(roll);
}

/// Where a rate that was negative comes through zero, by a straight line between two samples.
struct Crossing {
  double before = 0, t = 0;
  bool at(double now, double rate, double dt) {
    const bool crossed = before < 0 && rate >= 0;
    if (crossed) t = now - dt * rate / (rate - before);
    before = rate;
    return crossed;
  }
};

/// s, with the stated parameters, by the coupled vehicles.
double true_peak(const model::Robot& robot, double length) {
  constexpr double dt = 0.005;
  CoupledRobots pair(hanging_pair(robot, length));
  Crossing crossing;
  while (!crossing.at(pair.time(), pair.state(0).nu_b[3], dt)) pair.step(dt);
  return crossing.t;
}

/// The pair as one angle: by symmetry the middle of the rod stays where it is, and th = phi_A + 45 degrees
/// obeys J th'' = -sqrt(2) W z sin(th) - d th'. Nothing of the coupled vehicles' code is in it.
double reduced_peak(const model::Robot& robot, double length) {
  const model::Hull& hull = robot.hull();
  const model::DragElement& drag = robot.damping().front();
  const double arm = length / 2, weight = hull.mass.value * model::Environment().gravity();
  const double mass = hull.mass.value + hull.added_mass.value(1, 1);
  const double J = 2 * (mass * arm * arm + hull.inertia.value(0, 0) + hull.added_mass.value(3, 3));
  const double pull = -std::numbers::sqrt2 * weight * hull.centre_of_buoyancy.value.z() / J;
  const double loss = 2 * (drag.linear.value(1, 1) * arm * arm + drag.linear.value(3, 3)) / J;
  const auto slope = [&](const Eigen::Vector2d& x) {
    return Eigen::Vector2d(x[1], -pull * std::sin(x[0]) - loss * x[1]);
  };
  constexpr double dt = 1e-3;
  Eigen::Vector2d x(std::numbers::pi / 4, 0);
  Crossing crossing;
  double t = 0;
  while (!crossing.at(t, x[1], dt)) {
    x = solve::runge_kutta_step(slope, x, dt);
    t += dt;
  }
  return crossing.t;
}

}  // namespace

void study_peaks(Study& study, const Host& host) {
  const model::Robot robot = host.robot("nielsen-table-3-3"), bare = without_translational_added_mass(robot);
  double worst = 0;
  for (const double length : rod_lengths) {
    const std::string at = fmt::format("{:.1f}", length);
    study.set("peak.simulator." + at, peak_of_simulator(bare, length));
    const Pendulum pendulum{.length = length / 2, .gravity = 9.82};
    study.set("peak.analytical." + at, first_peak_on_grid(pendulum.swing(30, grid_samples)));
    const double coupled = true_peak(robot, length), reduced = reduced_peak(robot, length);
    study.set("peak.true." + at, coupled);
    worst = std::max(worst, std::abs(coupled - reduced));
  }
  study.set("peak.reduced", 1e3 * worst);
}

}  // namespace fathom::studies
