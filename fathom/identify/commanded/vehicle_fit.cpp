#include "fathom/identify/commanded/vehicle_fit.hpp"

#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
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

}  // namespace fathom::identify
