// Prints robots, states and what the library makes of them as JSON, for tests/oracle/check_dynamics.py, which
// compares them with Pinocchio, CasADi and SciPy, and for tests/same_numbers.py.
#include <cstdio>

#include <nlohmann/json.hpp>

#include "fathom/dynamics/regressor.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/simulate/ode.hpp"

namespace {

using namespace fathom;
using Json = nlohmann::json;
namespace test = dynamics::test;

Json json(const Eigen::Ref<const Eigen::VectorXd>& v) { return std::vector<double>(v.begin(), v.end()); }

template <class Matrix>
Json rows(const Matrix& m) {
  Json list = Json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) list.push_back(json(m.row(i).transpose().eval()));
  return list;
}

Json json(const dynamics::State& state) {
  return {{"q_nb_wxyz", {state.q_nb.w(), state.q_nb.x(), state.q_nb.y(), state.q_nb.z()}},
          {"p_nb_n", json(state.p_nb_n)},
          {"nu_b", json(state.nu_b)}};
}

Json json(const model::Robot& robot) {
  const model::Hull& hull = robot.hull();
  Json damping = Json::array();
  for (const model::DragElement& element : robot.damping()) {
    Json quadratic = Json::array();
    for (const Mat6& Q : element.quadratic.value.by_speed) quadratic.push_back(rows(Q));
    damping.push_back({{"position", json(element.position_b.value)},
                       {"rpy", json(element.attitude_rpy.value)},
                       {"linear", rows(element.linear.value)},
                       {"quadratic", quadratic}});
  }
  return {{"mass", hull.mass.value},
          {"inertia", rows(hull.inertia.value)},
          {"com", json(hull.centre_of_mass.value)},
          {"volume", hull.volume.value},
          {"cob", json(hull.centre_of_buoyancy.value)},
          {"added_mass", rows(hull.added_mass.value)},
          {"damping", damping}};
}

/// One state with a current, and everything that is computed there.
Json sample(const dynamics::Vehicle& vehicle, RandomStream& random) {
  const dynamics::State state = test::random_state(random);
  const model::Current current{test::random_vec3(random), test::random_vec3(random, 0.3)};
  const Vec6 nu_dot = test::random_vec6(random), tau = vehicle.M() * test::random_vec6(random);
  dynamics::ForwardJacobian jacobian;
  const Vec6 forward = dynamics::forward_dynamics(vehicle, state, tau, current, &jacobian);
  const Eigen::MatrixXd Y =
      dynamics::regressor(model::structure_by_name("vehicle-27"),
                          dynamics::motion_of(state, nu_dot, vehicle.environment(), current));
  return {{"state", json(state)},
          {"current_velocity_n", json(current.velocity_n)},
          {"current_acceleration_n", json(current.acceleration_n)},
          {"nu_dot", json(nu_dot)},
          {"inverse", json(dynamics::inverse_dynamics(vehicle, state, nu_dot, current))},
          {"tau", json(tau)},
          {"forward", json(forward)},
          {"by_attitude", rows(jacobian.by_attitude)},
          {"by_twist", rows(jacobian.by_twist)},
          {"by_wrench", rows(jacobian.by_wrench)},
          {"regressor", rows(Y)}};
}

/// One second under a constant wrench in an accelerating current.
Json swim(const dynamics::Vehicle& vehicle, RandomStream& random) {
  const dynamics::State start = test::random_state(random, 0.3);
  model::Current current{test::random_vec3(random, 0.3), test::random_vec3(random, 0.1)};
  const Vec6 tau = vehicle.M() * test::random_vec6(random, 0.3);
  Json result = {{"start", json(start)},
                 {"tau", json(tau)},
                 {"current_velocity_n", json(current.velocity_n)},
                 {"current_acceleration_n", json(current.acceleration_n)}};
  constexpr int steps = 20000;  // the lightest hull swings at 110 rad/s
  constexpr double duration = 1, dt = duration / steps;
  dynamics::State state = start;
  for (int k = 0; k < steps; ++k) {
    state = simulate::rk4_step(vehicle, state, tau, dt, current);
    current.velocity_n += dt * current.acceleration_n;
  }
  result["duration"] = duration;
  result["end"] = json(state);
  return result;
}

}  // namespace

int main() {
  const model::Environment environment(1025);
  Json robots = Json::array();
  for (const auto& [name, robot] : test::all_robots()) {
    const dynamics::Vehicle vehicle(robot, environment);
    RandomStream random(1, name);
    Json samples = Json::array();
    for (int k = 0; k < 5; ++k) samples.push_back(sample(vehicle, random));
    robots.push_back(
        {{"name", name}, {"robot", json(robot)}, {"samples", samples}, {"swim", swim(vehicle, random)}});
  }
  const Json all = {{"density", environment.density()}, {"gravity", environment.gravity()}, {"robots", robots}};
  std::puts(all.dump(1).c_str());
}
