#include "fathom/excite/marginal.hpp"

namespace fathom::excite {

Marginal::Marginal(Eigen::Index n, Eigen::Index m)
    : n_(n),
      m_(m),
      known_(m, m),
      gain_(m, n),
      left_(m, n),
      whole_(n + m, n + m),
      reduced_(n, n),
      cholesky_(m) {}

const Eigen::MatrixXd& Marginal::reduce(const Eigen::MatrixXd& G) {
  known_ = G.bottomRightCorner(m_, m_);
  known_.diagonal().array() += 1;
  cholesky_.compute(known_);  // at least the unit matrix
  gain_ = G.bottomLeftCorner(m_, n_);
  cholesky_.solveInPlace(gain_);
  reduced_ = G.topLeftCorner(n_, n_);
  reduced_.noalias() -= G.topRightCorner(n_, m_) * gain_;
  whole_.topLeftCorner(n_, n_) = reduced_.transpose();
  reduced_ = 0.5 * (reduced_ + whole_.topLeftCorner(n_, n_));  // of the same bits on both sides
  return reduced_;
}

const Eigen::MatrixXd& Marginal::expand(const Eigen::MatrixXd& W) {
  whole_.topLeftCorner(n_, n_) = W;
  left_.noalias() = gain_ * W;
  whole_.bottomLeftCorner(m_, n_) = -left_;
  whole_.topRightCorner(n_, m_) = -left_.transpose();
  whole_.bottomRightCorner(m_, m_).noalias() = left_ * gain_.transpose();
  return whole_;
}

}  // namespace fathom::excite
