#pragma once
#include "fathom/geometry/types.hpp"

namespace fathom {

/// Eigenvalues of a symmetric matrix in ascending order, and its eigenvectors as columns; only the lower
/// triangle is read. Here once, because each instance of Eigen's solver costs seconds to compile.
Vec3 symmetric_eigenvalues(const Mat3& m, Mat3* vectors = nullptr);
Vec6 symmetric_eigenvalues(const Mat6& m, Mat6* vectors = nullptr);
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& m);

/// Moore and Penrose's, by a complete orthogonal decomposition.
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& m);

}  // namespace fathom
