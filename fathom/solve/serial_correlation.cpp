#include "fathom/solve/serial_correlation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/solve/internal/incomplete_gamma.hpp"

namespace fathom::solve {
namespace {

constexpr double sokal_window = 5;   // half integral times: exp(-5) of an exponential is left out
constexpr double least_window = 10;  // lags: where signs alternate, the first ones alone mislead

/// About the mean, over its norm; zero where constant.
Eigen::VectorXd unit_deviations(const Eigen::Ref<const Eigen::VectorXd>& series) {
  if (series.size() == 0 || !series.allFinite())
    reject("series", fmt::format("has {} numbers, must have some, all finite", series.size()));
  const Eigen::VectorXd deviations = series.array() - series.mean();
  // What rounding leaves of a constant is no signal.
  const bool is_constant = deviations.lpNorm<Eigen::Infinity>() <= 1e-14 * series.lpNorm<Eigen::Infinity>();
  return is_constant ? Eigen::VectorXd::Zero(series.size()) : Eigen::VectorXd(deviations.normalized());
}

double at_lag(const Eigen::VectorXd& unit, Eigen::Index lag) {
  const Eigen::Index pairs = unit.size() - lag;
  return unit.head(pairs).dot(unit.tail(pairs));
}

/// Sokal 1997, section 3: the least window of `sokal_window` times the half integral time within it.
double time_of(const Eigen::VectorXd& unit) {
  double time = 1;
  for (Eigen::Index lag = 1; lag <= unit.size() / 2; ++lag) {
    time += 2 * at_lag(unit, lag);
    if (static_cast<double>(lag) >= std::max(sokal_window * time / 2, least_window)) break;
  }
  return std::max(time, 0.0);
}

}  // namespace

Eigen::VectorXd autocorrelation(const Eigen::Ref<const Eigen::VectorXd>& series, int most_lag) {
  if (most_lag < 0 || most_lag >= series.size())
    reject("most_lag", fmt::format("= {}, must be 0 to {}", most_lag, series.size() - 1));
  const Eigen::VectorXd unit = unit_deviations(series);
  Eigen::VectorXd r(most_lag + 1);
  r[0] = 1;
  for (int lag = 1; lag <= most_lag; ++lag) r[lag] = at_lag(unit, lag);
  return r;
}

double integral_time(const Eigen::Ref<const Eigen::VectorXd>& series) {
  return time_of(unit_deviations(series));
}

Whiteness whiteness(const Eigen::Ref<const Eigen::VectorXd>& series, int lags) {
  if (lags < 1 || lags >= series.size())
    reject("lags", fmt::format("= {}, must be 1 to {}", lags, series.size() - 1));
  const Eigen::VectorXd unit = unit_deviations(series);
  const double n = static_cast<double>(series.size());
  Whiteness result;
  result.lags = lags;
  for (int lag = 1; lag <= lags; ++lag) {
    const double r = at_lag(unit, lag);
    result.statistic += n * (n + 2) * r * r / (n - lag);
  }
  result.probability = internal::chi_square_tail(result.statistic, lags);
  result.integral_time = time_of(unit);
  return result;
}

}  // namespace fathom::solve
