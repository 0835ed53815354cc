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
Eigen::MatrixXd blurred_residuals(const dynamics::Vehicle& vehicle, const Recording& recording, double delay,
                                  const Vec3& current_n, double blur) {
  const WrenchResiduals residuals = residuals_of(vehicle, recording, {.delay = delay, .current_n = current_n});
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

}  // namespace

std::optional<CurrentFit> fit_current(const dynamics::Vehicle& vehicle, const Recording& recording,
                                      double delay, const std::optional<ResidualStatistics>& residual,
                                      const CurrentFitOptions& options) {
  constexpr int rounds = 4;
  constexpr double step = 1e-3;  // m/s
  const auto ranges = usable_ranges(recording.usable);
  if (ranges.empty()) return std::nullopt;
  CurrentFit out;
  const Index first = ranges.front().first, end = ranges.back().end;
  out.until = first + static_cast<Index>(options.share * static_cast<double>(end - first));
  const auto used = std::count(recording.usable.begin() + first, recording.usable.begin() + out.until, 1);
  if (static_cast<double>(used) * recording.track.dt < options.shortest) return std::nullopt;
  const Recording beginning = beginning_of(recording, out.until);
  const auto free = model::free_indices(vehicle.dof());
  const std::vector<int> axes(free.begin(), free.end());
  const double prior = 1 / (options.sigma * options.sigma);
  for (int round = 0; round < rounds; ++round) {
    const Eigen::MatrixXd r = blurred_residuals(vehicle, beginning, delay, out.current_n, options.blur);
    if (r.cols() == 0) return std::nullopt;
    const Eigen::VectorXd weight = variances(r, axes, options.blur, residual).cwiseInverse();
    Eigen::Matrix2d H = prior * Eigen::Matrix2d::Identity();
    Eigen::Vector2d g = -prior * out.current_n.head<2>();
    std::array<Eigen::MatrixXd, 2> slope;
    for (int axis = 0; axis < 2; ++axis) {
      Vec3 moved = out.current_n;
      moved[axis] += step;
      slope[static_cast<std::size_t>(axis)] =
          (blurred_residuals(vehicle, beginning, delay, moved, options.blur) - r) / step;
    }
    for (int a = 0; a < 2; ++a) {
      const Eigen::MatrixXd weighed = weight.asDiagonal() * slope[static_cast<std::size_t>(a)];
      g[a] -= weighed.cwiseProduct(r).sum();
      for (int b = 0; b < 2; ++b) H(a, b) += weighed.cwiseProduct(slope[static_cast<std::size_t>(b)]).sum();
    }
    out.current_n.head<2>() += H.ldlt().solve(g);
    out.covariance = H.inverse();
  }
  if (!out.current_n.allFinite()) return std::nullopt;
  return out;
}

}  // namespace fathom::identify
