#pragma once
#include <optional>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include "fathom/excite/aligned.hpp"

namespace fathom::excite {

/// The logarithm of the condition number of a regressor Y as a function of G = Y'Y, the largest and the
/// smallest eigenvalue smoothed by Schatten norms: docs/excitation.md eq. 17. One per thread: it holds scratch
/// memory.
class SmoothCondition {
 public:
  explicit SmoothCondition(Eigen::Index n);

  /// Its derivative by G goes to `W`. Infinite where G is not positive definite. Does not allocate where
  /// `by_powers` gives a value.
  double evaluate(const Eigen::MatrixXd& G, Eigen::MatrixXd& W);
  void set_power(double power);

  /// The two ways to it. Powers of G and of its inverse by repeated squaring take half the time; nothing where
  /// the power is not one of two up to 64, or G nearly singular.
  std::optional<double> by_powers(const Eigen::MatrixXd& G, Eigen::MatrixXd& W);
  double by_eigenvectors(const Eigen::MatrixXd& G, Eigen::MatrixXd& W);

 private:
  /// A matrix row by row, in whole blocks.
  void fill(const Eigen::MatrixXd& A, double factor, AlignedNumbers& to) const;
  /// A = A^power; its trace.
  double raise(AlignedNumbers& A);

  int n_, stride_;
  double power_ = 64;
  int squarings_ = 6;  // 2^squarings is the power, or -1 where none is
  AlignedNumbers high_, low_, inverse_rows_, spare_;
  Eigen::MatrixXd inverse_, vectors_;
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum_;
  Eigen::VectorXd slope_;
  Eigen::ArrayXd high_share_, low_share_;  // (lambda / largest)^power, (smallest / lambda)^power
};

}  // namespace fathom::excite
