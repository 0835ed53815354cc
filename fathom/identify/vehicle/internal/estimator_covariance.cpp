#include "fathom/identify/vehicle/internal/estimator_covariance.hpp"

#include <algorithm>

#include <Eigen/LU>

#include "fathom/identify/vehicle/internal/weighed_rows.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;

/// Sums of an estimator's equations and of their slopes, made in one pass over the rows.
class Sums {
 public:
  Sums(const Score& score, const Eigen::VectorXd& theta, const Regression& regression, const Fit& fit,
       const FitOptions& options)
      : score_(score),
        theta_(theta),
        regression_(regression),
        attitude_sigma_(options.attitude_sigma.value_or(Vec3::Zero())) {
    const Index n = theta.size();
    extra_ = {options.estimate_delay, options.estimate_current};
    const Nuisance& at = fit.nuisance.value;
    nuisances_ = with_currents(at, extra_.current);
    for (const double side : {1, -1}) {
      nuisances_.push_back(at);
      nuisances_.back().split = side;
    }
    for (int axis = 0; axis < 3; ++axis) {
      nuisances_.push_back(at);
      nuisances_.back().attitude_error_b[axis] = attitude_sigma_[axis];
    }
    m.resize(n, regression.samples());
    slope.setZero(n, n);
    by_nuisance.setZero(n, extra_.count());
    by_attitude.setZero(n, 3);
    by_noise.setZero(n);
    if (has_columns()) pull_ = score.column_variance.cwiseProduct(theta) / (1 + columns_square());
    regression.pass(nuisances_, [&](std::span<const RowBlock> blocks) { add(blocks); });
    // Fuller 1987, section 2.2.
    if (has_columns()) {
      slope.diagonal() -= square_ / (1 + columns_square()) * score.column_variance;
      by_noise += square_ * pull_;
    }
    if (!has_split()) by_noise.setZero();
  }

  Eigen::MatrixXd m;            // n x samples
  Eigen::MatrixXd slope;        // -d(sum m)/d theta
  Eigen::MatrixXd by_nuisance;  // d(sum m)/d(delay, current)
  Eigen::MatrixXd by_attitude;  // what one sigma of each angle adds to sum m
  Eigen::VectorXd by_noise;     // what noise in velocities adds to sum m on average

 private:
  bool has_columns() const { return score_.column_variance.size() > 0; }
  double columns_square() const { return score_.column_variance.dot(theta_.cwiseAbs2()); }
  bool has_split() const {
    return std::any_of(regression_.recordings().begin(), regression_.recordings().end(),
                       [](const Recording& r) { return r.nu_split_b.cols() > 0; });
  }

  Eigen::VectorXd scaled_residual(const RowBlock& block, const Eigen::VectorXd& weight) const {
    return weight.cwiseProduct(block.tau - block.Y * theta_);
  }

  void add(std::span<const RowBlock> blocks) {
    const RowBlock& block = blocks.front();
    const Index rows = regression_.rows(), currents = extra_.current ? 2 : 0;
    const Eigen::VectorXd weight = score_.row_scale.cwiseInverse().replicate(block.tau.size() / rows, 1);
    const Eigen::MatrixXd A = weight.asDiagonal() * block.Y;
    const bool instruments = !score_.instruments.empty();
    const Eigen::MatrixXd Z =
        instruments ? Eigen::MatrixXd(weight.asDiagonal() * score_.instruments[number_]) : A;
    ++number_;
    const Eigen::VectorXd r = scaled_residual(block, weight);
    const Eigen::VectorXd inside = (r.array().abs() <= score_.corner).cast<double>();
    const Eigen::MatrixXd ZI = (inside.asDiagonal() * Z).transpose();  // times psi'
    slope.noalias() += ZI * A;
    if (extra_.delay) by_nuisance.col(0) += ZI * weight.cwiseProduct(block.tau_by_delay);
    for (Index axis = 0; axis < currents; ++axis)
      by_nuisance.col((extra_.delay ? 1 : 0) + axis) -=
          ZI * weight.cwiseProduct((blocks[static_cast<std::size_t>(1 + axis)].Y - block.Y) * theta_) /
          current_step;
    const auto split = static_cast<std::size_t>(1 + currents);
    if (!instruments) {
      const Eigen::MatrixXd D = 0.5 * weight.asDiagonal() * (blocks[split].Y - blocks[split + 1].Y);
      by_noise -= D.transpose() * inside.cwiseProduct(D * theta_);
    }
    for (Index axis = 0; axis < 3; ++axis)
      if (attitude_sigma_[axis] > 0)
        by_attitude.col(axis) +=
            ZI * (scaled_residual(blocks[split + 2 + static_cast<std::size_t>(axis)], weight) - r);
    square_ += r.squaredNorm();
    add_moments(block, Z, r);
  }

  void add_moments(const RowBlock& block, const Eigen::MatrixXd& Z, const Eigen::VectorXd& r) {
    const Eigen::VectorXd psi = r.cwiseMax(-score_.corner).cwiseMin(score_.corner);
    const Index rows = regression_.rows();
    for (Index k = 0; k < r.size() / rows; ++k) {
      auto moment = m.col(block.first_sample + k);
      moment.noalias() = Z.middleRows(k * rows, rows).transpose() * psi.segment(k * rows, rows);
      if (has_columns()) moment += r.segment(k * rows, rows).squaredNorm() * pull_;
    }
  }

  const Score& score_;
  const Eigen::VectorXd& theta_;
  const Regression& regression_;
  Vec3 attitude_sigma_;  // rad
  Extra extra_{};
  std::vector<Nuisance> nuisances_;
  Eigen::VectorXd pull_;    // of `total`, per squared residual
  double square_ = 0;       // sum of squared residuals
  std::size_t number_ = 0;  // of the block
};

}  // namespace

Eigen::MatrixXd covariance_of(const Score& score, const Eigen::VectorXd& theta, const Regression& regression,
                              const Fit& fit, const FitOptions& options) {
  const Sums sums(score, theta, regression, fit, options);
  const NuisanceErrors& errors = fit.nuisance_errors;
  Eigen::MatrixXd m = sums.m + sums.by_nuisance * errors.by_sample;
  m.colwise() -= m.rowwise().mean().eval();
  Eigen::MatrixXd covariance =
      solve::sandwich(sums.slope, solve::long_run_covariance(m, fit.residuals.breaks), regression.samples());
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(sums.slope);
  const Eigen::MatrixXd by_nuisance = lu.solve(sums.by_nuisance);
  const Eigen::MatrixXd by_attitude = lu.solve(sums.by_attitude + sums.by_nuisance * errors.attitude);
  const Eigen::VectorXd bias = lu.solve(sums.by_noise);
  covariance += by_nuisance * errors.prior * by_nuisance.transpose() + by_attitude * by_attitude.transpose() +
                bias * bias.transpose() +
                options.thrust_sigma * options.thrust_sigma * theta * theta.transpose();
  return 0.5 * (covariance + covariance.transpose());
}

}  // namespace fathom::identify::internal
