#pragma once
#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace fathom::excite {

/// What is left of the information on the first n of n + m parameters when the last m, each with a prior of
/// sigma 1, are not known: docs/excitation.md eq. 28. One per thread: it holds scratch memory.
class Marginal {
 public:
  Marginal(Eigen::Index n, Eigen::Index m);

  /// The n x n Schur complement of G, (n + m) x (n + m). Does not allocate.
  const Eigen::MatrixXd& reduce(const Eigen::MatrixXd& G);
  /// The derivative by the G that was last reduced of a number whose derivative by its complement is W.
  const Eigen::MatrixXd& expand(const Eigen::MatrixXd& W);

 private:
  Eigen::Index n_, m_;
  Eigen::MatrixXd known_, gain_, left_, whole_;  // gain_: (G_ee + 1)^-1 G_et, m x n
  Eigen::MatrixXd reduced_;
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
};

}  // namespace fathom::excite
