#include "fathom/dynamics/arm_regressor.hpp"

#include <gtest/gtest.h>

#include "fathom/dynamics/test/arms.hpp"
#include "fathom/dynamics/test/robots.hpp"

namespace fathom::dynamics::arm_regressor_test {
namespace {

using test::ArmMotion;
using test::efforts_of;
using Coulomb = ArmColumns::Coulomb;

Eigen::VectorXd values_of(const model::Arm& arm, const ArmColumns& columns) {
  return arm_parameters(arm, model::Environment(), columns).values();
}

model::Arm with_friction_and_motors(const model::Arm& given, RandomStream& random) {
  model::ArmSpec spec = given.spec();
  for (std::size_t k = 0; k < spec.joints.size(); ++k) {
    model::Joint& joint = spec.joints[k];
    joint.friction.viscous.value = random.uniform(0, 2);
    joint.friction.coulomb_forward.value = random.uniform(0, 2);
    joint.friction.coulomb_backward.value = random.uniform(0, 2);
    if (k % 3 == 2) continue;
    model::Actuator actuator;
    actuator.motor = {.k_t = 0.1,
                      .inertia = random.uniform(0, 1e-3),
                      .viscous = random.uniform(0, 1e-3),
                      .coulomb = random.uniform(0, 1e-2)};
    if (k % 3 == 0 || joint.kind == model::Joint::Kind::prismatic) {
      actuator.transmission = model::Gear{-80};
    } else {
      actuator.transmission = model::ScrewLever{4, 0.005, 0.3, 0.06, 1.5, 1};
      joint.limits.min = -1;
      joint.limits.max = 1;
    }
    joint.actuator = actuator;
  }
  return model::Arm::make(spec);
}

/// What the columns of joints mean, written the other way: torques of motor and friction.
Eigen::VectorXd joint_share(const model::Arm& robot, const ArmMotion& motion) {
  Eigen::VectorXd share = Eigen::VectorXd::Zero(motion.q.size());
  for (Eigen::Index k = 0; k < motion.q.size(); ++k) {
    const model::Joint& joint = robot.joints()[static_cast<std::size_t>(k)];
    const double dq = motion.dq[k];
    share[k] = joint.friction.viscous.value * dq +
               (dq > 0 ? joint.friction.coulomb_forward.value : -joint.friction.coulomb_backward.value);
    if (!joint.actuator) continue;
    // Power at the shaft is power at the joint: torque times dq_m/dq, here by differences.
    const auto shaft = [&](double t) {
      return model::motor_angle(joint.actuator->transmission,
                                motion.q[k] + t * dq + 0.5 * t * t * motion.ddq[k])
          .angle;
    };
    constexpr double h = 1e-4;
    const double speed = (shaft(h) - shaft(-h)) / (2 * h),
                 rate = (shaft(h) - 2 * shaft(0) + shaft(-h)) / (h * h);
    const model::JointMotor& motor = joint.actuator->motor;
    share[k] +=
        speed / dq * (motor.inertia * rate + motor.viscous * speed + (speed > 0 ? 1 : -1) * motor.coulomb);
  }
  return share;
}

TEST(ArmRegressor, TimesParametersIsInverseDynamics) {
  RandomStream random(1, "arm regressor");
  const ArmColumns all{.buoyancy = true,
                       .added_mass = true,
                       .drag = true,
                       .viscous = true,
                       .coulomb = Coulomb::by_direction,
                       .offset = true,
                       .motor = true};
  ArmColumns together = all;
  together.coulomb = Coulomb::symmetric;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const model::Arm robot = with_friction_and_motors(
        test::random_arm(
            seed, {.joints = 2 + seed, .tree = seed % 2 == 0, .prismatic = seed > 3, .full_drag = false}),
        random);
    const Arm arm(robot);
    ArmWorkspace workspace(arm);
    ArmMotion motion = test::random_arm_motion(arm.size(), random);
    motion.q = motion.q.cwiseMax(-0.9).cwiseMin(0.9);
    Vec6 wrench;
    const Eigen::VectorXd links = efforts_of(arm, motion, &wrench), joints = joint_share(robot, motion);
    const auto n = static_cast<Eigen::Index>(arm.size());
    for (const ArmColumns& columns : {all, together}) {
      Eigen::MatrixXd Y(n, static_cast<Eigen::Index>(column_count(arm, columns)));
      arm_regressor(arm, columns, motion.base, motion.angles(), motion.speeds(), motion.rates(), workspace, Y);
      const Eigen::VectorXd theta = values_of(robot, columns);
      ASSERT_EQ(theta.size(), Y.cols());
      EXPECT_LT((Y * theta - links - joints).norm(), 1e-6 * joints.norm()) << robot.name();
      const Eigen::Index own = static_cast<Eigen::Index>(link_begin(columns, arm.size()));
      EXPECT_LT((Y.leftCols(own) * theta.head(own) - links).norm(), 1e-10 * links.norm()) << robot.name();
    }
    Eigen::MatrixXd base(6, static_cast<Eigen::Index>(column_count(arm, all)));
    base_regressor(arm, all, motion.base, motion.angles(), motion.speeds(), motion.rates(), workspace, base);
    EXPECT_LT((base * values_of(robot, all) - wrench).norm(), 1e-10 * wrench.norm()) << robot.name();
  }
}

TEST(ArmRegressor, IsZeroWhereAJointCarriesNothing) {
  RandomStream random(2, "arm regressor zero");
  const ArmColumns columns{.buoyancy = true, .added_mass = true, .drag = true};
  const Arm arm(test::random_arm(5, {.joints = 8, .tree = true, .full_drag = false}));
  ArmWorkspace workspace(arm);
  const ArmMotion motion = test::random_arm_motion(arm.size(), random);
  Eigen::MatrixXd Y(8, static_cast<Eigen::Index>(column_count(arm, columns)));
  arm_regressor(arm, columns, motion.base, motion.angles(), motion.speeds(), motion.rates(), workspace, Y);
  const auto block = static_cast<Eigen::Index>(columns.per_link());
  for (Eigen::Index row = 0; row < 8; ++row)
    for (Eigen::Index link = 0; link < 8; ++link)
      EXPECT_EQ(Y.block(row, link * block, 1, block).isZero(0),
                !arm.carries(static_cast<std::size_t>(row), static_cast<std::size_t>(link)));
}

TEST(ArmRegressor, NamesItsColumns) {
  model::ArmSpec spec = test::random_arm(1, {.joints = 2, .full_drag = false}).spec();
  const model::Arm robot = model::Arm::make(spec);
  const ArmColumns columns{.buoyancy = true, .viscous = true, .coulomb = Coulomb::by_direction};
  const auto names = arm_parameters(robot, model::Environment(), columns);
  ASSERT_EQ(names.size(), 2u * 14 + 2 * 3);
  EXPECT_EQ(names[0].name, "l0.m");
  EXPECT_EQ(names[5].name, "l0.Ixy");
  EXPECT_EQ(names[10].name, "l0.b");
  EXPECT_EQ(names[28].name, "j0.viscous");
  EXPECT_EQ(names[30].name, "j0.coulomb-");
}

}  // namespace
}  // namespace fathom::dynamics::arm_regressor_test
