// Analytic Jacobians of forward dynamics against the derivative checker.
#include <gtest/gtest.h>

#include "fathom/base/derivative.hpp"
#include "fathom/dynamics/internal/coriolis.hpp"
#include "fathom/dynamics/regressor.hpp"
#include "fathom/dynamics/test/robots.hpp"

namespace fathom::dynamics::jacobian_test {
namespace {

using model::Environment;

constexpr double step = 0.005;

/// |nu_j| nu_k has a kink where nu_j = 0, in the frame of each drag element; there differences mean nothing.
bool is_smooth(const Vehicle& vehicle, const State& state, const Current& current) {
  const Vec6 nu_r = relative_twist(state, current);
  for (const Drag& drag : vehicle.drag())
    if (drag.to_element.twist(nu_r).cwiseAbs().minCoeff() < 10 * step) return false;
  return true;
}

State smooth_state(const Vehicle& vehicle, const Current& current, RandomStream& random) {
  State state;
  do state = test::random_state(random);
  while (!is_smooth(vehicle, state, current));
  return state;
}

TEST(CoriolisJacobian, AgreesWithDifferences) {
  RandomStream random(1, "coriolis jacobian");
  for (const auto& [name, robot] : test::all_robots()) {
    const Vehicle vehicle(robot);
    const Mat6 M = vehicle.M() / vehicle.M().cwiseAbs().maxCoeff();
    const Vec6 nu = test::random_vec6(random);
    const auto at = [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
      return internal::coriolis_force(M * x, x);
    };
    const DerivativeCheck check = check_derivative(at, nu, internal::coriolis_jacobian(M, nu));
    EXPECT_TRUE(check.ok) << name << ": " << check.text();
  }
}

TEST(ForwardJacobian, ByAttitudeTwistAndWrenchAgreesWithDifferences) {
  RandomStream random(1, "forward jacobian");
  for (const auto& [name, robot] : test::all_robots()) {
    for (const Dof dof : {Dof::three, Dof::four, Dof::six}) {
      const Vehicle vehicle(robot, Environment(1025), dof);
      const Current current{test::random_vec3(random), test::random_vec3(random, 0.5),
                            test::random_vec3(random, 0.5)};
      for (int repeat = 0; repeat < 3; ++repeat) {
        const State state = smooth_state(vehicle, current, random);
        const Vec6 tau = test::random_vec6(random, 10);
        ForwardJacobian jacobian;
        const double scale = 1 + forward_dynamics(vehicle, state, tau, current, &jacobian).norm();
        Eigen::MatrixXd analytic(6, 15);
        analytic << jacobian.by_attitude, jacobian.by_twist, jacobian.by_wrench;
        const auto at = [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
          State moved = state;
          moved.q_nb = state.q_nb * exp_rotation(x.head<3>());
          moved.nu_b += x.segment<6>(3);
          return forward_dynamics(vehicle, moved, tau + Vec6(x.tail<6>()), current) / scale;
        };
        const DerivativeCheck check =
            check_derivative(at, Eigen::VectorXd::Zero(15), analytic / scale, step, 1e-9);
        EXPECT_TRUE(check.ok) << name << ": " << check.text();
      }
    }
  }
}

TEST(ForwardJacobian, AtRestIsTheLinearDampingAlone) {
  RandomStream random(1, "rest jacobian");
  for (const auto& [name, robot] : test::all_robots()) {
    const Vehicle vehicle(robot);
    const State state = test::random_state(random, 0);
    ForwardJacobian jacobian;
    forward_dynamics(vehicle, state, Vec6::Zero(), {}, &jacobian);
    const Mat6 expected = -vehicle.M_inverse() * damping_matrix(vehicle, Vec6::Zero());
    EXPECT_LE((jacobian.by_twist - expected).norm(), 1e-14 * (1 + expected.norm())) << name;
  }
}

TEST(InverseJacobian, OfAMotionAgreesWithTheStateAndWithDifferences) {
  RandomStream random(1, "inverse jacobian");
  const Environment environment(1025);
  for (const auto& [name, robot] : test::all_robots()) {
    const Vehicle vehicle(robot, environment);
    const Current current{test::random_vec3(random), test::random_vec3(random, 0.5)};
    for (int repeat = 0; repeat < 3; ++repeat) {
      const State state = smooth_state(vehicle, current, random);
      const Vec6 nu_dot = test::random_vec6(random);
      const Motion motion = motion_of(state, nu_dot, environment, current);
      Mat6 by_twist;
      const Vec6 tau = inverse_dynamics(vehicle, motion, &by_twist);
      const double scale = 1 + tau.norm();
      EXPECT_LE((tau - inverse_dynamics(vehicle, state, nu_dot, current)).norm(), 1e-13 * scale) << name;
      Eigen::MatrixXd analytic(6, 15);
      analytic << by_twist, vehicle.M(), -environment.gravity() * vehicle.hydrostatic();
      const auto at = [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
        const Motion moved{motion.nu_r_b + x.head<6>(), motion.nu_r_dot_b + x.segment<6>(6),
                           motion.down_b + x.tail<3>()};
        return inverse_dynamics(vehicle, moved) / scale;
      };
      const DerivativeCheck check =
          check_derivative(at, Eigen::VectorXd::Zero(15), analytic / scale, step, 1e-9);
      EXPECT_TRUE(check.ok) << name << ": " << check.text();
    }
  }
}

/// A robot with one parameter of the full structure changed by delta, and nothing else.
model::Robot changed(const model::Robot& robot, const Environment& environment, const model::Term& term,
                     double delta) {
  using Kind = model::Term::Kind;
  model::RobotSpec spec = robot.spec();
  const double B = environment.density() * environment.gravity() * spec.hull.volume.value;
  model::DragElement& drag = spec.damping.front();
  switch (term.kind) {
    case Kind::inertia:
      spec.hull.added_mass.value(term.row, term.column) += delta;
      if (term.row != term.column) spec.hull.added_mass.value(term.column, term.row) += delta;
      break;
    case Kind::linear: drag.linear.value(term.row, term.column) += delta; break;
    case Kind::quadratic:
      drag.quadratic.value.by_speed[static_cast<std::size_t>(term.speed)](term.row, term.column) += delta;
      break;
    case Kind::net_weight:  // less buoyancy with the same first moment
      spec.hull.volume.value *= (B - delta) / B;
      spec.hull.centre_of_buoyancy.value *= B / (B - delta);
      break;
    case Kind::first_moment: spec.hull.centre_of_buoyancy.value[term.row] -= delta / B; break;
    case Kind::inertia_entry:
    case Kind::weight:
    case Kind::buoyancy: ADD_FAILURE() << "not in the full structure";
  }
  return model::Robot::make_unchecked(spec);
}

TEST(ForwardJacobian, ByParametersAgreesWithDifferences) {
  RandomStream random(1, "parameter jacobian");
  const Environment environment(1025);
  const model::Structure structure = model::full_structure();
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const model::Robot robot = test::random_robot(seed);
    const Vehicle vehicle(robot, environment);
    const State state = test::random_state(random);
    const Vec6 tau = test::random_vec6(random, 10);
    const Current current{test::random_vec3(random), test::random_vec3(random, 0.5)};
    const Eigen::MatrixXd analytic = forward_dynamics_by_parameters(vehicle, state, tau, structure, current);
    for (std::size_t k = 0; k < structure.size(); ++k) {
      const auto at = [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
        const Vehicle moved(changed(robot, environment, structure.terms[k], x[0]), environment);
        return forward_dynamics(moved, state, tau, current);
      };
      const DerivativeCheck check = check_derivative(at, Eigen::VectorXd::Zero(1),
                                                     analytic.col(static_cast<Eigen::Index>(k)), 0.02, 1e-8);
      EXPECT_TRUE(check.ok) << name_of(structure.terms[k]) << ": " << check.text();
    }
  }
}

}  // namespace
}  // namespace fathom::dynamics::jacobian_test
