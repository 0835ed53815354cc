// Laws of physics, written once and run on every robot file and on random robots (HABITS 5).
#include <gtest/gtest.h>

#include "fathom/base/derivative.hpp"
#include "fathom/dynamics/internal/coriolis.hpp"
#include "fathom/dynamics/regressor.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/geometry/spectrum.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::dynamics::laws_test {
namespace {

using model::Environment;
using test::all_robots;

class Laws : public testing::TestWithParam<test::NamedRobot> {
 protected:
  Laws()
      : vehicle(GetParam().robot, environment), random(1, GetParam().name), states(test::test_states(random)) {}

  Environment environment{1025};
  Vehicle vehicle;
  RandomStream random;
  std::vector<State> states;
};

/// Free velocities only, and an attitude that a held roll and pitch allow.
State held(State state, Dof dof) {
  if (dof == Dof::six) return state;
  state.q_nb = quaternion_from_euler({0, 0, euler_from_quaternion(state.q_nb).z()});
  for (int i = 0; i < 6; ++i)
    if (!model::is_free(dof, i)) state.nu_b[i] = 0;
  return state;
}

Vec6 free_rows(Vec6 v, Dof dof) {
  for (int i = 0; i < 6; ++i)
    if (!model::is_free(dof, i)) v[i] = 0;
  return v;
}

constexpr Dof all_dof[] = {Dof::three, Dof::four, Dof::six};

TEST_P(Laws, InertiaIsSymmetricAndPositiveDefinite) {
  EXPECT_EQ((vehicle.M() - vehicle.M().transpose()).cwiseAbs().maxCoeff(), 0);
  EXPECT_GT(symmetric_eigenvalues(vehicle.M())[0], 0);
  EXPECT_LT((vehicle.M() * vehicle.M_inverse() - Mat6::Identity()).cwiseAbs().maxCoeff(), 1e-10);
}

TEST_P(Laws, CoriolisIsSkewAndDoesNoWork) {
  for (const State& state : states) {
    for (const Mat6& M : {vehicle.M(), vehicle.M_rb(), vehicle.M_a()}) {
      const Mat6 C = internal::coriolis_matrix(M, state.nu_b);
      const Vec6 force = internal::coriolis_force(M * state.nu_b, state.nu_b);
      const double scale = 1e-30 + M.cwiseAbs().maxCoeff() * state.nu_b.squaredNorm();
      EXPECT_EQ((C + C.transpose()).cwiseAbs().maxCoeff(), 0);
      EXPECT_LE((C * state.nu_b - force).norm(), 1e-14 * scale);
      EXPECT_LE(std::abs(state.nu_b.dot(force)), 1e-14 * scale * (1 + state.nu_b.norm()));
    }
  }
}

TEST_P(Laws, DampingTakesEnergyFromEveryMotion) {
  for (const State& state : states) {
    const Vec6 force = damping_force(vehicle, state.nu_b);
    EXPECT_GE(state.nu_b.dot(force), 0);
    EXPECT_LE((damping_matrix(vehicle, state.nu_b) * state.nu_b - force).norm(),
              1e-13 * (1e-30 + force.norm()));
  }
  for (int k = 0; k < 20000;
       ++k) {  // the sphere, where the cubic part decides at high and the square at low speed
    const Vec6 direction = test::random_vec6(random).normalized();
    for (const double speed : {1e-3, 1.0, 1e3}) {
      const Vec6 nu = speed * direction;
      ASSERT_GE(nu.dot(damping_force(vehicle, nu)), 0) << "at nu = " << nu.transpose();
    }
  }
}

TEST_P(Laws, DampingDoesNotCareAboutTheSignOfTheMotion) {
  for (const State& state : states)
    EXPECT_EQ((damping_force(vehicle, state.nu_b) + damping_force(vehicle, -state.nu_b)).norm(), 0);
}

TEST_P(Laws, RestoringIsTheGradientOfPotentialEnergy) {
  for (const State& state : states) {
    // Work against weight and buoyancy for a virtual twist xi in body axes: dV = g' xi.
    const auto potential = [&](const Eigen::VectorXd& xi) {
      State moved = state;
      moved.p_nb_n += state.q_nb * Vec3(xi.head<3>());
      moved.q_nb = state.q_nb * exp_rotation(xi.tail<3>());
      return Eigen::VectorXd::Constant(1, potential_energy(vehicle, moved));
    };
    const Eigen::RowVectorXd analytic = restoring(vehicle, state.q_nb).transpose();
    const double scale = 1 + analytic.cwiseAbs().maxCoeff();
    const auto scaled = [&](const Eigen::VectorXd& xi) -> Eigen::VectorXd { return potential(xi) / scale; };
    const DerivativeCheck check =
        check_derivative(scaled, Eigen::VectorXd::Zero(6), analytic / scale, 0.05, 1e-8);
    EXPECT_TRUE(check.ok) << check.text();
  }
}

TEST_P(Laws, PowerInIsPowerStoredPlusPowerLost) {
  for (const State& state : states) {
    const Vec6 tau = test::random_vec6(random, 50);
    const Vec6 nu = state.nu_b, nu_dot = forward_dynamics(vehicle, state, tau);
    const double stored = nu.dot(vehicle.M() * nu_dot) + nu.dot(restoring(vehicle, state.q_nb));
    const double lost = nu.dot(damping_force(vehicle, nu));
    EXPECT_NEAR(stored + lost, nu.dot(tau), 1e-11 * (1 + std::abs(stored) + lost));
  }
}

TEST_P(Laws, ForwardOfInverseIsIdentityInAnyDof) {
  for (const Dof dof : all_dof) {
    const Vehicle reduced(GetParam().robot, environment, dof);
    for (const State& any : states) {
      const State state = held(any, dof);
      const Vec6 nu_dot = free_rows(test::random_vec6(random), dof);
      const Current current{test::random_vec3(random), test::random_vec3(random, 0.1),
                            test::random_vec3(random, 0.1)};
      const Vec6 tau = inverse_dynamics(reduced, state, nu_dot, current);
      const Vec6 back = forward_dynamics(reduced, state, free_rows(tau, dof), current);
      EXPECT_LE((back - nu_dot).norm(), 1e-9 * (1 + nu_dot.norm())) << static_cast<int>(dof) << " DoF";
    }
  }
}

/// The line of CONVENTIONS word by word, body and added mass apart, against the merged form that the code uses.
TEST_P(Laws, InverseDynamicsIsTheEquationOfConventions) {
  const model::Hull& hull = GetParam().robot.hull();
  for (const State& state : states) {
    const Vec6 nu_dot = test::random_vec6(random);
    const Current current{test::random_vec3(random), test::random_vec3(random, 0.5),
                          test::random_vec3(random, 0.5)};
    const Mat3 R_bn = state.q_nb.toRotationMatrix().transpose();
    const Vec3 v_c = R_bn * current.velocity_n, omega = state.nu_b.tail<3>();
    Vec6 nu_r = state.nu_b, nu_r_dot = nu_dot;
    nu_r.head<3>() -= v_c;
    nu_r_dot.head<3>() -= -omega.cross(v_c) + R_bn * current.acceleration_n;

    const double W = hull.mass.value * environment.gravity();
    const double B = environment.density() * hull.volume.value * environment.gravity();
    const Vec3 down = R_bn.col(2), a = R_bn * (current.acceleration_n + current.convective_n);
    Vec6 g, f_fk;
    g << -(W - B) * down, -(W * hull.centre_of_mass.value - B * hull.centre_of_buoyancy.value).cross(down);
    const double displaced = environment.density() * hull.volume.value;
    f_fk << displaced * a, displaced * hull.centre_of_buoyancy.value.cross(a);

    const Vec6 tau = vehicle.M_rb() * nu_dot +
                     internal::coriolis_matrix(vehicle.M_rb(), state.nu_b) * state.nu_b +
                     vehicle.M_a() * nu_r_dot + internal::coriolis_matrix(vehicle.M_a(), nu_r) * nu_r +
                     damping_matrix(vehicle, nu_r) * nu_r + g - f_fk;
    const Vec6 ours = inverse_dynamics(vehicle, state, nu_dot, current);
    EXPECT_LE((ours - tau).norm(), 1e-11 * (W + tau.norm()));
  }
}

TEST_P(Laws, RegressorTimesParametersIsInverseDynamics) {
  const model::Robot robot = test::without_displaced_quadratic_drag(GetParam().robot);
  for (const Dof dof : all_dof) {
    const Vehicle reduced(robot, environment, dof);
    const model::Structure structure = model::full_structure(dof);
    const auto [parameters, left_out] = model::parameters_of(robot, environment, structure);
    ASSERT_TRUE(left_out.empty()) << left_out.front();
    for (const State& any : states) {
      const State state = held(any, dof);
      const Vec6 nu_dot = free_rows(test::random_vec6(random), dof);
      Current current{test::random_vec3(random), test::random_vec3(random, 0.1)};
      // Accelerating water tilts gravity, which only first moments and, in the plane, W - B can hold.
      if (dof != Dof::six) current.acceleration_n.setZero();
      if (dof == Dof::three) current.velocity_n.z() = 0;  // held heave would move through the water
      const Vec6 tau = inverse_dynamics(reduced, state, nu_dot, current);
      const Eigen::MatrixXd Y = regressor(structure, motion_of(state, nu_dot, environment, current));
      const Eigen::VectorXd ours = Y * parameters.values();
      const double scale = (Y.cwiseAbs() * parameters.values().cwiseAbs()).maxCoeff();
      const auto free = model::free_indices(dof);
      for (std::size_t row = 0; row < free.size(); ++row)
        EXPECT_NEAR(ours[static_cast<Eigen::Index>(row)], tau[free[row]], 1e-13 * scale);
    }
  }
}

TEST_P(Laws, MovingTheOriginChangesWordsNotMotion) {
  // The same body described from another origin: accelerations must agree when carried over.
  const model::Robot& robot = GetParam().robot;
  const Vec3 shift = test::random_vec3(random, 0.4);  // new origin, in the old body axes
  const Pose new_in_old{Quat::Identity(), shift};
  const Mat6 H = twist_transform(new_in_old), H_inverse = twist_transform(new_in_old.inverse());
  model::RobotSpec spec = robot.spec();
  spec.hull.symmetry = {};
  spec.hull.centre_of_mass.value -= shift;
  spec.hull.centre_of_buoyancy.value -= shift;
  const Mat6 moved = H_inverse.transpose() * spec.hull.added_mass.value * H_inverse;
  spec.hull.added_mass.value = 0.5 * (moved + moved.transpose());
  for (model::DragElement& element : spec.damping) element.position_b.value -= shift;
  const Vehicle other(model::Robot::make_unchecked(spec), environment);

  for (const State& state : states) {
    State seen = state;
    seen.p_nb_n += state.q_nb * shift;
    seen.nu_b = H * state.nu_b;
    const Current current{test::random_vec3(random), test::random_vec3(random, 0.1)};
    const Vec6 tau = test::random_vec6(random, 20);
    const Vec6 a = forward_dynamics(vehicle, state, tau, current);
    const Vec6 b = forward_dynamics(other, seen, H_inverse.transpose() * tau, current);
    EXPECT_LE((H * a - b).norm(), 1e-9 * (1 + b.norm()));
  }
}

INSTANTIATE_TEST_SUITE_P(AllRobots, Laws, testing::ValuesIn(all_robots()), test::case_name);

}  // namespace
}  // namespace fathom::dynamics::laws_test
