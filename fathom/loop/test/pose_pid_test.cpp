#include "fathom/control/pose_pid.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/simulate/ode.hpp"

namespace fathom::control::pose_pid_test {
namespace {

using dynamics::State;
using dynamics::Vehicle;
using trajectory::Reference;

Vehicle bluerov() { return Vehicle(dynamics::test::robot_named("bluerov2-heavy")); }

Reference somewhere() {
  Reference reference;
  reference.p_nb_n = Vec3(1, -2, 3);
  reference.q_nb = quaternion_from_euler(Vec3(0.1, -0.2, 2.5));
  return reference;
}

TEST(PosePid, AsksNothingButTheModelWrenchOnTheReference) {
  Reference reference = somewhere();
  reference.nu_b << 0.3, 0.1, -0.1, 0.1, 0.2, -0.3;
  reference.nu_dot_b << 0.1, 0.05, 0.02, 0.1, -0.1, 0.2;
  const State state{reference.q_nb, reference.p_nb_n, reference.nu_b};
  const Vehicle vehicle = bluerov();
  EXPECT_LT((PosePid(vehicle).wrench(reference, state) -
             dynamics::inverse_dynamics(vehicle, state, reference.nu_dot_b))
                .norm(),
            1e-10);
  EXPECT_TRUE(PosePid(vehicle, {.feed_forward = false}).wrench(reference, state).isZero(1e-12));
}

TEST(PosePid, TheFeedForwardMayBeAnothersWhileTheGainsStay) {
  Reference reference = somewhere();
  reference.nu_b << 0.3, 0.1, -0.1, 0.1, 0.2, -0.3;
  const State on_it{reference.q_nb, reference.p_nb_n, reference.nu_b};
  const Vehicle vehicle = bluerov(), other(dynamics::test::robot_named("defender-like"));
  const PosePid pid(vehicle, {}, other);
  const Vec6 ahead = dynamics::inverse_dynamics(other, on_it, reference.nu_dot_b);
  EXPECT_LT((pid.wrench(reference, on_it) - ahead).norm(), 1e-10);
  const State off_it{quaternion_from_euler(Vec3(0.2, 0.1, 2)), Vec3(0.5, -1, 2), Vec6::Constant(0.1)};
  const Quat q_br = off_it.q_nb.conjugate() * reference.q_nb;
  Vec6 expected = PosePid(vehicle, {.feed_forward = false}).wrench(reference, off_it);
  expected.head<3>() += q_br * ahead.head<3>();
  expected.tail<3>() += q_br * ahead.tail<3>();
  EXPECT_LT((pid.wrench(reference, off_it) - expected).norm(), 1e-10);
}

TEST(PosePid, DoesNotDependOnTheWorldFrame) {
  const PosePid pid(bluerov(), {.feed_forward = false});
  const Reference reference = somewhere();
  State state{quaternion_from_euler(Vec3(0.3, 0.1, 1.5)), Vec3(0.5, -1.5, 2), Vec6::Constant(0.1)};
  const Vec6 before = pid.wrench(reference, state);
  const Quat turn = quaternion_from_euler(Vec3(0, 0, 1));
  Reference turned = reference;
  turned.q_nb = turn * reference.q_nb;
  turned.p_nb_n = turn * reference.p_nb_n;
  state.q_nb = turn * state.q_nb;
  state.p_nb_n = turn * state.p_nb_n;
  EXPECT_LT((pid.wrench(turned, state) - before).norm(), 1e-10);
}

/// Runs the loop without thrusters in between: the wrench acts as asked, clipped to `limit`.
State run(PosePid& pid, const Vehicle& plant, State state, const Reference& reference, double seconds,
          const Vec6& limit, double* overshoot = nullptr) {
  constexpr double dt = 0.01;
  for (int k = 0; k * dt < seconds; ++k) {
    const Vec6 asked = pid.wrench(reference, state);
    const Vec6 given = asked.cwiseMax(-limit).cwiseMin(limit);
    pid.advance(reference, state, asked, given, dt);
    state = simulate::rk4_step(plant, state, given, dt);
    if (overshoot) *overshoot = std::max(*overshoot, state.p_nb_n.x() - reference.p_nb_n.x());
  }
  return state;
}

TEST(PosePid, ReachesAPoseAgainstWeightThatTheModelDoesNotKnow) {
  model::RobotSpec heavy = dynamics::test::robot_named("bluerov2-heavy").spec();
  heavy.hull.mass.value += 0.3;
  heavy.hull.centre_of_mass.value += Vec3(0.005, 0, 0);
  const Vehicle plant(model::Robot::make(heavy));
  PosePid pid(bluerov());
  const Reference reference = somewhere();
  const State end = run(pid, plant, State(), reference, 90, Vec6::Constant(1e9));
  EXPECT_LT(pose_error(reference, end).norm(), 1e-4);
  EXPECT_LT(end.nu_b.norm(), 1e-4);
}

// The promised poles: along one uncoupled axis without quadratic drag the response is that of
// s^3 + 2 z w s^2 + w^2 s + c w^3, here compared at one time with the matrix exponential by small steps.
TEST(PosePid, PlacesThePolesItPromises) {
  model::RobotSpec spec = dynamics::test::robot_named("bluerov2-heavy").spec();
  for (auto& element : spec.damping) element.quadratic.value = {};
  const Vehicle vehicle(model::Robot::make(spec));
  const PosePidOptions options;
  PosePid pid(vehicle, options);
  Reference reference;
  State state;
  state.p_nb_n.x() = -0.5;
  constexpr double dt = 1e-4;
  const double w = options.bandwidth[0], z = options.damping, c = options.integral;
  Vec3 x(0.5, 0, 0);  // error, its rate, w^3 c times its integral
  double worst = 0;
  for (int k = 0; k < 60000; ++k) {
    const Vec6 asked = pid.wrench(reference, state);
    pid.advance(reference, state, asked, asked, dt);
    state = simulate::rk4_step(vehicle, state, asked, dt);
    const double acceleration = -2 * z * w * x[1] - w * w * x[0] - x[2];
    x += dt * Vec3(x[1], acceleration, c * w * w * w * x[0]);
    worst = std::max(worst, std::abs(-state.p_nb_n.x() - x[0]));
  }
  EXPECT_LT(worst, 5e-4);
}

TEST(PosePid, AntiWindupKeepsTheOvershootSmall) {
  const Vehicle vehicle = bluerov();
  Reference reference;
  reference.p_nb_n.x() = 5;
  Vec6 limit = Vec6::Constant(1e9);
  limit[0] = 5;  // far less than is asked at the start
  double with = 0, without = 0;
  PosePid pid(vehicle);
  run(pid, vehicle, State(), reference, 120, limit, &with);
  PosePid naive(vehicle);
  State state;
  for (int k = 0; k < 12000; ++k) {
    const Vec6 asked = naive.wrench(reference, state);
    naive.advance(reference, state, asked, asked, 0.01);
    state = simulate::rk4_step(vehicle, state, asked.cwiseMax(-limit).cwiseMin(limit), 0.01);
    without = std::max(without, state.p_nb_n.x() - 5);
  }
  EXPECT_LT(with, 0.15);
  EXPECT_GT(without, 4 * with);
}

TEST(PosePid, LeavesFreeAxesAlone) {
  PosePidOptions options;
  options.axes = {true, true, true, false, false, true};
  PosePid pid(bluerov(), options);
  State state;
  state.q_nb = quaternion_from_euler(Vec3(0.3, 0.2, 0.1));
  const Vec6 tau = pid.wrench(somewhere(), state);
  EXPECT_EQ(tau[3], 0);
  EXPECT_EQ(tau[4], 0);
  EXPECT_NE(tau[5], 0);
  pid.advance(somewhere(), state, tau, tau + Vec6::Ones(), 0.01);
  EXPECT_EQ(pid.integral()[3], 0);
}

TEST(PosePid, RefusesUnstableGains) {
  EXPECT_THROW(PosePid(bluerov(), {.integral = 2}), InputError);
  EXPECT_THROW(PosePid(bluerov(), {.bandwidth = Vec6::Zero()}), InputError);
  EXPECT_THROW(PosePid(bluerov(), {.damping = -1}), InputError);
}

}  // namespace
}  // namespace fathom::control::pose_pid_test
