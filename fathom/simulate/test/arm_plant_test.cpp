#include "fathom/simulate/arm_plant.hpp"

#include <cmath>
#include <numbers>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/model_file/arm_file.hpp"

namespace fathom::simulate::arm_plant_test {
namespace {

/// The first three joints of Ariane's arm, in air, without friction.
model::Arm smooth_arm() {
  model::ArmSpec spec = model::read_arm(FATHOM_ROBOTS_DIR "/../arms/ariane.yaml").spec();
  spec.joints.pop_back(), spec.links.pop_back();
  for (model::Joint& joint : spec.joints) joint.actuator->motor.viscous = joint.actuator->motor.coulomb = 0;
  return model::Arm::make(spec);
}

Eigen::VectorXd middle(const model::Arm& arm) {
  Eigen::VectorXd q(static_cast<Eigen::Index>(arm.size()));
  for (std::size_t j = 0; j < arm.size(); ++j)
    q[static_cast<Eigen::Index>(j)] = 0.5 * (arm.joints()[j].limits.min + arm.joints()[j].limits.max);
  return q;
}

std::span<const double> span_of(const Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// Of links, shafts, springs and height.
double energy_of(const model::Arm& robot, const ArmPlant& plant, const Eigen::VectorXd& x) {
  const dynamics::Arm arm(robot, model::Environment(), dynamics::Medium::air);
  dynamics::ArmWorkspace workspace(arm);
  dynamics::ArmInertia inertia;
  const auto n = static_cast<Eigen::Index>(arm.size());
  const Eigen::VectorXd q = x.head(n), dq = x.segment(n, n);
  dynamics::joint_inertia(arm, span_of(q), workspace, inertia);
  double sum = 0.5 * dq.dot(inertia.joints * dq);
  std::vector<Pose> poses(arm.size());
  dynamics::link_poses(arm, span_of(q), poses);
  for (std::size_t j = 0; j < arm.size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    const model::Hull& body = robot.links()[j].body;
    sum -= body.mass.value * 9.81 * (poses[j] * body.centre_of_mass.value).z();
    double spring = 0;
    plant.spring(j, q[i], dq[i], x[2 * n + i], x[3 * n + i], &spring);
    sum += spring + 0.5 * robot.joints()[j].actuator->motor.inertia * x[3 * n + i] * x[3 * n + i];
  }
  return sum;
}

TEST(ArmPlant, KeepsItsEnergyWithoutFriction) {
  const model::Arm arm = smooth_arm();
  for (const double backlash : {0.0, 5.0}) {
    std::vector<ArmDrive> drives(3);
    for (ArmDrive& drive : drives) drive.backlash = backlash;
    ArmPlant plant(arm, drives, dynamics::Medium::air);
    Eigen::VectorXd x = plant.state(middle(arm), Eigen::Vector3d(0.1, -0.05, 0.2));
    RungeKutta4 integrator(plant.size());
    const double before = energy_of(arm, plant, x);
    double most = 0;
    for (int k = 0; k < 5000; ++k) {
      integrator.step(plant, 2e-4 * k, 2e-4, x);
      if (k % 100 == 0) most = std::max(most, std::abs(energy_of(arm, plant, x) - before));
    }
    EXPECT_GT((x.head(3) - middle(arm)).norm(), 0.01);        // it fell
    EXPECT_LT(most, backlash > 0 ? 1e-3 : 1e-6) << backlash;  // J; across a flank the order is lower
  }
}

/// (M + J r^2) ddq = r k_t i - bias - J r r' dq^2: docs/arm-excitation.md eq. 8.
class StiffArm : public Ode {
 public:
  explicit StiffArm(const model::Arm& robot, Eigen::VectorXd currents)
      : robot_(robot), arm_(robot, model::Environment(), dynamics::Medium::air), i_(std::move(currents)) {}
  Eigen::Index size() const override { return 2 * i_.size(); }
  void derivative(double, const Eigen::VectorXd& x, Eigen::VectorXd& dx) const override {
    const Eigen::Index n = i_.size();
    const Eigen::VectorXd q = x.head(n), dq = x.tail(n), zero = Eigen::VectorXd::Zero(n);
    dynamics::ArmWorkspace workspace(arm_);
    dynamics::ArmInertia inertia;
    dynamics::joint_inertia(arm_, span_of(q), workspace, inertia);
    Eigen::VectorXd right(n);
    dynamics::inverse_dynamics(arm_, {}, span_of(q), span_of(dq), span_of(zero), workspace,
                               {right.data(), static_cast<std::size_t>(n)});
    right = -right;
    for (Eigen::Index k = 0; k < n; ++k) {
      const model::Actuator& actuator = *robot_.joints()[static_cast<std::size_t>(k)].actuator;
      const model::MotorAngle motor = model::motor_angle(actuator.transmission, q[k]);
      inertia.joints(k, k) += actuator.motor.inertia * motor.ratio * motor.ratio;
      right[k] +=
          motor.ratio * (actuator.motor.k_t * i_[k] - actuator.motor.inertia * motor.slope * dq[k] * dq[k]);
    }
    dx.resize(2 * n);
    dx << dq, inertia.joints.llt().solve(right);
  }

 private:
  model::Arm robot_;
  dynamics::Arm arm_;
  Eigen::VectorXd i_;
};

TEST(ArmPlant, StiffIsForwardDynamicsWithTheMotorsInertia) {
  const model::Arm arm = smooth_arm();
  const Eigen::Vector3d currents(0.3, -1.2, 0.4), dq(0.05, -0.02, 0.1);
  std::vector<ArmDrive> drives(3);
  for (ArmDrive& drive : drives) drive.stiffness = 5, drive.damping = 5e-4;
  ArmPlant plant(arm, drives, dynamics::Medium::air);
  plant.command(currents);
  Eigen::VectorXd x = plant.state(middle(arm), dq), rigid(6);
  x.tail(3) = currents;
  rigid << middle(arm), dq;
  const double dt = plant.stable_step(middle(arm));
  const int steps = static_cast<int>(std::ceil(0.5 / dt));
  const StiffArm stiff(arm, currents);
  RungeKutta4 one(plant.size()), other(6);
  for (int k = 0; k < steps; ++k) {
    one.step(plant, 0, 0.5 / steps, x);
    other.step(stiff, 0, 0.5 / steps, rigid);
  }
  EXPECT_GT((rigid.head(3) - middle(arm)).norm(), 0.02);
  EXPECT_LT((x.head(3) - rigid.head(3)).norm(), 2e-4 * (rigid.head(3) - middle(arm)).norm());
  EXPECT_LT((x.segment(3, 3) - rigid.tail(3)).norm(), 2e-3 * rigid.tail(3).norm());
}

TEST(ArmPlant, ReadsInIncrementsAndSticksBelowStiction) {
  model::ArmSpec spec = smooth_arm().spec();
  for (model::Joint& joint : spec.joints) joint.actuator->motor.coulomb = 0.02;
  const model::Arm arm = model::Arm::make(spec);
  std::vector<ArmDrive> drives(3);
  for (ArmDrive& drive : drives) drive.stiction = 0.01;
  const ArmPlant plant(arm, drives, dynamics::Medium::air);
  Eigen::VectorXd x = plant.state(middle(arm), Eigen::VectorXd::Zero(3));
  const double step = 2 * std::numbers::pi / 24;
  for (std::size_t j = 0; j < 3; ++j) {
    const double counts = plant.angle_reading(j, x) / step;
    EXPECT_NEAR(counts, std::round(counts), 1e-6);
    EXPECT_LE(std::abs(plant.angle_reading(j, x) - x[6 + static_cast<Eigen::Index>(j)]), step);
  }
  EXPECT_GT(plant.motor_friction(0, 6), plant.motor_friction(0, 100));  // Stribeck
  EXPECT_EQ(plant.motor_friction(0, -6), -plant.motor_friction(0, 6));
  EXPECT_NEAR(plant.motor_friction(0, 100), 0.02, 1e-6);
}

TEST(ArmPlant, RefusesWhatCannotBe) {
  const model::Arm arm = smooth_arm();
  EXPECT_NE(test::error_text([&] { ArmPlant(arm, {}); }).find("one for each of 3 joints"), std::string::npos);
  std::vector<ArmDrive> drives(3);
  drives[1].stiffness = 0;
  EXPECT_NE(test::error_text([&] { ArmPlant(arm, drives); }).find("must be > 0"), std::string::npos);
}

}  // namespace
}  // namespace fathom::simulate::arm_plant_test
