#include "fathom/identify/vehicle/current_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Cholesky>

#include "fathom/filter/zero_phase.hpp"
#include "fathom/identify/vehicle/wrench_residuals.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

/// Blurred residuals of the usable stretches, free rows only, a column every blur.
Eigen::MatrixXd blurred_residuals(const dynamics::Vehicle& vehicle, const Recording& recording,
                                  const PredictionOptions& options, double blur) {
  const WrenchResiduals residuals = residuals_of(vehicle, recording, options);
  const auto step = std::max<Index>(1, std::lround(blur / recording.track.dt));
  const filter::Gaussian gaussian(blur, recording.track.dt);
  const auto free = model::free_indices(vehicle.dof());
  Eigen::MatrixXd out(static_cast<Index>(free.size()), 0);
  for (const SampleRange& range : usable_ranges(residuals.usable)) {
    if (range.size() <= 2 * gaussian.reach()) continue;
    const Mat6X smooth =
        gaussian.smooth_every(step, Mat6X(residuals.wrench_b.middleCols(range.first, range.size())));
    const Index before = out.cols();
    out.conservativeResize(out.rows(), before + smooth.cols());
    Index row = 0;
    for (const int i : free) out.row(row++).tail(smooth.cols()) = smooth.row(i);
  }
  return out;
}

/// The recording with nothing usable from `until` on.
Recording beginning_of(const Recording& recording, Index until) {
  Recording out = recording;
  std::fill(out.usable.begin() + until, out.usable.end(), 0);
  return out;
}

/// Variance of a row's mean information: as if its residuals were white and as many as are independent.
Eigen::VectorXd variances(const Eigen::MatrixXd& r, std::span<const int> free, double interval,
                          const std::optional<ResidualStatistics>& residual) {
  Eigen::VectorXd out(r.rows());
  for (Index row = 0; row < r.rows(); ++row) {
    const int i = free[static_cast<std::size_t>(row)];
    const double memory = residual ? std::max(1.0, 2 * residual->correlation_time[i] / interval) : 4;
    const double variance = residual && residual->sigma[i] > 0
                                ? residual->sigma[i] * residual->sigma[i]
                                : r.row(row).squaredNorm() / static_cast<double>(r.cols());
    out[row] = std::max(variance * memory, 1e-12);
  }
  return out;
}

/// What the blurred residuals say of the current [m/s] near one: H c = b, without any prior.
struct Information {
  Eigen::Matrix2d H = Eigen::Matrix2d::Zero();
  Eigen::Vector2d b = Eigen::Vector2d::Zero();
};

/// None where nothing is left after the blur.
std::optional<Information> information_at(const dynamics::Vehicle& vehicle, const Recording& recording,
                                          PredictionOptions at, double blur,
                                          const std::optional<ResidualStatistics>& residual) {
  constexpr double step = 1e-3;  // m/s
  const Eigen::MatrixXd r = blurred_residuals(vehicle, recording, at, blur);
  if (r.cols() == 0) return std::nullopt;
  const auto free = model::free_indices(vehicle.dof());
  const Eigen::VectorXd weight =
      variances(r, std::vector<int>(free.begin(), free.end()), blur, residual).cwiseInverse();
  const Eigen::Vector2d current_n = at.current_n.head<2>();
  std::array<Eigen::MatrixXd, 2> slope;
  for (int axis = 0; axis < 2; ++axis) {
    PredictionOptions moved = at;
    moved.current_n[axis] += step;
    slope[static_cast<std::size_t>(axis)] = (blurred_residuals(vehicle, recording, moved, blur) - r) / step;
  }
  Information out;
  for (int a = 0; a < 2; ++a) {
    const Eigen::MatrixXd weighed = weight.asDiagonal() * slope[static_cast<std::size_t>(a)];
    out.b[a] -= weighed.cwiseProduct(r).sum();
    for (int b = 0; b < 2; ++b) out.H(a, b) += weighed.cwiseProduct(slope[static_cast<std::size_t>(b)]).sum();
  }
  out.b += out.H * current_n;
  return out;
}

/// Mean and covariance over the two kinds of water: docs/identification.md eq. 24b.
void mix(const Information& information, const CurrentFitOptions& options, CurrentFit& out) {
  constexpr std::size_t kinds = 2;
  const std::array<double, kinds> sigmas = {options.still_sigma, options.flowing_sigma};
  std::array<Eigen::Matrix2d, kinds> covariance;
  std::array<Eigen::Vector2d, kinds> mean;
  std::array<double, kinds> log_evidence{};
  for (std::size_t k = 0; k < kinds; ++k) {
    const double variance = sigmas[k] * sigmas[k];
    covariance[k] = (information.H + Eigen::Matrix2d::Identity() / variance).inverse();
    mean[k] = covariance[k] * information.b;
    log_evidence[k] =
        0.5 * std::log(covariance[k].determinant()) - std::log(variance) + 0.5 * information.b.dot(mean[k]);
  }
  const double flows = 1 / (1 + std::exp(std::min(log_evidence[0] - log_evidence[1], 700.0)));
  const std::array<double, kinds> weight = {1 - flows, flows};
  out.current_n.head<2>() = weight[0] * mean[0] + weight[1] * mean[1];
  out.covariance.setZero();
  for (std::size_t k = 0; k < kinds; ++k) {
    const Eigen::Vector2d between = mean[k] - out.current_n.head<2>();
    out.covariance += weight[k] * (covariance[k] + between * between.transpose());
  }
}

}  // namespace

CurrentFit assumed_still_water(const CurrentFitOptions& options) {
  CurrentFit out;
  out.covariance.diagonal().setConstant(options.still_sigma * options.still_sigma);
  return out;
}

std::optional<CurrentFit> fit_current(const dynamics::Vehicle& vehicle, const Recording& recording,
                                      double delay, const std::optional<ResidualStatistics>& residual,
                                      const CurrentFitOptions& options) {
  constexpr int most_rounds = 20;
  constexpr double settled = 1e-4;  // m/s
  const auto ranges = usable_ranges(recording.usable);
  if (ranges.empty()) return std::nullopt;
  CurrentFit out;
  const Index first = ranges.front().first, end = ranges.back().end;
  out.until = first + static_cast<Index>(options.share * static_cast<double>(end - first));
  const auto used = std::count(recording.usable.begin() + first, recording.usable.begin() + out.until, 1);
  if (static_cast<double>(used) * recording.track.dt < options.shortest) return std::nullopt;
  const Recording beginning = beginning_of(recording, out.until);
  PredictionOptions at{.delay = delay, .measured_tilt = options.measured_tilt};
  const double wide = 1 / (options.flowing_sigma * options.flowing_sigma);
  Information information;
  for (int round = 0; round < most_rounds; ++round) {
    const auto found = information_at(vehicle, beginning, at, options.blur, residual);
    if (!found) return std::nullopt;
    information = *found;
    const Eigen::Vector2d next =
        (information.H + wide * Eigen::Matrix2d::Identity()).ldlt().solve(information.b);
    const double moved = (next - at.current_n.head<2>()).norm();
    at.current_n.head<2>() = next;
    if (!(moved > settled)) break;
  }
  mix(information, options, out);
  if (!out.current_n.allFinite() || !out.covariance.allFinite()) return std::nullopt;
  return out;
}

}  // namespace fathom::identify
