#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/identify/thruster/thruster_dynamics.hpp"
#include "fathom/solve/least_squares.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index fewest_steady_points = 3;

struct SteadySeries {
  VectorXd volts, thrust, speed;  // magnitudes
};

SteadySeries side_of(const std::vector<SteadyPoint>& points, double sign) {
  std::vector<SteadyPoint> side;
  for (const SteadyPoint& point : points) {
    if (!std::isfinite(point.volts) || !std::isfinite(point.thrust) || !std::isfinite(point.speed))
      reject("steady table", "has a number that is not finite", "leave the row out");
    if (sign * point.volts > 0) side.push_back(point);
  }
  const auto n = static_cast<Index>(side.size());
  if (n < fewest_steady_points)
    reject("steady table", fmt::format("has {} rows with {} voltage, must have {} or more", n,
                                       sign > 0 ? "positive" : "negative", fewest_steady_points));
  SteadySeries series{VectorXd(n), VectorXd(n), VectorXd(n)};
  for (Index k = 0; k < n; ++k) {
    const SteadyPoint& point = side[static_cast<std::size_t>(k)];
    series.volts[k] = std::abs(point.volts);
    series.thrust[k] = std::abs(point.thrust);
    series.speed[k] = std::abs(point.speed);
  }
  return series;
}

Eigen::MatrixXd powers(const VectorXd& n, const std::vector<int>& exponents) {
  Eigen::MatrixXd A(n.size(), static_cast<Index>(exponents.size()));
  for (Index k = 0; k < A.cols(); ++k) A.col(k) = n.array().pow(exponents[static_cast<std::size_t>(k)]);
  return A;
}

VectorXd fit_powers(const VectorXd& n, const VectorXd& thrust, const std::vector<int>& exponents) {
  solve::Rows rows(static_cast<Index>(exponents.size()));
  rows.add(powers(n, exponents), thrust);
  return solve::ordinary(rows).x;
}

/// Sum of squares of points left out one by one.
double left_out_square(const SteadySeries& side, const std::vector<int>& exponents) {
  double square = 0;
  const Index count = side.speed.size();
  for (Index out = 0; out < count; ++out) {
    std::vector<Index> kept;
    for (Index k = 0; k < count; ++k)
      if (k != out) kept.push_back(k);
    const VectorXd c = fit_powers(side.speed(kept), side.thrust(kept), exponents);
    const VectorXd n = side.speed.segment(out, 1);
    square += std::pow((powers(n, exponents) * c)[0] - side.thrust[out], 2);
  }
  return square;
}

SteadySide fit_steady_side(const SteadySeries& side) {
  Eigen::MatrixX2d A(side.volts.size(), 2);
  A.col(0) = side.volts;
  A.col(1).setOnes();
  solve::Rows rows(2);
  rows.add(A, side.speed);
  const VectorXd line = solve::ordinary(rows).x, c = fit_powers(side.speed, side.thrust, {2, 3});
  if (!(line[0] > 0)) reject("steady table", "has a speed that does not rise with the voltage");
  return {line[0], line[1], c[0], c[1]};
}

}  // namespace

double SteadySide::speed(double volts) const { return std::max(0.0, gain * volts + offset); }

SteadyLaws fit_steady_laws(const std::vector<SteadyPoint>& points) {
  const SteadySeries forward = side_of(points, 1), reverse = side_of(points, -1);
  SteadyLaws laws{fit_steady_side(forward), fit_steady_side(reverse), {}};
  const std::array<std::vector<int>, 3> candidates = {{{2}, {1, 2}, {2, 3}}};
  const auto count = static_cast<double>(forward.speed.size() + reverse.speed.size());
  for (std::size_t k = 0; k < candidates.size(); ++k)
    laws.left_out_error[k] =
        std::sqrt((left_out_square(forward, candidates[k]) + left_out_square(reverse, candidates[k])) / count);
  return laws;
}

}  // namespace fathom::identify
