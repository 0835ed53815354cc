// Motions whose outcome is known: closed forms and conserved quantities.
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/dynamics/test/robots.hpp"
#include "fathom/simulate/ode.hpp"

namespace fathom::simulate::motion_test {
namespace {

using dynamics::State;
using dynamics::Vehicle;
using model::Current;
using model::Environment;
namespace test = dynamics::test;

/// Linear and angular impulse of body and water about a point that drifts with the water; docs/model.md eq. 23.
Vec6 kirchhoff_impulse(const Vehicle& vehicle, const State& state, const Current& current, double t) {
  const Vec6 momentum_b = vehicle.M() * dynamics::relative_twist(state, current);
  const Vec3 arm_n = state.p_nb_n - t * current.velocity_n;
  Vec6 impulse;
  impulse.head<3>() = state.q_nb * momentum_b.head<3>();
  impulse.tail<3>() = state.q_nb * momentum_b.tail<3>() + arm_n.cross(Vec3(impulse.head<3>()));
  return impulse;
}

class Motion : public testing::TestWithParam<test::NamedRobot> {};

TEST_P(Motion, TumblingInASteadyCurrentConservesTheKirchhoffImpulseAndEnergy) {
  const Environment environment;
  const Vehicle vehicle(test::without_drag_and_weight(GetParam().robot, environment), environment);
  RandomStream random(1, GetParam().name);
  State state = test::random_state(random, 0.5);
  const Current current{test::random_vec3(random, 0.5), Vec3::Zero()};
  const Vec6 before = kirchhoff_impulse(vehicle, state, current, 0);
  const double energy = dynamics::kinetic_energy(vehicle, dynamics::relative_twist(state, current));
  const double dt = 5e-4;
  constexpr int steps = 20000;
  for (int k = 1; k <= steps; ++k) state = rk4_step(vehicle, state, Vec6::Zero(), dt, current);
  const Vec6 after = kirchhoff_impulse(vehicle, state, current, steps * dt);
  EXPECT_LE((after - before).head<3>().norm(), 1e-10 * before.head<3>().norm());
  EXPECT_LE((after - before).tail<3>().norm(), 1e-10 * before.norm());
  EXPECT_NEAR(dynamics::kinetic_energy(vehicle, dynamics::relative_twist(state, current)), energy,
              1e-10 * energy);
  EXPECT_NEAR(state.q_nb.norm(), 1, 1e-15);
}

TEST_P(Motion, EnergyFallsWithoutInput) {
  const Vehicle vehicle(GetParam().robot);
  RandomStream random(2, GetParam().name);
  State state = test::random_state(random, 0.5);
  const auto energy = [&](const State& s) {
    return dynamics::kinetic_energy(vehicle, s.nu_b) + dynamics::potential_energy(vehicle, s);
  };
  double last = energy(state);
  for (int k = 0; k < 3000; ++k) {
    state = rk4_step(vehicle, state, Vec6::Zero(), 0.002);
    const double now = energy(state);
    ASSERT_LE(now, last + 1e-9 * std::abs(last)) << "at step " << k;
    last = now;
  }
}

TEST_P(Motion, HeldVelocitiesStayHeld) {
  RandomStream random(3, GetParam().name);
  for (const model::Dof dof : {model::Dof::three, model::Dof::four}) {
    const Vehicle vehicle(GetParam().robot, Environment(), dof);
    State state;
    for (int k = 0; k < 200; ++k)
      state = rk4_step(vehicle, state, vehicle.M() * test::random_vec6(random), 0.01);
    EXPECT_EQ(state.nu_b.segment<2>(3).norm(), 0);
    EXPECT_LE(euler_from_quaternion(state.q_nb).head<2>().norm(), 1e-15);
    EXPECT_EQ(dof == model::Dof::three, state.p_nb_n.z() == 0);
  }
}

/// Water that accelerates uniformly carries a neutrally buoyant body with it as if nothing happened: with the
/// centres of mass and buoyancy in one point the body keeps its velocity relative to the water.
TEST_P(Motion, ANeutralBodyFollowsAcceleratingWater) {
  const Environment environment;
  const Vehicle vehicle(test::without_drag_and_weight(GetParam().robot, environment), environment);
  State state;
  Current current{Vec3(0.2, -0.1, 0.05), Vec3(0.3, 0.2, -0.1)};
  state.nu_b.head<3>() = current.velocity_n;
  const double dt = 0.01;
  for (int k = 0; k < 500; ++k) {
    state = rk4_step(vehicle, state, Vec6::Zero(), dt, current);
    current.velocity_n += dt * current.acceleration_n;
  }
  EXPECT_LE(dynamics::relative_twist(state, current).norm(), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(AllRobots, Motion, testing::ValuesIn(test::all_robots()), test::case_name);

/// A heavy sphere of radius 0.1 m with added mass of half the displaced water and quadratic drag.
model::Robot sphere() {
  model::RobotSpec spec;
  spec.name = "sphere";
  const double radius = 0.1, volume = 4.0 / 3 * M_PI * std::pow(radius, 3);
  spec.hull.mass.value = 5;
  spec.hull.volume.value = volume;
  spec.hull.inertia.value = 0.4 * 5 * radius * radius * Mat3::Identity();
  spec.hull.added_mass.value.setZero();
  spec.hull.added_mass.value.topLeftCorner<3, 3>() = 0.5 * 1000 * volume * Mat3::Identity();
  model::DragElement drag;
  drag.name = "sphere";
  for (std::size_t j = 0; j < 3; ++j)
    drag.quadratic.value.by_speed[j].diagonal()[static_cast<Eigen::Index>(j)] =
        0.5 * 0.47 * 1000 * M_PI * radius * radius;
  spec.damping.push_back(drag);
  return model::Robot::make(spec);
}

TEST(SinkingSphere, FollowsTheClosedForm) {
  const Environment environment;
  const model::Robot robot = sphere();
  const Vehicle vehicle(robot, environment);
  const double m = vehicle.M()(2, 2), q = robot.damping()[0].quadratic.value.by_speed[2](2, 2);
  const double net =
      (robot.hull().mass.value - environment.density() * robot.hull().volume.value) * environment.gravity();
  const double v_end = std::sqrt(net / q), tau = m / std::sqrt(net * q);  // v = v_end tanh(t / tau)
  State state;
  const double dt = 1e-3;
  for (int k = 1; k <= 3000; ++k) {
    state = rk4_step(vehicle, state, Vec6::Zero(), dt);
    if (k % 100 != 0) continue;
    const double t = k * dt;
    EXPECT_NEAR(state.nu_b[2], v_end * std::tanh(t / tau), 1e-6);
    EXPECT_NEAR(state.p_nb_n.z(), v_end * tau * std::log(std::cosh(t / tau)), 1e-6);
  }
}

TEST(Rk4, IsOfFourthOrder) {
  model::RobotSpec spec = test::random_robot(3).spec();
  for (model::DragElement& element : spec.damping)
    element.quadratic = {};  // |nu| nu has a kink: no fourth order there
  const Vehicle vehicle(model::Robot::make(spec));
  RandomStream random(1, "order");
  const State start = test::random_state(random, 0.5);
  const Vec6 tau = test::random_vec6(random, 20);
  constexpr double duration = 2;
  const auto run = [&](int steps) {
    const double dt = duration / steps;
    State state = start;
    Current current{Vec3(0.1, 0, 0), Vec3(0, 0.1, 0.05)};
    for (int k = 0; k < steps; ++k) {
      state = rk4_step(vehicle, state, tau, dt, current);
      current.velocity_n += dt * current.acceleration_n;
    }
    return state;
  };
  const State exact = run(8192);
  const auto error = [&](int steps) {
    const State state = run(steps);
    return (state.nu_b - exact.nu_b).norm() + (state.q_nb.coeffs() - exact.q_nb.coeffs()).norm();
  };
  EXPECT_NEAR(std::log2(error(128) / error(256)), 4, 0.2);
}

}  // namespace
}  // namespace fathom::simulate::motion_test
