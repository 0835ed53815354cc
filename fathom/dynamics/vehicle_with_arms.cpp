#include "fathom/dynamics/vehicle_with_arms.hpp"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::dynamics {
namespace {

using Mounted = VehicleWithArms::Mounted;

template <class T>
std::span<T> of_arm(const Mounted& mounted, std::span<T> all) {
  return all.subspan(mounted.first, mounted.arm.size());
}

Eigen::Map<const Eigen::VectorXd> as_vector(std::span<const double> numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}

void check_joints(const VehicleWithArms& robot, std::initializer_list<std::size_t> sizes) {
  for (const std::size_t size : sizes)
    if (size != robot.joints())
      reject("joints", fmt::format("has {} numbers, the arms {} joints", size, robot.joints()));
}

}  // namespace

VehicleWithArms::VehicleWithArms(const model::VehicleWithArms& robot, const model::Environment& environment)
    : vehicle_(robot.vehicle, environment) {
  for (const model::MountedArm& arm : robot.arms) {
    const Pose pose = arm.pose();
    const TwistMap mount(pose);
    arms_.push_back({Arm(arm.arm, environment), mount, pose.q_pc.toRotationMatrix(), mount.matrix(), joints_});
    joints_ += arm.arm.size();
  }
}

VehicleWithArmsWorkspace::VehicleWithArmsWorkspace(const VehicleWithArms& robot) : zero(robot.joints(), 0.0) {
  for (const Mounted& mounted : robot.arms()) {
    const auto n = static_cast<Eigen::Index>(mounted.arm.size());
    OfArm of{ArmWorkspace(mounted.arm),     {}, {}, {}, Eigen::VectorXd(n), Eigen::VectorXd(n),
             Eigen::LLT<Eigen::MatrixXd>(n)};
    of.inertia.joints.resize(n, n);
    of.inertia.coupling.resize(6, n);
    of.coupling.resize(n, 6), of.solved.resize(n, 6);
    arms.push_back(std::move(of));
  }
}

void inverse_dynamics(const VehicleWithArms& robot, const Motion& motion, std::span<const double> q,
                      std::span<const double> dq, std::span<const double> ddq,
                      VehicleWithArmsWorkspace& workspace, Vec6& tau_b, std::span<double> efforts) {
  check_joints(robot, {q.size(), dq.size(), ddq.size(), efforts.size()});
  tau_b = inverse_dynamics(robot.vehicle(), motion);
  for (std::size_t k = 0; k < robot.arms().size(); ++k) {
    const Mounted& mounted = robot.arms()[k];
    Vec6 base_wrench;
    inverse_dynamics(mounted.arm, mounted.base_motion(motion), of_arm(mounted, q), of_arm(mounted, dq),
                     of_arm(mounted, ddq), workspace.arms[k].links, of_arm(mounted, efforts), &base_wrench);
    tau_b += mounted.mount.wrench(base_wrench);
  }
}

/// Joints of different arms meet only in the vehicle, so that each arm is eliminated by itself and six
/// equations are left (docs/arms.md eq. 18).
void forward_dynamics(const VehicleWithArms& robot, const Motion& motion, std::span<const double> q,
                      std::span<const double> dq, const Vec6& tau_b, std::span<const double> efforts,
                      VehicleWithArmsWorkspace& workspace, Vec6& nu_r_dot_b, std::span<double> ddq) {
  check_joints(robot, {q.size(), dq.size(), efforts.size(), ddq.size()});
  const Motion coasting{motion.nu_r_b, Vec6::Zero(), motion.down_b};
  Vec6 bias;
  inverse_dynamics(robot, coasting, q, dq, workspace.zero, workspace, bias, ddq);  // ddq: efforts so far
  Mat6 M = robot.vehicle().M();
  Vec6 force = tau_b - bias;
  for (std::size_t k = 0; k < robot.arms().size(); ++k) {
    const Mounted& mounted = robot.arms()[k];
    VehicleWithArmsWorkspace::OfArm& at = workspace.arms[k];
    joint_inertia(mounted.arm, of_arm(mounted, q), at.links, at.inertia);
    at.llt.compute(at.inertia.joints);
    if (at.llt.info() != Eigen::Success)
      reject("joints", "have a singular inertia", "a link with mass at the end of each branch");
    at.coupling.noalias() = at.inertia.coupling.transpose() * mounted.H;
    at.solved = at.coupling;
    at.llt.solveInPlace(at.solved);
    at.rate = as_vector(of_arm(mounted, efforts)) - as_vector(of_arm(mounted, std::span<const double>(ddq)));
    at.llt.solveInPlace(at.rate);
    M.noalias() += mounted.H.transpose() * at.inertia.base * mounted.H;
    M.noalias() -= at.coupling.transpose() * at.solved;
    force.noalias() -= at.coupling.transpose() * at.rate;
  }
  nu_r_dot_b = Eigen::LLT<Mat6>(M).solve(force);
  for (std::size_t k = 0; k < robot.arms().size(); ++k) {
    const Mounted& mounted = robot.arms()[k];
    Eigen::Map<Eigen::VectorXd> out(ddq.data() + mounted.first, static_cast<Eigen::Index>(mounted.arm.size()));
    out = workspace.arms[k].rate;
    out.noalias() -= workspace.arms[k].solved * nu_r_dot_b;
  }
}

Vec6 impulse(const VehicleWithArms& robot, const Vec6& nu_r_b, std::span<const double> q,
             std::span<const double> dq, VehicleWithArmsWorkspace& workspace) {
  check_joints(robot, {q.size(), dq.size()});
  Vec6 sum = robot.vehicle().M() * nu_r_b;
  for (std::size_t k = 0; k < robot.arms().size(); ++k) {
    const Mounted& mounted = robot.arms()[k];
    ArmInertia& inertia = workspace.arms[k].inertia;
    joint_inertia(mounted.arm, of_arm(mounted, q), workspace.arms[k].links, inertia);
    Vec6 own = inertia.base * mounted.mount.twist(nu_r_b);
    own.noalias() += inertia.coupling * as_vector(of_arm(mounted, dq));
    sum += mounted.mount.wrench(own);
  }
  return sum;
}

}  // namespace fathom::dynamics
