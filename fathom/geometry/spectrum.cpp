#include "fathom/geometry/spectrum.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace fathom {
namespace {

template <class Values, class Vectors>
Values eigenvalues(const Eigen::MatrixXd& m, Vectors* vectors) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      m, vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (vectors) *vectors = solver.eigenvectors();
  return solver.eigenvalues();
}

}  // namespace

Vec3 symmetric_eigenvalues(const Mat3& m, Mat3* vectors) { return eigenvalues<Vec3>(m, vectors); }

Vec6 symmetric_eigenvalues(const Mat6& m, Mat6* vectors) { return eigenvalues<Vec6>(m, vectors); }

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& m) {
  return eigenvalues<Eigen::VectorXd, Eigen::MatrixXd>(m, nullptr);
}

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& m) {
  return Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(m).pseudoInverse();
}

}  // namespace fathom
