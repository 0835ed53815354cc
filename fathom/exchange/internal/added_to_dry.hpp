#pragma once
#include <Eigen/Eigenvalues>

#include "fathom/model/robot.hpp"

namespace fathom::exchange::internal {

/// The spectral radius of M_rb^-1 M_a: the largest ratio of added to dry inertia over all directions. It
/// decides whether a simulator that takes added mass from the acceleration of the step before is stable.
inline double added_to_dry(const model::Hull& hull) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> ratios(
      hull.added_mass.value, model::rigid_body_inertia(hull), Eigen::EigenvaluesOnly);
  return ratios.eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace fathom::exchange::internal
