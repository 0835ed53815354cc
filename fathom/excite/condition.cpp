#include "fathom/excite/condition.hpp"

#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/excite/internal/kernel.hpp"

namespace fathom::excite {
namespace {

/// Up to here powers are as exact as eigenvectors, or better (condition_test.cpp); far beyond, the Cholesky
/// factor fails at random, and eigenvalues tell what is singular.
constexpr double most_condition = 1e12;
constexpr int most_squarings = 6;  // traces of powers of a matrix of norm one: 1e-44 for n = 23

}  // namespace

SmoothCondition::SmoothCondition(Eigen::Index n)
    : n_(static_cast<int>(n)),
      stride_((n_ + internal::lanes - 1) / internal::lanes * internal::lanes),
      high_(static_cast<std::size_t>(stride_ * stride_)),
      low_(high_),
      inverse_rows_(high_),
      spare_(high_),
      inverse_(n, n),
      vectors_(n, n),
      cholesky_(n),
      spectrum_(n),
      slope_(n),
      high_share_(n),
      low_share_(n) {}

void SmoothCondition::set_power(double power) {
  power_ = power;
  squarings_ = -1;
  for (int k = 0; k <= most_squarings; ++k)
    if (power == std::ldexp(1.0, k)) squarings_ = k;
}

double SmoothCondition::evaluate(const Eigen::MatrixXd& G, Eigen::MatrixXd& W) {
  const auto value = by_powers(G, W);
  return value ? *value : by_eigenvectors(G, W);
}

void SmoothCondition::fill(const Eigen::MatrixXd& A, double factor, AlignedNumbers& to) const {
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < n_; ++j) to[static_cast<std::size_t>(i * stride_ + j)] = factor * A(j, i);
}

double SmoothCondition::raise(AlignedNumbers& A) {
  for (int k = 0; k < squarings_; ++k) {
    internal::kernel().multiply(A.data(), A.data(), n_, stride_, spare_.data());
    A.swap(spare_);
  }
  double trace = 0;
  for (int i = 0; i < n_; ++i) trace += A[static_cast<std::size_t>(i * stride_ + i)];
  return trace;
}

/// With H = G^-1 and P = power, the sum of P-th powers of eigenvalues is tr G^P, and its derivative by G is
/// P G^P H; likewise tr H^P and -P H^P H.
std::optional<double> SmoothCondition::by_powers(const Eigen::MatrixXd& G, Eigen::MatrixXd& W) {
  if (squarings_ < 0) return {};
  cholesky_.compute(G);
  if (cholesky_.info() != Eigen::Success) return {};
  inverse_.setIdentity();
  cholesky_.solveInPlace(inverse_);
  const double high_norm = G.norm(), low_norm = inverse_.norm();
  if (!(high_norm * low_norm < most_condition)) return {};
  fill(G, 1 / high_norm, high_);
  fill(inverse_, 1 / low_norm, low_);
  inverse_rows_ = low_;
  const double high = raise(high_), low = raise(low_);
  for (std::size_t k = 0; k < high_.size(); ++k) high_[k] = high_[k] / high - low_[k] / low;
  internal::kernel().multiply(high_.data(), inverse_rows_.data(), n_, stride_, spare_.data());
  for (int j = 0; j < n_; ++j)
    for (int i = 0; i < n_; ++i) W(i, j) = 0.5 * low_norm * spare_[static_cast<std::size_t>(j * stride_ + i)];
  return 0.5 * (std::log(high_norm * low_norm) + (std::log(high) + std::log(low)) / power_);
}

double SmoothCondition::by_eigenvectors(const Eigen::MatrixXd& G, Eigen::MatrixXd& W) {
  spectrum_.compute(G);
  const auto& lambda = spectrum_.eigenvalues();
  const Eigen::Index n = lambda.size();
  if (spectrum_.info() != Eigen::Success || !(lambda[0] > 1e-15 * lambda[n - 1])) return infinity;
  double high = 0, low = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    high += high_share_[i] = std::pow(lambda[i] / lambda[n - 1], power_);
    low += low_share_[i] = std::pow(lambda[0] / lambda[i], power_);
  }
  slope_ = 0.5 * ((high_share_ / high - low_share_ / low) / lambda.array()).matrix();
  vectors_ = spectrum_.eigenvectors() * slope_.asDiagonal();
  W.noalias() = vectors_ * spectrum_.eigenvectors().transpose();
  return 0.5 * (std::log(lambda[n - 1] / lambda[0]) + (std::log(high) + std::log(low)) / power_);
}

}  // namespace fathom::excite
