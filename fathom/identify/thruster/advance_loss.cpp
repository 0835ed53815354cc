#include "fathom/identify/thruster/advance_loss.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/identify/metrics.hpp"
#include "fathom/solve/least_squares.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::size_t fewest_towed_points = 6;
constexpr double least_contrast = 1e-3;  // of singular values: below it, columns are in proportion

solve::LinearFit fit_columns(const Eigen::MatrixXd& A, const VectorXd& thrust) {
  solve::Rows rows(A.cols());
  rows.add(A, thrust);
  return solve::ordinary(rows, least_contrast);
}

void check_points(const std::vector<TowedPoint>& points) {
  if (points.size() < fewest_towed_points)
    reject("towing table",
           fmt::format("has {} points, must have {} or more", points.size(), fewest_towed_points),
           "several shaft speeds, each at several speeds of the carriage");
  for (const TowedPoint& point : points)
    if (!std::isfinite(point.inflow) || !std::isfinite(point.thrust) || !(point.shaft_speed > 0) ||
        !std::isfinite(point.shaft_speed))
      reject("towing table", "has a point that is not finite, or whose shaft does not turn",
             "leave it out; fit each direction of turning on its own, as magnitudes");
}

}  // namespace

double AdvanceLoss::ww_sigma() const { return std::sqrt(covariance(0, 0)); }
double AdvanceLoss::wu_sigma() const { return std::sqrt(covariance(1, 1)); }

AdvanceLoss::Loss AdvanceLoss::loss(double shaft_speed, double inflow) const {
  const double per_ratio = -inflow / shaft_speed / thrust.ww;  // loss = per_ratio T_wu
  const Eigen::Vector2d slope(-per_ratio * thrust.wu / thrust.ww, per_ratio);
  return {per_ratio * thrust.wu, std::sqrt(slope.dot(covariance * slope))};
}

AdvanceLoss identify_advance_loss(const std::vector<TowedPoint>& points) {
  check_points(points);
  const auto n = static_cast<Index>(points.size());
  Eigen::MatrixXd A(n, 3);
  VectorXd thrust(n);
  for (Index k = 0; k < n; ++k) {
    const TowedPoint& point = points[static_cast<std::size_t>(k)];
    const double w = point.shaft_speed, u = point.inflow;
    A.row(k) << w * w, w * u, u * u;
    thrust[k] = point.thrust;
  }
  const solve::LinearFit fit = fit_columns(A.leftCols(2), thrust), richer = fit_columns(A, thrust);
  if (fit.rank < 2)
    reject("towing table", "has an inflow in proportion to the shaft speed: T_ww and T_wu cannot be told apart",
           "tow at several speeds with the shaft speed kept");
  AdvanceLoss found;
  found.thrust = {fit.x[0], fit.x[1]};
  found.covariance = fit.covariance;
  if (richer.rank == 3) {
    const Eigen::Vector2d moved = richer.x.head(2) - fit.x;
    found.covariance += moved * moved.transpose();
  }
  found.r2 = metrics(thrust, A.leftCols(2) * fit.x).r2;
  found.r2_without_inflow = metrics(thrust, A.leftCols(1) * fit_columns(A.leftCols(1), thrust).x).r2;
  return found;
}

}  // namespace fathom::identify
