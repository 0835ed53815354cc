#pragma once
#include <Eigen/Core>

namespace fathom::solve::internal {

/// Pivots below this, of a matrix scaled to a unit diagonal, are the noise of a Gram matrix.
inline constexpr double flat_pivot = 1e-12;

/// A dense symmetric matrix of a few dozen rows and its Cholesky factor, tile by tile of 4 x 4. Only the lower
/// triangle is used.
class TileCholesky {
 public:
  explicit TileCholesky(Eigen::Index n);

  double* column(Eigen::Index j) { return K_.data() + j * stride_; }
  double& diagonal(Eigen::Index j) { return K_(j, j); }
  void set_zero() { K_.setZero(); }

  /// K = LL'. A pivot that is rounding error, below `least` of its diagonal entry, is made so large that
  /// solutions leave its direction alone. The number of such pivots.
  int factor(double least = 1e-15);
  /// x = K^-1 x
  void solve(Eigen::VectorXd& x);

 private:
  int factor_corner(Eigen::Index j, double least);

  Eigen::Index n_, stride_;  // rows up to a multiple of four; the added ones are those of the identity
  Eigen::MatrixXd K_;
  Eigen::VectorXd diagonal_, per_pivot_, padded_;
};

}  // namespace fathom::solve::internal
