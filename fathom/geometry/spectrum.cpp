#include "fathom/geometry/spectrum.hpp"

#include <Eigen/Eigenvalues>

namespace fathom {
namespace {

using Solver = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;

}  // namespace

Vec3 symmetric_eigenvalues(const Mat3& m) { return Solver(m, Eigen::EigenvaluesOnly).eigenvalues(); }

Vec6 symmetric_eigenvalues(const Mat6& m, Mat6* vectors) {
  const Solver solver(m, vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (vectors) *vectors = solver.eigenvectors();
  return solver.eigenvalues();
}

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& m) {
  return Solver(m, Eigen::EigenvaluesOnly).eigenvalues();
}

}  // namespace fathom
