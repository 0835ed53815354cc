#include "fathom/dynamics/internal/arm_sweep.hpp"
#include "fathom/dynamics/internal/coriolis.hpp"

namespace fathom::dynamics {
namespace {

using internal::cross_twist;
using internal::to_link;

/// Derivatives of a link's twist, its rate and gravity's direction by all joints that carry it: docs/arms.md
/// eq. 9.
void differentiate_motion(const Arm& arm, std::size_t i, double dq, double ddq, ArmWorkspace& workspace) {
  const ArmLink& link = arm.links()[i];
  const ArmWorkspace::AtLink& at = workspace.links[i];
  const auto n = static_cast<Eigen::Index>(arm.size());
  const auto own = static_cast<Eigen::Index>(i);
  const Vec6 S = internal::joint_axis(link), step = dq * S;
  Mat6X& twist_by = workspace.twist_by[i];
  Mat6X& rate_by = workspace.rate_by[i];
  Eigen::Matrix3Xd& gravity_by = workspace.gravity_by[i];
  if (link.parent >= 0) {
    const auto parent = static_cast<std::size_t>(link.parent);
    for (std::size_t k = 0; k < i; ++k) {
      if (!arm.carries(k, parent)) continue;
      const auto by_q = static_cast<Eigen::Index>(k);
      gravity_by.col(by_q) = at.R.transpose() * workspace.gravity_by[parent].col(by_q);
      for (const Eigen::Index column : {by_q, by_q + n}) {
        twist_by.col(column) = to_link(at, workspace.twist_by[parent].col(column));
        rate_by.col(column) =
            to_link(at, workspace.rate_by[parent].col(column)) + cross_twist(twist_by.col(column), step);
      }
    }
  }
  // By its own joint: the frame turns under what the parent hands on, which is what is left without the joint's
  // share.
  Vec6 twist, rate;
  twist << at.v, at.w;
  rate << at.a, at.alpha;
  const Vec6 handed = twist - step;
  const Vec6 handed_rate = rate - ddq * S - cross_twist(twist, step);
  twist_by.col(own) = cross_twist(handed, S);
  rate_by.col(own) = cross_twist(handed_rate, S) + cross_twist(twist_by.col(own), step);
  gravity_by.col(own) = link.is_revolute ? Vec3(at.g.cross(link.axis)) : Vec3(Vec3::Zero());
  twist_by.col(own + n) = S;
  rate_by.col(own + n) = cross_twist(twist, S);
}

/// Of the wrench that the link by itself needs.
void differentiate_wrench(const Arm& arm, std::size_t i, ArmWorkspace& workspace) {
  const ArmLink& link = arm.links()[i];
  const ArmWorkspace::AtLink& at = workspace.links[i];
  const auto n = static_cast<Eigen::Index>(arm.size());
  Vec6 twist;
  twist << at.v, at.w;
  Mat6 by_twist = internal::coriolis_jacobian(link.M, twist);
  if (!link.drag.empty()) {
    Mat6 drag;
    damping_force(link.drag, twist, &drag);
    by_twist += drag;
  }
  Mat6X& wrench_by = workspace.wrench_by[i];
  wrench_by.setZero();
  for (std::size_t k = 0; k <= i; ++k) {
    if (!arm.carries(k, i)) continue;
    const auto by_q = static_cast<Eigen::Index>(k);
    for (const Eigen::Index column : {by_q, by_q + n})
      wrench_by.col(column) =
          link.M * workspace.rate_by[i].col(column) + by_twist * workspace.twist_by[i].col(column);
    if (link.is_wet) wrench_by.col(by_q) += link.water * workspace.gravity_by[i].col(by_q);
  }
}

}  // namespace

void inverse_derivatives(const Arm& arm, const Motion& base, std::span<const double> q,
                         std::span<const double> dq, std::span<const double> ddq, ArmWorkspace& workspace,
                         ArmDerivatives& derivatives) {
  const auto n = static_cast<Eigen::Index>(arm.size());
  inverse_dynamics(arm, base, q, dq, ddq, workspace, {workspace.bias.data(), arm.size()});
  for (std::size_t i = 0; i < arm.size(); ++i) {
    differentiate_motion(arm, i, dq[i], ddq[i], workspace);
    differentiate_wrench(arm, i, workspace);
  }
  derivatives.by_q.resize(n, n);
  derivatives.by_dq.resize(n, n);
  for (std::size_t i = arm.size(); i-- > 0;) {
    const ArmLink& link = arm.links()[i];
    const ArmWorkspace::AtLink& at = workspace.links[i];
    const auto row = static_cast<Eigen::Index>(i);
    Mat6X& wrench_by = workspace.wrench_by[i];
    const auto along = link.is_revolute ? wrench_by.bottomRows<3>() : wrench_by.topRows<3>();
    derivatives.by_q.row(row).noalias() = link.axis.transpose() * along.leftCols(n);
    derivatives.by_dq.row(row).noalias() = link.axis.transpose() * along.rightCols(n);
    if (link.parent < 0) continue;
    Vec6 wrench;
    wrench << at.force, at.moment;
    wrench_by.col(row) += internal::cross_wrench(internal::joint_axis(link), wrench);  // the frame turns
    Mat6X& parent_by = workspace.wrench_by[static_cast<std::size_t>(link.parent)];
    for (Eigen::Index column = 0; column < 2 * n; ++column) {
      const auto k = static_cast<std::size_t>(column < n ? column : column - n);
      if (arm.carries(k, i) || arm.carries(i, k))
        parent_by.col(column) += internal::to_parent(at, wrench_by.col(column));
    }
  }
}

}  // namespace fathom::dynamics
