#include "fathom/assembly/udwadia_kalaba.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include "fathom/geometry/rotation.hpp"

namespace fathom::assembly {
namespace {

/// What one body adds to the six rows of a link: sign + for the first, - for the second.
void add_body(const dynamics::State& state, const Vec3& point_n, double sign, Eigen::Ref<Mat6> Phi,
              Eigen::Ref<Vec6> b) {
  const Mat3 R_nb = state.q_nb.toRotationMatrix();
  const Vec3 arm_n = point_n - state.p_nb_n;
  const Vec3 v_n = R_nb * state.nu_b.head<3>(), omega_n = R_nb * state.nu_b.tail<3>();
  // Nielsen 2019, eq. 3.61 with the rotation that its angular columns lack; docs/assemblies.md eq. 2.
  Phi.topLeftCorner<3, 3>() = sign * R_nb;
  Phi.topRightCorner<3, 3>() = -sign * skew(arm_n) * R_nb;
  // In place of eq. 3.68: angular velocities are equal in the world, so their rates are; docs/assemblies.md
  // eq. 4.
  Phi.bottomLeftCorner<3, 3>().setZero();
  Phi.bottomRightCorner<3, 3>() = sign * R_nb;
  b.head<3>() -= sign * omega_n.cross(v_n + omega_n.cross(arm_n));  // eq. 3.62
}

Mat6 inverse_root(const Mat6& M) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(Eigen::MatrixXd(0.5 * (M + M.transpose())))
      .operatorInverseSqrt();
}

}  // namespace

ConstraintRows rigid_rows(std::span<const dynamics::State> states, std::span<const Link> links) {
  const auto rows = static_cast<Eigen::Index>(6 * links.size()),
             columns = static_cast<Eigen::Index>(6 * states.size());
  ConstraintRows result{Eigen::MatrixXd::Zero(rows, columns), Eigen::VectorXd::Zero(rows)};
  for (std::size_t k = 0; k < links.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(6 * k);
    const dynamics::State& a = states[links[k].a];
    const Vec3 point_n = a.p_nb_n + a.q_nb * links[k].frame_a.p_pc_p;
    const auto add = [&](std::size_t body, double sign) {
      add_body(states[body], point_n, sign, result.Phi.block<6, 6>(row, static_cast<Eigen::Index>(6 * body)),
               result.b.segment<6>(row));
    };
    add(links[k].a, 1);
    add(links[k].b, -1);
  }
  return result;
}

ConstrainedMotion udwadia_kalaba(std::span<const Mat6> M, std::span<const Vec6> unconstrained,
                                 const ConstraintRows& rows) {
  const auto n = static_cast<Eigen::Index>(6 * M.size());
  if (rows.Phi.rows() == 0)
    return {{unconstrained.begin(), unconstrained.end()}, std::vector<Vec6>(M.size(), Vec6::Zero()), {}};
  Eigen::VectorXd free(n);
  Eigen::MatrixXd root = Eigen::MatrixXd::Zero(n, n), scaled(rows.Phi.rows(), n);
  for (Eigen::Index at = 0; at < n; at += 6) {
    const auto i = static_cast<std::size_t>(at / 6);
    free.segment<6>(at) = unconstrained[i];
    root.block<6, 6>(at, at) = inverse_root(M[i]);
    scaled.middleCols<6>(at) = rows.Phi.middleCols<6>(at) * root.block<6, 6>(at, at);
  }
  const Eigen::VectorXd error =
      scaled.completeOrthogonalDecomposition().solve(Eigen::VectorXd(rows.b - rows.Phi * free));  // eq. 3.49
  const Eigen::VectorXd nu_dot = free + root * error;
  ConstrainedMotion motion;
  Eigen::VectorXd force(n);
  for (Eigen::Index at = 0; at < n; at += 6) {
    const auto i = static_cast<std::size_t>(at / 6);
    motion.nu_dot.push_back(nu_dot.segment<6>(at));
    motion.force.push_back(M[i] * (motion.nu_dot.back() - unconstrained[i]));
    force.segment<6>(at) = motion.force.back();
  }
  motion.multipliers = Eigen::MatrixXd(rows.Phi.transpose()).completeOrthogonalDecomposition().solve(force);
  return motion;
}

}  // namespace fathom::assembly
