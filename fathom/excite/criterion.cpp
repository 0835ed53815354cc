#include "fathom/excite/criterion.hpp"

#include <cmath>

#include "fathom/base/constants.hpp"

namespace fathom::excite {

CriterionFunction::CriterionFunction(Criterion criterion, Eigen::VectorXd scale, Eigen::VectorXd prior)
    : criterion_(criterion), scale_(std::move(scale)), prior_(std::move(prior)), condition_(scale_.size()) {
  const Eigen::Index n = scale_.size();
  scaled_.resize(n, n);
  inverse_.resize(n, n);
  cholesky_ = Eigen::LLT<Eigen::MatrixXd>(n);
}

double CriterionFunction::evaluate(const Eigen::MatrixXd& G, Eigen::MatrixXd& W) {
  if (criterion_ == Criterion::condition) return condition_.evaluate(G, W);
  const auto n = static_cast<double>(G.rows());
  scaled_ = G;
  scaled_.diagonal() += prior_;
  scaled_.array().colwise() *= scale_.array();
  scaled_.array().rowwise() *= scale_.transpose().array();
  cholesky_.compute(scaled_);
  if (cholesky_.info() != Eigen::Success) return infinity;
  inverse_.setIdentity();
  cholesky_.solveInPlace(inverse_);
  double value = 0;
  switch (criterion_) {
    case Criterion::a_optimal: {
      const double trace = inverse_.trace();
      W.noalias() = inverse_.selfadjointView<Eigen::Lower>() * inverse_;
      W *= -1 / trace;
      value = std::log(trace);
      break;
    }
    case Criterion::d_optimal:
      W = inverse_ * (-1.0 / n);
      value = -2 * cholesky_.matrixLLT().diagonal().array().log().sum() / n;
      break;
    case Criterion::condition: break;  // above
  }
  W.array().colwise() *= scale_.array();
  W.array().rowwise() *= scale_.transpose().array();
  return value;
}

}  // namespace fathom::excite
