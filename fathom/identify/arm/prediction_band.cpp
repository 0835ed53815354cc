#include <algorithm>
#include <cmath>

#include "fathom/identify/arm/internal/arm_rows.hpp"
#include "fathom/identify/arm/internal/block_jackknife.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

/// Variances of predicted efforts by the estimate's covariance.
Eigen::VectorXd spread_of_rows(const Eigen::MatrixXd& A, const Eigen::MatrixXd& covariance) {
  return (A * covariance).cwiseProduct(A).rowwise().sum().cwiseMax(0.0);
}

}  // namespace

Eigen::VectorXd internal::band_factors(const ArmFit& fit, const ArmRows& rows, const Eigen::VectorXd& shift) {
  const Eigen::VectorXd residuals = rows.y - rows.A * fit.estimate.values() + shift;
  const Eigen::VectorXd spread = spread_of_rows(rows.A, fit.estimate.covariance());
  Eigen::VectorXd factors = Eigen::VectorXd::Constant(fit.joint_sigma.size(), 2);
  for (Index j = 0; j < factors.size(); ++j) {
    std::vector<double> ratios;
    const double sigma = fit.joint_sigma[j];
    for (Index k = 0; k < residuals.size(); ++k)
      if (rows.joint[static_cast<std::size_t>(k)] == j)
        ratios.push_back(std::abs(residuals[k]) / std::sqrt(sigma * sigma + spread[k]));
    if (ratios.size() < 40) continue;
    const auto at = static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(ratios.size()));
    std::nth_element(ratios.begin(), ratios.begin() + at, ratios.end());
    factors[j] = ratios[static_cast<std::size_t>(at)];
  }
  return factors;
}

Eigen::MatrixXd half_band(const ArmFit& fit, const ArmRun& run) {
  Eigen::MatrixXd half(run.samples(), run.q.cols());
  const std::vector<Index> kept(fit.base.kept.begin(), fit.base.kept.end());
  const Eigen::MatrixXd& covariance = fit.estimate.covariance();
  internal::visit_samples(
      internal::regressor_of(fit.arm, fit.options), fit.options, run,
      [&](Index k, const Eigen::MatrixXd& Y, const Eigen::VectorXd&) {
        const Eigen::MatrixXd A = Y(Eigen::all, kept);
        half.row(k) =
            fit.band_factor
                .cwiseProduct((fit.joint_sigma.cwiseAbs2() + spread_of_rows(A, covariance)).cwiseSqrt())
                .transpose();
      });
  return half;
}

std::vector<BandScore> score_band(const ArmFit& fit, const ArmRun& run) {
  const Eigen::MatrixXd predicted = predict(fit, run), half = half_band(fit, run);
  std::vector<BandScore> scores(fit.arm.size());
  for (Index j = 0; j < run.q.cols(); ++j) {
    BandScore& score = scores[static_cast<std::size_t>(j)];
    double samples = 0, inside = 0, sum = 0;
    for (Index k = 0; k < run.samples(); ++k) {
      if (is_at_rest(fit.arm, fit.options, static_cast<std::size_t>(j), run.q(k, j), run.dq(k, j))) continue;
      ++samples;
      sum += half(k, j);
      inside += std::abs(run.effort(k, j) - predicted(k, j)) <= half(k, j);
    }
    if (samples > 0) score = {sum / samples, inside / samples};
  }
  return scores;
}

}  // namespace fathom::identify
