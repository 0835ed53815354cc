#pragma once
#include "fathom/base/random.hpp"
#include "fathom/geometry/pose.hpp"
#include "fathom/geometry/types.hpp"

namespace fathom::test {

/// A matrix or vector of fixed size with standard normal entries.
template <class Matrix>
Matrix random_matrix(RandomStream& random) {
  Matrix m;
  for (Eigen::Index j = 0; j < m.cols(); ++j)
    for (Eigen::Index i = 0; i < m.rows(); ++i) m(i, j) = random.normal();
  return m;
}

/// Uniform over all rotations.
inline Quat random_attitude(RandomStream& random) {
  Quat q;
  q.coeffs() = random_matrix<Eigen::Vector4d>(random);
  return q.normalized();
}

inline Pose random_pose(RandomStream& random) { return {random_attitude(random), random_matrix<Vec3>(random)}; }

/// The largest difference of two matrices.
template <class A, class B>
double distance(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

/// Of two rotations; q and -q are the same.
inline double distance(const Quat& a, const Quat& b) {
  return distance(a.toRotationMatrix(), b.toRotationMatrix());
}

}  // namespace fathom::test
