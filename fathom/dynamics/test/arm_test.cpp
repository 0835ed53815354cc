#include "fathom/dynamics/arm.hpp"

#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/arms.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/geometry/twist_map.hpp"

namespace fathom::dynamics::arm_test {
namespace {

using test::ArmMotion;
using test::efforts_of;
using test::random_arm_motion;
using test::random_arms;

double scale_of(const Eigen::VectorXd& x) { return std::max(1.0, x.cwiseAbs().maxCoeff()); }

ArmInertia inertia_of(const Arm& arm, const ArmMotion& motion) {
  ArmWorkspace workspace(arm);
  ArmInertia inertia;
  joint_inertia(arm, motion.angles(), workspace, inertia);
  return inertia;
}

TEST(Arm, InertiaIsWhatAccelerationsCost) {
  RandomStream random(1, "arm inertia");
  for (const model::Arm& robot : random_arms()) {
    const Arm arm(robot);
    ArmMotion motion = random_arm_motion(arm.size(), random);
    const ArmInertia inertia = inertia_of(arm, motion);
    Vec6 before, after;
    const Eigen::VectorXd rest = efforts_of(arm, motion, &before);
    for (Eigen::Index k = 0; k < motion.q.size(); ++k) {
      ArmMotion faster = motion;
      faster.ddq[k] += 1;
      const Eigen::VectorXd cost = efforts_of(arm, faster, &after) - rest;
      EXPECT_LT((cost - inertia.joints.col(k)).norm(), 1e-10 * scale_of(rest)) << robot.name();
      EXPECT_LT((after - before - inertia.coupling.col(k)).norm(), 1e-10 * scale_of(before)) << robot.name();
    }
    for (Eigen::Index k = 0; k < 6; ++k) {
      ArmMotion faster = motion;
      faster.base.nu_r_dot_b[k] += 1;
      const Eigen::VectorXd cost = efforts_of(arm, faster, &after) - rest;
      EXPECT_LT((cost - inertia.coupling.row(k).transpose()).norm(), 1e-10 * scale_of(rest));
      EXPECT_LT((after - before - inertia.base.col(k)).norm(), 1e-10 * scale_of(before));
    }
    EXPECT_EQ(inertia.joints.llt().info(), Eigen::Success);
  }
}

TEST(Arm, ForwardUndoesInverse) {
  RandomStream random(2, "arm forward");
  for (const model::Arm& robot : random_arms()) {
    const Arm arm(robot);
    ArmWorkspace workspace(arm);
    const ArmMotion motion = random_arm_motion(arm.size(), random);
    const Eigen::VectorXd efforts = efforts_of(arm, motion);
    Eigen::VectorXd ddq(efforts.size());
    forward_dynamics(arm, motion.base, motion.angles(), motion.speeds(), {efforts.data(), arm.size()},
                     workspace, {ddq.data(), arm.size()});
    EXPECT_LT((ddq - motion.ddq).norm(), 1e-9 * scale_of(motion.ddq)) << robot.name();
  }
}

/// A link that does not move against the base is a vehicle's hull; docs/model.md eq. 15.
TEST(Arm, OneStillLinkIsAVehicle) {
  RandomStream random(3, "arm vehicle");
  for (const auto& [name, robot] : test::all_robots()) {
    model::ArmSpec spec;
    spec.name = "one";
    model::Joint joint;
    joint.name = "j";
    joint.zero = {quaternion_from_euler(test::random_vec3(random, 3)), test::random_vec3(random, 0.5)};
    spec.joints = {joint};
    spec.links = {{"l", robot.hull(), robot.damping()}};
    const Arm arm(model::Arm::make(spec));
    const Vehicle vehicle(robot);
    ArmMotion motion = random_arm_motion(1, random);
    motion.q.setZero();
    motion.dq.setZero();
    motion.ddq.setZero();
    Vec6 wrench;
    efforts_of(arm, motion, &wrench);
    const TwistMap map(joint.zero);
    Motion seen;
    seen.nu_r_b = map.twist(motion.base.nu_r_b);
    seen.nu_r_dot_b = map.twist(motion.base.nu_r_dot_b);
    seen.down_b = joint.zero.q_pc.conjugate() * motion.base.down_b;
    const Vec6 expected = map.wrench(inverse_dynamics(vehicle, seen));
    EXPECT_LT((wrench - expected).norm(), 1e-10 * expected.norm()) << name;
  }
}

/// M' - 2 C is skew-symmetric, and C dq is what is left of the efforts without gravity, drag and acceleration.
TEST(Arm, CoriolisMatrixKeepsEnergy) {
  RandomStream random(4, "arm coriolis");
  for (const model::Arm& given : random_arms()) {
    model::ArmSpec spec = given.spec();
    for (model::Link& link : spec.links) link.damping.clear();
    const Arm arm(model::Arm::make(spec));
    ArmWorkspace workspace(arm);
    ArmMotion motion = random_arm_motion(arm.size(), random, false);
    motion.base.down_b.setZero();
    motion.ddq.setZero();
    Eigen::MatrixXd C;
    coriolis_matrix(arm, motion.angles(), motion.speeds(), workspace, C);
    const Eigen::VectorXd efforts = efforts_of(arm, motion);
    EXPECT_LT((C * motion.dq - efforts).norm(), 1e-10 * scale_of(efforts)) << given.name();
    constexpr double h = 1e-6;
    ArmMotion ahead = motion, behind = motion;
    ahead.q += h * motion.dq;
    behind.q -= h * motion.dq;
    const Eigen::MatrixXd rate = (inertia_of(arm, ahead).joints - inertia_of(arm, behind).joints) / (2 * h);
    const Eigen::MatrixXd skewed = rate - 2 * C;
    EXPECT_LT((skewed + skewed.transpose()).norm(), 1e-6 * std::max(1.0, C.norm())) << given.name();
  }
}

TEST(Arm, DerivativesAgreeWithDifferences) {
  RandomStream random(5, "arm derivatives");
  constexpr double h = 1e-6;
  for (const model::Arm& robot : random_arms()) {
    const Arm arm(robot);
    ArmWorkspace workspace(arm);
    const ArmMotion motion = random_arm_motion(arm.size(), random);
    ArmDerivatives found;
    inverse_derivatives(arm, motion.base, motion.angles(), motion.speeds(), motion.rates(), workspace, found);
    const double size = scale_of(efforts_of(arm, motion));
    for (Eigen::Index k = 0; k < motion.q.size(); ++k) {
      const auto difference = [&](Eigen::VectorXd ArmMotion::*member) {
        ArmMotion ahead = motion, behind = motion;
        (ahead.*member)[k] += h;
        (behind.*member)[k] -= h;
        return Eigen::VectorXd((efforts_of(arm, ahead) - efforts_of(arm, behind)) / (2 * h));
      };
      EXPECT_LT((found.by_q.col(k) - difference(&ArmMotion::q)).norm(), 1e-6 * size) << robot.name() << k;
      EXPECT_LT((found.by_dq.col(k) - difference(&ArmMotion::dq)).norm(), 1e-6 * size) << robot.name() << k;
    }
  }
}

/// Power in is growth of kinetic and potential energy and what drag takes, along a motion.
TEST(Arm, PowerIsAccountedFor) {
  RandomStream random(6, "arm power");
  for (const model::Arm& robot : random_arms()) {
    const Arm arm(robot);
    ArmWorkspace workspace(arm);
    const ArmMotion motion = random_arm_motion(arm.size(), random, false);
    const Vec3 g = arm.environment().gravity() * motion.base.down_b;
    const auto energy = [&](double t) {
      ArmMotion at = motion;
      at.q += t * motion.dq + 0.5 * t * t * motion.ddq;
      at.dq += t * motion.ddq;
      std::vector<Pose> poses(arm.size());
      link_poses(arm, at.angles(), poses);
      double sum = 0.5 * at.dq.dot(inertia_of(arm, at).joints * at.dq);
      for (std::size_t i = 0; i < arm.size(); ++i) {
        const model::Hull& body = robot.links()[i].body;
        const double displaced = arm.density() * body.volume.value;
        sum -= g.dot(body.mass.value * (poses[i] * body.centre_of_mass.value) -
                     displaced * (poses[i] * body.centre_of_buoyancy.value));
      }
      return sum;
    };
    const Eigen::VectorXd efforts = efforts_of(arm, motion);
    double lost = 0;
    inverse_dynamics(arm, motion.base, motion.angles(), motion.speeds(), motion.rates(), workspace,
                     {workspace.bias.data(), arm.size()});
    for (std::size_t i = 0; i < arm.size(); ++i) {
      Vec6 twist;
      twist << workspace.links[i].v, workspace.links[i].w;
      lost += twist.dot(damping_force(arm.links()[i].drag, twist));
    }
    constexpr double h = 1e-5;
    const double growth = (energy(h) - energy(-h)) / (2 * h);
    EXPECT_NEAR(efforts.dot(motion.dq), growth + lost, 1e-6 * std::max(1.0, std::abs(growth) + lost))
        << robot.name();
    if (robot.links()[0].damping.empty()) continue;
    EXPECT_GT(lost, 0);
  }
}

/// A sphere on a stiff light rod, swinging in water without drag: (m + m/2 + I/l^2) l q'' = -(m - rho V) g sin
/// q; the added mass of a sphere is half of the water that it displaces (Lamb 1932, art. 92).
TEST(Arm, PendulumInWater) {
  constexpr double m = 7.8, radius = 0.1, length = 0.8, density = 1025;
  const double volume = 4. / 3 * M_PI * std::pow(radius, 3), water = density * volume;
  model::ArmSpec spec;
  spec.name = "pendulum";
  model::Joint joint;
  joint.name = "hinge";
  joint.axis = Vec3::UnitY();
  model::Link link;
  link.name = "bob";
  link.body.mass.value = m;
  link.body.centre_of_mass.value = link.body.centre_of_buoyancy.value = {0, 0, length};
  link.body.inertia.value = 0.4 * m * radius * radius * Mat3::Identity();
  link.body.volume.value = volume;
  Mat6 added = Mat6::Zero();
  added.topLeftCorner<3, 3>() = water / 2 * Mat3::Identity();
  const Mat6 H = TwistMap(Pose{Quat::Identity(), {0, 0, length}}).matrix();
  link.body.added_mass.value = H.transpose() * added * H;
  spec.joints = {joint};
  spec.links = {link};
  const Arm arm(model::Arm::make(spec), model::Environment(density));
  ArmWorkspace workspace(arm);
  const double g = arm.environment().gravity();
  for (const double q : {-2.0, -0.3, 0.0, 0.7, 3.0}) {
    const double dq = 1.3, effort = 0.4;
    double ddq;
    forward_dynamics(arm, Motion(), std::span(&q, 1), std::span(&dq, 1), std::span(&effort, 1), workspace,
                     std::span(&ddq, 1));
    const double inertia = (m + water / 2) * length * length + 0.4 * m * radius * radius;
    // A positive turn about y (starboard) takes the bob, which hangs down, to -x: sin q of the weight turns it
    // back.
    EXPECT_NEAR(ddq, (effort - (m - water) * g * length * std::sin(q)) / inertia, 1e-12 * std::abs(g));
  }
}

/// A vehicle with an arm of one joint that swims freely in still water, without weight and drag.
class FreeBody {
 public:
  struct State {
    Pose pose;
    Vec6 nu = Vec6::Zero();
    double q = 0, dq = 0;
  };

  FreeBody() : arm_(arm_without_drag(), environment_), vehicle_(hull_of(environment_), environment_) {}

  /// In the world, about its origin.
  Vec6 impulse(const State& at) {
    return TwistMap(at.pose).wrench(Vec6((inertia(at.q) * speeds(at)).head<6>()));
  }
  double energy(const State& at) { return 0.5 * speeds(at).dot(inertia(at.q) * speeds(at)); }

  /// By the midpoint method.
  State after(State at, double seconds, int steps) {
    const double dt = seconds / steps;
    for (int k = 0; k < steps; ++k) {
      const State middle = moved(at, speeds(at), rates(at), dt / 2);
      at = moved(at, speeds(middle), rates(middle), dt);
    }
    return at;
  }

 private:
  using Rates = Eigen::Matrix<double, 7, 1>;

  static model::Arm arm_without_drag() {
    model::ArmSpec spec = test::random_arm(31, {.joints = 1}).spec();
    spec.links[0].damping.clear();
    return model::Arm::make(spec);
  }
  static model::Robot hull_of(const model::Environment& environment) {
    return test::without_drag_and_weight(test::random_robot(77), environment);
  }
  static Rates speeds(const State& at) {
    Rates all;
    all << at.nu, at.dq;
    return all;
  }
  static State moved(const State& at, const Rates& along, const Rates& rate, double h) {
    State next = at;
    const Vec3 turn = h * along.segment<3>(3);
    next.pose = at.pose * Pose{exp_rotation(turn), exp_rotation(turn / 2) * Vec3(h * along.head<3>())};
    next.nu += h * rate.head<6>();
    next.q += h * along[6];
    next.dq += h * rate[6];
    return next;
  }
  Eigen::Matrix<double, 7, 7> inertia(double q) {
    ArmInertia of_arm;
    joint_inertia(arm_, std::span(&q, 1), workspace_, of_arm);
    Eigen::Matrix<double, 7, 7> M;
    M << of_arm.base + vehicle_.M(), of_arm.coupling, of_arm.coupling.transpose(), of_arm.joints;
    return M;
  }
  Rates rates(const State& at) {
    Motion motion;
    motion.nu_r_b = at.nu;
    motion.down_b.setZero();
    const double zero = 0;
    Vec6 wrench;
    double effort;
    inverse_dynamics(arm_, motion, std::span(&at.q, 1), std::span(&at.dq, 1), std::span(&zero, 1), workspace_,
                     std::span(&effort, 1), &wrench);
    Rates bias;
    bias << wrench + inverse_dynamics(vehicle_, motion), effort;
    return inertia(at.q).llt().solve(-bias);
  }

  model::Environment environment_;
  Arm arm_;
  Vehicle vehicle_;
  ArmWorkspace workspace_{arm_};
};

/// The momentum of bodies and water stays what it was, and so does the energy (Kirchhoff), over two seconds of
/// tumbling.
TEST(Arm, FreeBodyKeepsItsImpulse) {
  FreeBody body;
  RandomStream random(7, "free body");
  FreeBody::State first;
  first.nu = test::random_vec6(random, 0.5);
  first.dq = 1.5;
  struct Drift {
    double impulse, energy;
  };
  const auto drift = [&](int steps) {
    const FreeBody::State last = body.after(first, 2, steps);
    const Vec6 impulse = body.impulse(first);
    return Drift{(body.impulse(last) - impulse).norm() / impulse.norm(),
                 std::abs(body.energy(last) / body.energy(first) - 1)};
  };
  // What is left is the method's: it falls with the square of the step.
  const Drift coarse = drift(2000), fine = drift(8000);
  EXPECT_LT(fine.impulse, 2e-6);
  EXPECT_NEAR(coarse.impulse / fine.impulse, 16, 2);
  EXPECT_LT(fine.energy, 2e-6);
}

TEST(Arm, RefusesTheWrongNumberOfJoints) {
  const Arm arm(test::random_arm(1));
  ArmWorkspace workspace(arm);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(3);
  const std::span<double> three(q.data(), 3);
  EXPECT_NE(fathom::test::error_text([&] {
              inverse_dynamics(arm, Motion(), three, three, three, workspace, three);
            }).find("joints has 3 numbers, the arm 4 joints"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::dynamics::arm_test
