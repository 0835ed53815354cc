#include "fathom/dynamics/arm.hpp"

#include <cmath>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/dynamics/internal/arm_sweep.hpp"
#include "fathom/dynamics/internal/coriolis.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::dynamics {
namespace {

ArmLink make_arm_link(const model::Joint& joint, const model::Link& link, double density) {
  ArmLink made;
  made.parent = joint.parent ? static_cast<int>(*joint.parent) : -1;
  made.is_revolute = joint.kind == model::Joint::Kind::revolute;
  made.axis = joint.axis.normalized();
  const Mat3 R_zero = joint.zero.q_pc.toRotationMatrix();
  const Mat3 along = made.axis * made.axis.transpose();
  made.R_fixed = made.is_revolute ? Mat3(R_zero * along) : R_zero;
  made.R_sin = R_zero * skew(made.axis);  // Rodrigues' formula
  made.R_cos = R_zero * (Mat3::Identity() - along);
  made.p_zero = joint.zero.p_pc_p;
  made.slide = R_zero * made.axis;

  const Mat6 rigid = model::rigid_body_inertia(link.body);
  made.mass = link.body.mass.value;
  made.first_moment = made.mass * link.body.centre_of_mass.value;
  made.inertia = rigid.bottomRightCorner<3, 3>();
  made.M = rigid;
  made.water.setZero();
  if (density == 0) return made;
  const Mat6& added = link.body.added_mass.value;
  const Mat6 A = 0.5 * (added + added.transpose());
  const double displaced = density * link.body.volume.value;
  made.M += A;
  made.water = A.leftCols<3>();
  made.water.topRows<3>() += displaced * Mat3::Identity();
  made.water.bottomRows<3>() += displaced * skew(link.body.centre_of_buoyancy.value);
  made.drag = make_drag_list(link.damping);
  made.is_wet = !A.isZero(0) || displaced > 0 || !made.drag.empty();
  return made;
}

/// Newton and Euler, at the link's origin.
void add_dry_wrench(const ArmLink& link, ArmWorkspace::AtLink& at) {
  const Vec3 classical = at.a + at.w.cross(at.v);
  const Vec3 turning = at.w.cross(link.first_moment);
  at.force = link.mass * classical + at.alpha.cross(link.first_moment) + at.w.cross(turning);
  const Vec3 spin = link.inertia * at.w;
  at.moment = link.inertia * at.alpha + at.w.cross(spin) + link.first_moment.cross(classical);
}

/// Kirchhoff, with buoyancy and drag.
void add_wet_wrench(const ArmLink& link, ArmWorkspace::AtLink& at) {
  Vec6 twist, rate;
  twist << at.v, at.w;
  rate << at.a, at.alpha;
  Vec6 wrench = link.M * rate + internal::coriolis_force(link.M * twist, twist) + link.water * at.g;
  if (!link.drag.empty()) wrench += damping_force(link.drag, twist);
  at.force = wrench.head<3>();
  at.moment = wrench.tail<3>();
}

}  // namespace

Arm::Arm(const model::Arm& arm, const model::Environment& environment, Medium medium)
    : environment_(environment), density_(medium == Medium::air ? 0 : environment.density()) {
  const std::size_t n = arm.size();
  carries_.assign(n * n, false);
  for (std::size_t i = 0; i < n; ++i) {
    links_.push_back(make_arm_link(arm.joints()[i], arm.links()[i], density_));
    for (int j = static_cast<int>(i); j >= 0; j = links_[static_cast<std::size_t>(j)].parent)
      carries_[static_cast<std::size_t>(j) * n + i] = true;
    const auto& actuator = arm.joints()[i].actuator;
    transmissions_.push_back(actuator ? std::optional(actuator->transmission) : std::nullopt);
  }
}

ArmWorkspace::ArmWorkspace(const Arm& arm) : links(arm.size()), composite(arm.size()) {
  const auto n = static_cast<Eigen::Index>(arm.size());
  for (auto* list : {&twist_by, &rate_by, &wrench_by}) list->assign(arm.size(), Mat6X::Zero(6, 2 * n));
  gravity_by.assign(arm.size(), Eigen::Matrix3Xd::Zero(3, n));
  inertia.resize(n, n);
  bias.resize(n);
  zero = Eigen::VectorXd::Zero(n);
  llt = Eigen::LLT<Eigen::MatrixXd>(n);
}

namespace internal {

void check_sizes(const Arm& arm, std::initializer_list<std::size_t> sizes) {
  for (const std::size_t size : sizes)
    if (size != arm.size())
      reject("joints", fmt::format("has {} numbers, the arm {} joints", size, arm.size()));
}

void place_links(const Arm& arm, std::span<const double> q, ArmWorkspace& workspace) {
  for (std::size_t i = 0; i < arm.size(); ++i) {
    const ArmLink& link = arm.links()[i];
    ArmWorkspace::AtLink& at = workspace.links[i];
    if (link.is_revolute) {
      at.R = link.R_fixed + std::sin(q[i]) * link.R_sin + std::cos(q[i]) * link.R_cos;
      at.p = link.p_zero;
    } else {
      at.R = link.R_fixed;
      at.p = link.p_zero + q[i] * link.slide;
    }
  }
}

void move_links(const Arm& arm, const Motion& base, std::span<const double> dq, std::span<const double> ddq,
                ArmWorkspace& workspace) {
  ArmWorkspace::AtLink ground;
  ground.v = base.nu_r_b.head<3>();
  ground.w = base.nu_r_b.tail<3>();
  ground.g = arm.environment().gravity() * base.down_b;
  ground.a = base.nu_r_dot_b.head<3>() - ground.g;
  ground.alpha = base.nu_r_dot_b.tail<3>();
  for (std::size_t i = 0; i < arm.size(); ++i) {
    const ArmLink& link = arm.links()[i];
    ArmWorkspace::AtLink& at = workspace.links[i];
    const ArmWorkspace::AtLink& from =
        link.parent < 0 ? ground : workspace.links[static_cast<std::size_t>(link.parent)];
    at.w.noalias() = at.R.transpose() * from.w;
    at.v.noalias() = at.R.transpose() * (from.v + from.w.cross(at.p));
    at.alpha.noalias() = at.R.transpose() * from.alpha;
    at.a.noalias() = at.R.transpose() * (from.a + from.alpha.cross(at.p));
    at.g.noalias() = at.R.transpose() * from.g;
    const Vec3 step = dq[i] * link.axis;
    if (link.is_revolute) {
      at.alpha += ddq[i] * link.axis + at.w.cross(step);
      at.a += at.v.cross(step);
      at.w += step;
    } else {
      at.a += ddq[i] * link.axis + at.w.cross(step);
      at.v += step;
    }
  }
}

void weigh_links(const Arm& arm, ArmWorkspace& workspace) {
  for (std::size_t i = 0; i < arm.size(); ++i) {
    if (arm.links()[i].is_wet)
      add_wet_wrench(arm.links()[i], workspace.links[i]);
    else
      add_dry_wrench(arm.links()[i], workspace.links[i]);
  }
}

}  // namespace internal

void inverse_dynamics(const Arm& arm, const Motion& base, std::span<const double> q, std::span<const double> dq,
                      std::span<const double> ddq, ArmWorkspace& workspace, std::span<double> efforts,
                      Vec6* base_wrench) {
  internal::check_sizes(arm, {q.size(), dq.size(), ddq.size(), efforts.size()});
  internal::place_links(arm, q, workspace);
  internal::move_links(arm, base, dq, ddq, workspace);
  internal::weigh_links(arm, workspace);
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();  // on the base
  for (std::size_t i = arm.size(); i-- > 0;) {
    const ArmLink& link = arm.links()[i];
    const ArmWorkspace::AtLink& at = workspace.links[i];
    efforts[i] = link.axis.dot(link.is_revolute ? at.moment : at.force);
    const bool on_base = link.parent < 0;
    Vec3& parent_force = on_base ? force : workspace.links[static_cast<std::size_t>(link.parent)].force;
    Vec3& parent_moment = on_base ? moment : workspace.links[static_cast<std::size_t>(link.parent)].moment;
    const Vec3 pull = at.R * at.force;
    parent_force += pull;
    parent_moment += at.R * at.moment + at.p.cross(pull);
  }
  if (base_wrench) *base_wrench << force, moment;
}

void link_poses(const Arm& arm, std::span<const double> q, std::span<Pose> poses) {
  internal::check_sizes(arm, {q.size(), poses.size()});
  for (std::size_t i = 0; i < arm.size(); ++i) {
    const ArmLink& link = arm.links()[i];
    const Mat3 R = link.is_revolute
                       ? Mat3(link.R_fixed + std::sin(q[i]) * link.R_sin + std::cos(q[i]) * link.R_cos)
                       : link.R_fixed;
    const Pose own{Quat(R).normalized(),
                   link.is_revolute ? link.p_zero : Vec3(link.p_zero + q[i] * link.slide)};
    poses[i] = link.parent < 0 ? own : poses[static_cast<std::size_t>(link.parent)] * own;
  }
}

}  // namespace fathom::dynamics
