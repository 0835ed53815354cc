#include "fathom/excite/criterion.hpp"

#include <cmath>
#include <limits>

namespace fathom::excite {

CriterionFunction::CriterionFunction(Criterion criterion, Eigen::VectorXd scale, Eigen::VectorXd prior)
    : criterion_(criterion), scale_(std::move(scale)), prior_(std::move(prior)) {
  const Eigen::Index n = scale_.size();
  scaled_.resize(n, n);
  inverse_.resize(n, n);
  vectors_.resize(n, n);
  slope_.resize(n);
  high_.resize(n);
  low_.resize(n);
  cholesky_ = Eigen::LLT<Eigen::MatrixXd>(n);
  spectrum_ = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(n);
}

double CriterionFunction::evaluate(const Eigen::MatrixXd& G, Eigen::MatrixXd& W) {
  if (criterion_ == Criterion::condition) return condition(G, W);
  const Eigen::Index n = G.rows();
  scaled_ = G;
  scaled_.diagonal() += prior_;
  scaled_.array().colwise() *= scale_.array();
  scaled_.array().rowwise() *= scale_.transpose().array();
  cholesky_.compute(scaled_);
  if (cholesky_.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
  inverse_.setIdentity();
  cholesky_.solveInPlace(inverse_);
  double value = 0;
  if (criterion_ == Criterion::a_optimal) {
    const double trace = inverse_.trace();
    W.noalias() = inverse_.selfadjointView<Eigen::Lower>() * inverse_;
    W *= -1 / trace;
    value = std::log(trace);
  } else {
    W = inverse_ * (-1.0 / static_cast<double>(n));
    value = -2 * cholesky_.matrixLLT().diagonal().array().log().sum() / static_cast<double>(n);
  }
  W.array().colwise() *= scale_.array();
  W.array().rowwise() *= scale_.transpose().array();
  return value;
}

double CriterionFunction::condition(const Eigen::MatrixXd& G, Eigen::MatrixXd& W) {
  spectrum_.compute(G);
  const auto& lambda = spectrum_.eigenvalues();
  const Eigen::Index n = lambda.size();
  if (spectrum_.info() != Eigen::Success || !(lambda[0] > 1e-15 * lambda[n - 1]))
    return std::numeric_limits<double>::infinity();
  double high = 0, low = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    high += high_[i] = std::pow(lambda[i] / lambda[n - 1], power_);
    low += low_[i] = std::pow(lambda[0] / lambda[i], power_);
  }
  slope_ = 0.5 * ((high_ / high - low_ / low) / lambda.array()).matrix();
  vectors_ = spectrum_.eigenvectors() * slope_.asDiagonal();
  W.noalias() = vectors_ * spectrum_.eigenvectors().transpose();
  return 0.5 * (std::log(lambda[n - 1] / lambda[0]) + (std::log(high) + std::log(low)) / power_);
}

}  // namespace fathom::excite
