#include "fathom/identify/vehicle/internal/scaled_inverse.hpp"

#include <Eigen/Eigenvalues>

namespace fathom::identify::internal {

Eigen::MatrixXd scaled_inverse(const Eigen::MatrixXd& H) {
  const Eigen::VectorXd scale = H.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      Eigen::MatrixXd(scale.asDiagonal() * H * scale.asDiagonal()));
  Eigen::VectorXd values = eigen.eigenvalues();
  const double least = values.maxCoeff() * 1e-13;
  for (double& value : values) value = 1 / std::max(value, least);
  return scale.asDiagonal() * eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose() *
         scale.asDiagonal();
}

}  // namespace fathom::identify::internal
