#include <Eigen/Cholesky>

#include "fathom/base/error.hpp"
#include "fathom/dynamics/internal/arm_sweep.hpp"
#include "fathom/dynamics/internal/coriolis.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::dynamics {
namespace {

/// H' M H with H the map of twists from the parent's frame to the link's, block by block.
Mat6 seen_from_parent(const ArmWorkspace::AtLink& at, const Mat6& M) {
  const Mat3 A = at.R * M.topLeftCorner<3, 3>() * at.R.transpose();
  const Mat3 B = at.R * M.topRightCorner<3, 3>() * at.R.transpose();
  const Mat3 C = at.R * M.bottomRightCorner<3, 3>() * at.R.transpose();
  const Mat3 S = skew(at.p);
  const Mat3 B_p = B - A * S;
  Mat6 out;
  out.topLeftCorner<3, 3>() = A;
  out.topRightCorner<3, 3>() = B_p;
  out.bottomLeftCorner<3, 3>() = B_p.transpose();
  out.bottomRightCorner<3, 3>() = C + S * B_p - B.transpose() * S;
  return out;
}

/// Composite inertias (Walker and Orin 1982), joints' part only. Needs place_links.
void fill_inertia(const Arm& arm, ArmWorkspace& workspace, Eigen::MatrixXd& joints, Mat6X* coupling,
                  Mat6* base) {
  const std::size_t n = arm.size();
  joints.setZero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  if (coupling) coupling->setZero(6, static_cast<Eigen::Index>(n));
  if (base) base->setZero();
  for (std::size_t i = 0; i < n; ++i) workspace.composite[i] = arm.links()[i].M;
  for (std::size_t i = n; i-- > 0;) {
    const ArmLink& link = arm.links()[i];
    if (link.parent >= 0)
      workspace.composite[static_cast<std::size_t>(link.parent)] +=
          seen_from_parent(workspace.links[i], workspace.composite[i]);
    else if (base)
      *base += seen_from_parent(workspace.links[i], workspace.composite[i]);
    const Mat6& whole = workspace.composite[i];
    Vec6 wrench =
        link.is_revolute ? Vec6(whole.rightCols<3>() * link.axis) : Vec6(whole.leftCols<3>() * link.axis);
    const auto column = static_cast<Eigen::Index>(i);
    for (int j = static_cast<int>(i); j >= 0;) {
      const ArmLink& carrier = arm.links()[static_cast<std::size_t>(j)];
      joints(j, column) = joints(column, j) =
          carrier.axis.dot(carrier.is_revolute ? wrench.tail<3>() : wrench.head<3>());
      wrench = internal::to_parent(workspace.links[static_cast<std::size_t>(j)], wrench);
      j = carrier.parent;
    }
    if (coupling) coupling->col(column) = wrench;
  }
}

}  // namespace

void joint_inertia(const Arm& arm, std::span<const double> q, ArmWorkspace& workspace, ArmInertia& inertia) {
  internal::check_sizes(arm, {q.size()});
  internal::place_links(arm, q, workspace);
  fill_inertia(arm, workspace, inertia.joints, &inertia.coupling, &inertia.base);
}

void forward_dynamics(const Arm& arm, const Motion& base, std::span<const double> q, std::span<const double> dq,
                      std::span<const double> efforts, ArmWorkspace& workspace, std::span<double> ddq) {
  internal::check_sizes(arm, {q.size(), dq.size(), efforts.size(), ddq.size()});
  const auto n = static_cast<Eigen::Index>(arm.size());
  inverse_dynamics(arm, base, q, dq, {workspace.zero.data(), arm.size()}, workspace,
                   {workspace.bias.data(), arm.size()});
  fill_inertia(arm, workspace, workspace.inertia, nullptr, nullptr);
  workspace.llt.compute(workspace.inertia);
  if (workspace.llt.info() != Eigen::Success)
    reject("joints", "have a singular inertia", "a link with mass at the end of each branch");
  Eigen::Map<Eigen::VectorXd> out(ddq.data(), n);
  out = Eigen::Map<const Eigen::VectorXd>(efforts.data(), n) - workspace.bias;
  workspace.llt.solveInPlace(out);
}

void coriolis_matrix(const Arm& arm, std::span<const double> q, std::span<const double> dq,
                     ArmWorkspace& workspace, Eigen::MatrixXd& C) {
  internal::check_sizes(arm, {q.size(), dq.size()});
  const std::size_t n = arm.size();
  internal::place_links(arm, q, workspace);
  internal::move_links(arm, Motion(), dq, {workspace.zero.data(), n}, workspace);
  C.setZero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  // C = sum of J' (M J' + C_link(nu) J) over the links, J their twists per joint and J' its derivative in time.
  for (std::size_t i = 0; i < n; ++i) {
    const ArmLink& link = arm.links()[i];
    const ArmWorkspace::AtLink& at = workspace.links[i];
    Mat6X& J = workspace.twist_by[i];
    Mat6X& J_dot = workspace.rate_by[i];
    const Vec6 S = internal::joint_axis(link);
    const Vec6 own = dq[i] * S;
    for (std::size_t k = 0; k <= i; ++k) {
      if (!arm.carries(k, i)) continue;
      const auto column = static_cast<Eigen::Index>(k);
      if (k == i) {
        J.col(column) = S;
        J_dot.col(column).setZero();
        continue;
      }
      const auto parent = static_cast<std::size_t>(link.parent);
      J.col(column) = internal::to_link(at, workspace.twist_by[parent].col(column));
      J_dot.col(column) = internal::to_link(at, workspace.rate_by[parent].col(column)) -
                          internal::cross_twist(own, J.col(column));
    }
    Vec6 twist;
    twist << at.v, at.w;
    const Mat6 own_coriolis = internal::coriolis_matrix(link.M, twist);
    for (std::size_t k = 0; k <= i; ++k) {
      if (!arm.carries(k, i)) continue;
      const auto column = static_cast<Eigen::Index>(k);
      const Vec6 wrench = link.M * J_dot.col(column) + own_coriolis * J.col(column);
      for (std::size_t j = 0; j <= i; ++j)
        if (arm.carries(j, i))
          C(static_cast<Eigen::Index>(j), column) += J.col(static_cast<Eigen::Index>(j)).dot(wrench);
    }
  }
}

}  // namespace fathom::dynamics
