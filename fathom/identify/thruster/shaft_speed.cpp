#include "fathom/identify/thruster/shaft_speed.hpp"

#include <cmath>
#include <numbers>

#include <Eigen/LU>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/identify/metrics.hpp"
#include "fathom/solve/least_squares.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Series = Eigen::Ref<const VectorXd>;

constexpr Index fewest_speeds = 5;
constexpr double largest_exponent = 4;

void check_lengths(const Series& a, const Series& b, Index fewest) {
  if (a.size() != b.size()) reject("table", fmt::format("has columns of {} and {} rows", a.size(), b.size()));
  if (a.size() < fewest)
    reject("table", fmt::format("has {} rows to fit, must have {} or more", a.size(), fewest),
           "rows in which the shaft turns");
  if (!a.allFinite() || !b.allFinite()) reject("table", "has a number that is not finite", "leave the row out");
}

struct AtExponent {
  double a = 0, c = 0, square = infinity;
};

/// Straight line over x^exponent, of those that a robot file takes (model/thruster_check.cpp): growing with
/// c <= 0, or saturating.
AtExponent line_over_power(const VectorXd& scaled, const Series& speeds, double exponent) {
  if (exponent == 0) return {};
  const Eigen::ArrayXd power = scaled.array().pow(exponent);
  const Eigen::ArrayXd centred = power - power.mean();
  const double a = (centred * speeds.array()).sum() / centred.square().sum();
  const double c = speeds.mean() - a * power.mean();
  const bool grows = exponent > 0 && a > 0 && c <= 0, saturates = exponent < 0 && a < 0 && c > 0;
  if (!grows && !saturates) return {};
  return {a, c, (a * power + c - speeds.array()).square().sum()};
}

/// Square roots of the diagonal of s^2 (J'J)^-1.
Eigen::Vector3d sigmas(const VectorXd& scaled, double exponent, const AtExponent& fit) {
  Eigen::MatrixX3d J(scaled.size(), 3);
  J.col(0) = scaled.array().pow(exponent);
  J.col(1) = fit.a * J.col(0).array() * scaled.array().log();
  J.col(2).setOnes();
  const double variance = fit.square / static_cast<double>(scaled.size() - 3);
  return (variance * (J.transpose() * J).inverse().eval().diagonal()).cwiseSqrt();
}

}  // namespace

ShaftSpeedFit fit_shaft_speed(const Series& x, const Series& speeds, double reference) {
  check_lengths(x, speeds, fewest_speeds);
  if (!(x.minCoeff() > 0 && reference > 0)) reject("table", "has a command at neutral where the shaft turns");
  const VectorXd scaled = x / reference;
  double low = -largest_exponent, high = largest_exponent, exponent = 0;
  AtExponent best;
  for (int round = 0; round < 9; ++round) {
    const int points = round == 0 ? 161 : 21;
    const double step = (high - low) / (points - 1);
    for (int k = 0; k < points; ++k) {
      const double p = low + step * k;
      if (const AtExponent here = line_over_power(scaled, speeds, p); here.square < best.square) {
        best = here;
        exponent = p;
      }
    }
    low = exponent - step;
    high = exponent + step;
  }
  if (!std::isfinite(best.square) || speeds.minCoeff() == speeds.maxCoeff())
    reject("table", "has shaft speeds that do not rise with the command as a |x|^p + c does",
           "speeds as magnitudes, commands counted from neutral");
  ShaftSpeedFit fit;
  fit.shaft = {best.a / std::pow(reference, exponent), exponent, best.c};
  fit.reference = reference;
  fit.a = best.a;
  const Eigen::Vector3d sigma = sigmas(scaled, exponent, best);
  fit.a_sigma = sigma[0];
  fit.exponent_sigma = sigma[1];
  fit.c_sigma = sigma[2];
  const Metrics quality = metrics(speeds, (best.a * scaled.array().pow(exponent) + best.c).matrix());
  fit.r2 = quality.r2;
  fit.rmse = quality.rmse;
  return fit;
}

ThrustOverSpeed fit_thrust_over_speed(const Series& speeds, const Series& forces) {
  check_lengths(speeds, forces, 2);
  solve::Rows rows(1);
  rows.add(speeds.array().square().matrix(), forces);
  const solve::LinearFit fit = solve::ordinary(rows);
  const VectorXd predicted = fit.x[0] * speeds.array().square();
  return {fit.x[0], std::sqrt(fit.covariance(0, 0)), metrics(forces, predicted).r2};
}

MotorConstants fit_motor_constants(const Series& voltages, const Series& speeds, const Series& currents) {
  check_lengths(voltages, speeds, 3);
  check_lengths(voltages, currents, 3);
  Eigen::MatrixX2d A(voltages.size(), 2);
  A << speeds, currents;
  solve::Rows rows(2);
  rows.add(A, voltages);
  const solve::LinearFit fit = solve::ordinary(rows, 1e-6);
  if (fit.rank < 2)
    reject("table", "has currents in proportion to the speeds: k_t and resistance cannot be told apart",
           "rows at several voltages");
  return {fit.x[0], std::sqrt(fit.covariance(0, 0)), fit.x[1], std::sqrt(fit.covariance(1, 1)),
          (A * fit.x - voltages).lpNorm<Eigen::Infinity>()};
}

double shaft_speed_quantum(int poles, double interval) {
  if (poles < 2 || poles % 2 != 0) reject("poles", fmt::format("= {}, must be 2, 4, ..", poles));
  if (!(interval > 0)) reject("interval", fmt::format("= {} s, must be above 0", interval));
  return 2 * std::numbers::pi / (0.5 * poles * interval);
}

double shaft_speed_of_counts(long counts, int poles, double interval) {
  return static_cast<double>(counts) * shaft_speed_quantum(poles, interval);
}

}  // namespace fathom::identify
