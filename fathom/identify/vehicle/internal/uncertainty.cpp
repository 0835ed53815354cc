#include "fathom/identify/vehicle/internal/uncertainty.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "fathom/base/constants.hpp"

namespace fathom::identify::internal {

Eigen::MatrixXd inverse_root(const Eigen::MatrixXd& H) {
  const Eigen::VectorXd scale = H.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      Eigen::MatrixXd(scale.asDiagonal() * H * scale.asDiagonal()));
  Eigen::VectorXd values = eigen.eigenvalues();
  const double least = values.maxCoeff() * 1e-13;
  for (double& value : values) value = 1 / std::sqrt(std::max(value, least));
  return scale.asDiagonal() * eigen.eigenvectors() * values.asDiagonal();
}

Eigen::MatrixXd square_of(const Eigen::MatrixXd& root) {
  Eigen::MatrixXd square = Eigen::MatrixXd::Zero(root.rows(), root.rows());
  square.selfadjointView<Eigen::Lower>().rankUpdate(root);
  return square.selfadjointView<Eigen::Lower>();
}

Eigen::MatrixXd root_of(const Eigen::MatrixXd& S) {
  if (S.size() == 0) return S;
  const Eigen::VectorXd scale = S.diagonal().cwiseMax(1e-300).cwiseSqrt();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      Eigen::MatrixXd(scale.cwiseInverse().asDiagonal() * S * scale.cwiseInverse().asDiagonal()));
  return scale.asDiagonal() * eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
}

Eigen::MatrixXd sandwich_of(const Eigen::MatrixXd& H_inverse_root, const Eigen::MatrixXd& S) {
  return square_of(H_inverse_root * (H_inverse_root.transpose() * root_of(S)));
}

Eigen::MatrixXd scaled_inverse(const Eigen::MatrixXd& H) { return square_of(inverse_root(H)); }

std::vector<std::size_t> hausman_test(const Eigen::VectorXd& other, const Eigen::MatrixXd& other_covariance,
                                      const Eigen::VectorXd& theta, Eigen::MatrixXd& covariance) {
  std::vector<std::size_t> inconsistent;
  const Eigen::Index n = theta.size();
  if (other_covariance.rows() != n) return inconsistent;
  Eigen::VectorXd difference = theta - other;
  for (Eigen::Index k = 0; k < n; ++k) {
    const double limit = sigmas_of_95 * std::sqrt(std::max(covariance(k, k), other_covariance(k, k)));
    if (std::abs(difference[k]) > limit)
      inconsistent.push_back(static_cast<std::size_t>(k));
    else
      difference[k] = 0;
  }
  covariance += difference * difference.transpose();
  return inconsistent;
}

namespace {

/// sigma times the slope of the estimate between two values of what makes the wrench.
template <class Wrench>
Eigen::VectorXd moved_between(const std::vector<Recording>& recordings, double low, double high, double sigma,
                              const Wrench& wrench,
                              const std::function<Eigen::VectorXd(const std::vector<Recording>&)>& estimate) {
  std::vector<Recording> other = recordings;
  const auto at = [&](double value) {
    for (std::size_t k = 0; k < other.size(); ++k) other[k].tau_b = wrench(recordings[k], value);
    return estimate(other);
  };
  const Eigen::VectorXd above = at(high), below = at(low);
  return sigma * (above - below) / (high - low);
}

}  // namespace

Eigen::VectorXd moved_by_dead_band(
    const std::vector<Recording>& recordings, double dead_band, double sigma,
    const std::function<Eigen::VectorXd(const std::vector<Recording>&)>& estimate) {
  return moved_between(
      recordings, std::max(0.0, dead_band - sigma), dead_band + sigma, sigma,
      [](const Recording& one, double band) { return wrench_beyond(one, band); }, estimate);
}

Eigen::VectorXd moved_by_saturation(
    const std::vector<Recording>& recordings, double dead_band, double saturation, double sigma,
    const std::function<Eigen::VectorXd(const std::vector<Recording>&)>& estimate) {
  return moved_between(
      recordings, std::max(0.5 * saturation, saturation - sigma), saturation + sigma, sigma,
      [&](const Recording& one, double most) { return wrench_beyond(one, dead_band, most); }, estimate);
}

}  // namespace fathom::identify::internal
