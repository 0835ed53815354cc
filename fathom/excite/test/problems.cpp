#include "fathom/excite/test/problems.hpp"

#include <algorithm>

#include "fathom/base/constants.hpp"

namespace fathom::excite::test {
namespace {

/// With thrusters that are known: most tests have closed forms of the information that samples alone give.
Problem parsed(const std::string& text) {
  Problem problem = parse_problem(text, "test.yaml", {FATHOM_ROBOTS_DIR});
  problem.thruster_errors = false;
  return problem;
}

double excess(const Range& range, double value) { return std::max(range.min - value, value - range.max); }

}  // namespace

Problem tank() {
  return parsed(R"(
format: fathom-excitation-1
name: tank
robot: defender-like
structure: vehicle-23
start: {position: [0, 0, 0.8]}
limits: {x: [-2, 2], y: [-1, 1], z: [0.4, 1.2], yaw: [-3, 3], speed: 0.3, turn_rate: 0.5, acceleration: 0.2,
  turn_acceleration: 0.3}
segments:
  - {name: level, duration: 24, limits: {z: [0.7, 0.9]}}
  - {name: all, duration: 16}
shape: {kind: spline, interval: 1.7}
noise: {force: 1, torque: 0.25, velocity: 0.01}
starts: 3
)");
}

Problem pool() {
  return parsed(R"(
format: fathom-excitation-1
name: pool
robot: bluerov2-heavy
structure: vehicle-24
start: {position: [0.2, 0, 1.5], attitude: [0.05, -0.1, 0.4]}
duration: 40
sampling: 0.25
limits: {x: [-2, 2], y: [-2, 2], z: [0.5, 2.5], roll: [-0.4, 0.4], pitch: [-0.3, 0.35], yaw: [-3, 3],
  speed: {x: 0.4, y: 0.3, z: 0.25}, turn_rate: {roll: 0.5, pitch: 0.5, yaw: 0.7}, acceleration: 0.25,
  turn_acceleration: 0.5}
shape: {kind: spline, interval: 2}
thrusters: 0.6
noise: {force: 2, torque: 0.4, velocity: 0.01, turn_rate: 0.005}
starts: 2
)");
}

Problem pond() {
  return parsed(R"(
format: fathom-excitation-1
name: pond
robot: defender-like
structure: {dof: 3, inertia: diagonal}
start: {position: [0, 0.1, 0.8]}
end: {position: [0.5, -0.1, 0.8], yaw: 1}
sampling: 0.3
limits: {x: [-2, 2], y: [-1, 1], yaw: [-3, 3], speed: 0.3, turn_rate: 0.5, acceleration: 0.2, turn_acceleration: 0.3}
segments:
  - {duration: 25}
  - {duration: 15}
shape: {kind: spline, interval: 2}
starts: 2
)");
}

Problem board() {
  Problem problem = tank();
  problem.view = View{Vec3(0.1, 0, 0),
                      Vec3::UnitZ(),
                      35 * degree,
                      {Vec3(-0.2, -0.1, 1.8), Vec3(0.2, -0.1, 1.8), Vec3(0.2, 0.1, 1.8), Vec3(-0.2, 0.1, 1.8)}};
  problem.tether = TetherReach{Vec3(-2, 0, 0), Vec3(-0.4, 0, -0.1), 2.1};
  problem.thrusters = ThrusterShare{0.8};
  return problem;
}

Problem with_bezier(Problem problem, int degree, int parts) {
  problem.shape = {Shape::Kind::bezier, degree, parts, 3.2};
  return problem;
}

Problem with_thruster_errors(Problem problem) {
  problem.thruster_errors = true;
  return problem;
}

Problem with_criterion(Problem problem, Criterion criterion) {
  problem.criterion = criterion;
  return problem;
}

Eigen::VectorXd random_numbers(const Problem& problem, const trajectory::Basis& basis, RandomStream& random) {
  const auto coordinates = problem.coordinates();
  Eigen::VectorXd x(static_cast<Eigen::Index>(coordinates.size()) * basis.size());
  Eigen::Index at = 0;
  for (const int c : coordinates)
    for (Eigen::Index k = 0; k < basis.size(); ++k) x[at++] = problem.start[c] + 0.2 * random.normal();
  return x;
}

double box_excess(const Problem& problem, const trajectory::Bezier& path) {
  double worst = -std::numeric_limits<double>::infinity(), begin = 0;
  for (const Segment& segment : problem.segments) {
    constexpr int steps = 1999;
    for (int k = 0; k <= steps; ++k) {
      const auto sample = path.at(begin + segment.duration * k / steps);
      for (const int coordinate : problem.coordinates()) {
        const auto c = static_cast<std::size_t>(coordinate);
        worst = std::max({worst, excess(segment.limits.pose[c], sample.value[coordinate]),
                          excess(segment.limits.rate[c], sample.rate[coordinate]),
                          excess(segment.limits.acceleration[c], sample.acceleration[coordinate])});
      }
    }
    begin += segment.duration;
  }
  return worst;
}

}  // namespace fathom::excite::test
