#include "fathom/identify/commanded/vehicle_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/geometry/spectrum.hpp"
#include "fathom/identify/commanded/internal/linear_series.hpp"
#include "fathom/solve/simplex_search.hpp"

namespace fathom::identify {

VehicleFit fit_vehicle(const BlurredRuns& runs, const WrenchPath& path, const Vec3& p_bc_b,
                       const Vec6& weights) {
  AccelerationSums sums;
  for (const BlurredRun* run : runs) sums.add(*run, run->rows_at(path.wrench_b(run->run()), p_bc_b));
  VehicleFit fit{sums.fit(), path, p_bc_b};
  fit.unexplained = sums.unexplained(fit.model, p_bc_b);
  for (int i = 0; i < 6; ++i)  // of an axis without weight the log may be that of zero
    if (weights[i] > 0) fit.cost += weights[i] * std::log(fit.unexplained[i]);
  return fit;
}

VehicleFit fit_lag(const BlurredRuns& runs, std::span<const double> lags, const Vec6& weights) {
  if (lags.empty()) reject("lags", "there is none to try");
  VehicleFit best;
  best.cost = infinity;
  for (const double lag : lags) {
    VehicleFit fit = fit_vehicle(runs, {.lag = lag}, Vec3::Zero(), weights);
    if (fit.cost < best.cost) best = std::move(fit);
  }
  return best;
}

DeadBandPath::Vector DeadBandPath::vector() const {
  return (Vector() << dead_band, yaw_lever, pitch_lever, roll_lever, lag, sensor_x, sensor_z).finished();
}

DeadBandPath DeadBandPath::from(const Eigen::VectorXd& x) { return {x[0], x[1], x[2], x[3], x[4], x[5], x[6]}; }

WrenchPath DeadBandPath::path() const {
  return {vectored_thrusters(yaw_lever, roll_lever, pitch_lever), dead_band, lag};
}

DeadBandPath find_dead_band(const BlurredRuns& runs, const DeadBandOptions& options) {
  constexpr double least = 0.03;  // N and m: below, thrusters would have no arm
  constexpr double usual_roll_lever = 0.3, roll_lever_sigma = 0.15;
  const Eigen::VectorXd start = options.start.vector();
  const auto at = [&](const Eigen::VectorXd& z) {
    return DeadBandPath::from(start + z.cwiseProduct(Eigen::VectorXd(options.scale)));
  };
  const auto cost = [&](const Eigen::VectorXd& z) {
    const DeadBandPath path = at(z);
    if (path.vector().head<4>().minCoeff() < least) return infinity;
    return fit_vehicle(runs, path.path(), path.p_bc_b(), options.weights).cost +
           options.roll_lever_weight * std::pow((path.roll_lever - usual_roll_lever) / roll_lever_sigma, 2);
  };
  const Eigen::Index n = start.size();
  Eigen::MatrixXd corners(n, n + 1);
  corners << Eigen::VectorXd::Zero(n), Eigen::MatrixXd::Identity(n, n);
  return at(
      solve::simplex_search(cost, corners,
                            {.evaluations = options.evaluations, .x_tolerance = 0.03, .value_tolerance = 1e-3})
          .x);
}

Mat6X WrenchPath::wrench_b(const CommandedRun& run) const {
  if (!(dead_band >= 0)) reject("dead_band", fmt::format("= {} N, must be >= 0", dead_band));
  const auto late = [&](const Mat6X& tau_b) -> Mat6X {
    return internal::straight_between(run.command_t, tau_b, run.t0 - lag, run.dt, run.size());
  };
  if (B.cols() == 0) return late(run.commands);
  const Eigen::MatrixXd inverse = pseudo_inverse(B);
  Eigen::MatrixXd forces = inverse * run.commands;
  for (double& force : forces.reshaped())
    force = std::copysign(std::max(std::abs(force) - dead_band, 0.0), force);
  return late(B * forces);
}

Mat6X vectored_thrusters(double yaw_lever, double roll_lever, double pitch_lever) {
  const double c = std::numbers::sqrt2 / 2;
  Mat6X B = Mat6X::Zero(6, 8);
  Eigen::Index k = 0;
  for (const double side : {-1.0, 1.0})
    for (const double yaw : {-1.0, 1.0}) B.col(k++) << c, side * c, 0, 0, 0, yaw * yaw_lever;
  for (const double roll : {-1.0, 1.0})
    for (const double pitch : {-1.0, 1.0}) B.col(k++) << 0, 0, 1, roll * roll_lever, pitch * pitch_lever, 0;
  return B;
}

}  // namespace fathom::identify
