// A vehicle with arms: laws that hold for every robot that ships, whatever arms it carries.
#include "fathom/dynamics/vehicle_with_arms.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/arms.hpp"
#include "fathom/dynamics/test/robots.hpp"

namespace fathom::dynamics::vehicle_with_arms_test {
namespace {

using test::random_vec3;
using test::random_vec6;

/// One chain and one tree, somewhere on it.
model::VehicleWithArms with_two_arms(const model::Robot& robot, std::uint64_t seed, bool has_drag = true) {
  RandomStream random(seed, "mounts");
  model::VehicleWithArms whole{"whole", "", "", robot, "", {}};
  const auto mount = [&](const std::string& name, const test::RandomArm& kind) {
    model::ArmSpec spec = test::random_arm(random.next(), kind).spec();
    if (!has_drag)
      for (model::Link& link : spec.links) link.damping.clear();
    model::MountedArm mounted{name, model::Arm::make(spec)};
    mounted.position_b.value = random_vec3(random, 0.5);
    mounted.attitude_rpy.value = random_vec3(random, 1);
    whole.arms.push_back(std::move(mounted));
  };
  mount("left", {.joints = 4});
  mount("right", {.joints = 5, .tree = true, .prismatic = true});
  return whole;
}

struct Moved {
  Motion motion;
  Eigen::VectorXd q, dq, ddq, efforts;
  Vec6 tau_b;
};
Moved random_motion(std::size_t joints, RandomStream& random) {
  const auto numbers = [&] {
    Eigen::VectorXd x(static_cast<Eigen::Index>(joints));
    for (double& number : x) number = random.normal();
    return x;
  };
  Moved m;
  m.motion = {random_vec6(random), random_vec6(random), random_vec3(random).normalized()};
  m.q = numbers(), m.dq = numbers(), m.ddq = numbers(), m.efforts = numbers();
  m.tau_b = random_vec6(random, 10);
  return m;
}

std::span<double> numbers_of(Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

class EveryArmedRobot : public testing::TestWithParam<test::NamedRobot> {};

TEST_P(EveryArmedRobot, ForwardUndoesInverse) {
  const VehicleWithArms robot(with_two_arms(GetParam().robot, 1));
  VehicleWithArmsWorkspace workspace(robot);
  RandomStream random(2, "forward and inverse");
  for (int k = 0; k < 20; ++k) {
    Moved m = random_motion(robot.joints(), random);
    inverse_dynamics(robot, m.motion, numbers_of(m.q), numbers_of(m.dq), numbers_of(m.ddq), workspace, m.tau_b,
                     numbers_of(m.efforts));
    Vec6 nu_dot;
    Eigen::VectorXd ddq(m.ddq.size());
    forward_dynamics(robot, m.motion, numbers_of(m.q), numbers_of(m.dq), m.tau_b, numbers_of(m.efforts),
                     workspace, nu_dot, numbers_of(ddq));
    const double size = 1 + m.motion.nu_r_dot_b.norm() + m.ddq.norm();
    EXPECT_LT((nu_dot - m.motion.nu_r_dot_b).norm(), 1e-8 * size);
    EXPECT_LT((ddq - m.ddq).norm(), 1e-8 * size);
  }
}

/// At rest the force that holds the whole is what its parts weigh in water, however they are mounted and
/// folded.
TEST_P(EveryArmedRobot, IsHeldByTheWeightOfItsParts) {
  const model::VehicleWithArms whole = with_two_arms(GetParam().robot, 4);
  const VehicleWithArms robot(whole);
  const model::Environment water;
  double weight = 0;
  for (const model::MountedArm& mounted : whole.arms)
    for (const model::Link& link : mounted.arm.links())
      weight += water.gravity() * (link.body.mass.value - water.density() * link.body.volume.value);
  VehicleWithArmsWorkspace workspace(robot);
  RandomStream random(5, "at rest");
  for (int k = 0; k < 5; ++k) {
    Moved m = random_motion(robot.joints(), random);
    const Motion rest{Vec6::Zero(), Vec6::Zero(), m.motion.down_b};
    m.dq.setZero(), m.ddq.setZero();
    inverse_dynamics(robot, rest, numbers_of(m.q), numbers_of(m.dq), numbers_of(m.ddq), workspace, m.tau_b,
                     numbers_of(m.efforts));
    const Vec3 force = inverse_dynamics(robot.vehicle(), rest).head<3>() - weight * rest.down_b;
    EXPECT_LT((m.tau_b.head<3>() - force).norm(), 1e-9 * (1 + std::abs(weight) + force.norm()));
  }
}

/// Whatever the joints do, the impulse of the whole changes by the wrench from outside alone: in axes that move
/// along, p' = tau - [w x p; w x h + v x p] (Kirchhoff). Neither side of that is how the accelerations were
/// found.
TEST_P(EveryArmedRobot, JointsDoNotChangeTheImpulse) {
  model::RobotSpec spec = GetParam().robot.spec();
  spec.damping.clear();
  const VehicleWithArms robot(with_two_arms(model::Robot::make_unchecked(spec), 3, false));
  VehicleWithArmsWorkspace workspace(robot);
  RandomStream random(4, "impulse");
  for (int k = 0; k < 10; ++k) {
    Moved m = random_motion(robot.joints(), random);
    m.motion.down_b.setZero();  // neither weight nor buoyancy
    Vec6 nu_dot;
    forward_dynamics(robot, m.motion, numbers_of(m.q), numbers_of(m.dq), m.tau_b, numbers_of(m.efforts),
                     workspace, nu_dot, numbers_of(m.ddq));
    const auto after = [&](double h) {
      Eigen::VectorXd q = m.q + h * m.dq + 0.5 * h * h * m.ddq, dq = m.dq + h * m.ddq;
      return impulse(robot, m.motion.nu_r_b + h * nu_dot, numbers_of(q), numbers_of(dq), workspace);
    };
    constexpr double h = 1e-5;
    const Vec6 rate = (after(h) - after(-h)) / (2 * h), p = after(0);
    const Vec3 v = m.motion.nu_r_b.head<3>(), w = m.motion.nu_r_b.tail<3>();
    Vec6 turning;
    turning << w.cross(p.head<3>()), w.cross(p.tail<3>()) + v.cross(p.head<3>());
    EXPECT_LT((rate + turning - m.tau_b).norm(), 1e-7 * (1 + p.norm() + turning.norm() + rate.norm()));
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryArmedRobot, testing::ValuesIn(test::all_robots()), test::case_name);

/// Gauss' principle is solved by one dense system as well.
TEST(VehicleWithArms, SixEquationsAreAsGoodAsAllOfThem) {
  const model::VehicleWithArms whole = with_two_arms(test::random_robot(5), 6);
  const VehicleWithArms robot(whole);
  VehicleWithArmsWorkspace workspace(robot);
  RandomStream random(7, "dense");
  Moved m = random_motion(robot.joints(), random);
  const auto n = static_cast<Eigen::Index>(robot.joints());
  const auto all = [&](const Vec6& nu_dot, Eigen::VectorXd ddq) {
    Motion motion = m.motion;
    motion.nu_r_dot_b = nu_dot;
    Vec6 tau;
    Eigen::VectorXd efforts(n), both(6 + n);
    inverse_dynamics(robot, motion, numbers_of(m.q), numbers_of(m.dq), numbers_of(ddq), workspace, tau,
                     numbers_of(efforts));
    both << tau, efforts;
    return both;
  };
  const Eigen::VectorXd bias = all(Vec6::Zero(), Eigen::VectorXd::Zero(n));
  Eigen::MatrixXd M(6 + n, 6 + n);
  for (Eigen::Index k = 0; k < 6 + n; ++k) {
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(6 + n, k);
    M.col(k) = all(unit.head<6>(), unit.tail(n)) - bias;
  }
  EXPECT_LT((M - M.transpose()).norm(), 1e-10 * M.norm());
  EXPECT_GT(M.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0);
  Eigen::VectorXd pushed(6 + n);
  pushed << m.tau_b, m.efforts;
  const Eigen::VectorXd dense = M.ldlt().solve(pushed - bias);
  Vec6 nu_dot;
  forward_dynamics(robot, m.motion, numbers_of(m.q), numbers_of(m.dq), m.tau_b, numbers_of(m.efforts),
                   workspace, nu_dot, numbers_of(m.ddq));
  EXPECT_LT((nu_dot - dense.head<6>()).norm(), 1e-8 * dense.norm());
  EXPECT_LT((m.ddq - dense.tail(n)).norm(), 1e-8 * dense.norm());
}

TEST(VehicleWithArms, RefusesTheWrongNumberOfJoints) {
  const VehicleWithArms robot(with_two_arms(test::random_robot(5), 6));
  VehicleWithArmsWorkspace workspace(robot);
  std::vector<double> four(4, 0.0);
  EXPECT_NE(fathom::test::error_text([&] {
              impulse(robot, Vec6::Zero(), four, four, workspace);
            }).find("joints has 4 numbers, the arms 9 joints"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::dynamics::vehicle_with_arms_test
