#include "fathom/identify/vehicle/lag_average.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <Eigen/Cholesky>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/estimators.hpp"
#include "fathom/identify/vehicle/internal/conic_words.hpp"
#include "fathom/identify/vehicle/internal/lag_sums.hpp"
#include "fathom/identify/vehicle/internal/uncertainty.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using internal::LagSums;

constexpr double negligible = 12;       // in the logarithm of a weight
constexpr double first_inflation = 5;   // until the residuals at the best lag say it
constexpr int points_of_search = 9;     // of each narrowing of the range
constexpr int points_of_grid = 16;      // over what is not negligible
constexpr double linear_delay = 0.005;  // s, by which a delay may move without new sums

/// Mean and deviation of a Gaussian cut off below zero, and the logarithm of the share that is left.
struct Truncated {
  double mean, sigma, log_share;
};

Truncated above_zero(double mean, double sigma) {
  const double z = mean / sigma;
  if (z < -8) {  // the tail: nearly exponential
    const double scale = sigma / -z;
    return {scale, scale, -0.5 * z * z - std::log(-z * std::sqrt(2 * std::numbers::pi))};
  }
  const double share = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  const double ratio = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi) / share;
  return {mean + sigma * ratio, sigma * std::sqrt(std::max(0.0, 1 - ratio * (z + ratio))), std::log(share)};
}

/// s, of the prior of a lag that a file states.
double sigma_of(const StatedLag& stated, const LagOptions& options) {
  return stated.sigma.value_or(options.share * stated.time_constant.value_or(0));
}

/// The grid, its weights, and the average over them.
class Average {
 public:
  Average(const Regression& regression, const Fit& fit, const FitOptions& options, const model::Robot& robot,
          const model::Environment& environment, const StatedLag& stated, const ThrusterLag& from,
          const LagOptions& lag_options)
      : sums_(regression, fit, options, robot, environment),
        options_(options),
        lag_options_(lag_options),
        stated_(stated),
        most_delay_(regression.options().most_delay),
        sum_(fit.nuisance.value.delay + from.time_constant) {
    solver_.compute(sums_.gram());
  }

  std::vector<LagComponent> grid(double& inflation) {
    const std::vector<model::ActsOn> kinds = this->kinds();
    std::vector<std::vector<double>> lags;
    if (is_held()) {
      lags.assign(kinds.size(), {held()});
      inflation_ = inflation_at({held(), kinds.front()});
      inflation = inflation_;
      return weighed(kinds, lags);
    }
    std::vector<LagComponent> best;
    std::vector<std::array<double, 2>> ranges;
    for (const model::ActsOn kind : kinds) {
      ranges.push_back(range());
      best.push_back(narrow(kind, ranges.back()));
    }
    const auto likeliest = std::max_element(
        best.begin(), best.end(), [](const auto& a, const auto& b) { return a.log_weight < b.log_weight; });
    if (lag_options_.rough) {
      likeliest->weight = 1;
      return {*likeliest};
    }
    inflation = inflation_ = inflation_at(likeliest->lag);
    std::vector<model::ActsOn> kept;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      // What was negligible before the inflation was known may not be so any more.
      if ((likeliest->log_weight - best[k].log_weight) * first_inflation / inflation_ > negligible) continue;
      kept.push_back(kinds[k]);
      const double widening = std::sqrt(std::max(1.0, inflation_ / first_inflation));
      lags.push_back(points_between(ranges[k], best[k].lag.time_constant, widening));
    }
    return weighed(kept, lags);
  }

  const LagSums& sums() const { return sums_; }
  bool is_held() const { return lag_options_.held || (stated_.sigma && *stated_.sigma == 0); }

 private:
  std::vector<model::ActsOn> kinds() const {
    const bool is_none = is_held() && !(held() > 0);  // without a lag both kinds are one
    if (!stated_.has_kinds || is_none) return {model::ActsOn::force};
    if (stated_.acts_on) return {*stated_.acts_on};
    return {model::ActsOn::force, model::ActsOn::shaft};
  }

  double held() const { return lag_options_.held.value_or(stated_.time_constant.value_or(0)); }
  double stated_sigma() const { return sigma_of(stated_, lag_options_); }

  std::array<double, 2> range() const {
    if (!stated_.time_constant) return {lag_options_.shortest, lag_options_.longest};
    constexpr double sigmas = 5;  // a lag that is stated wrongly should still be found
    const double at = *stated_.time_constant, reach = sigmas * stated_sigma();
    return {std::max({at - reach, 0.1 * at, 1e-3}), at + reach};
  }

  double log_prior(double lag) const {
    if (!stated_.time_constant) return -std::log(lag);
    const double away = (lag - *stated_.time_constant) / stated_sigma();
    return -0.5 * away * away;
  }

  /// Narrows the range to what is not negligible; returns the best.
  LagComponent narrow(model::ActsOn kind, std::array<double, 2>& range) {
    LagComponent best;
    for (int round = 0; round < 4; ++round) {
      std::vector<ThrusterLag> lags;
      // What nothing is known of is looked for by ratios first.
      const bool by_ratio = round == 0 && !stated_.time_constant;
      const int points = by_ratio ? points_of_search + 4 : points_of_search;
      for (int k = 0; k < points; ++k) {
        const double share = static_cast<double>(k) / (points - 1);
        lags.push_back({by_ratio ? range[0] * std::pow(range[1] / range[0], share)
                                 : range[0] + share * (range[1] - range[0]),
                        kind});
      }
      const std::vector<LagComponent> all = components(lags);
      std::size_t at = 0;
      for (std::size_t k = 0; k < all.size(); ++k)
        if (all[k].log_weight > all[at].log_weight) at = k;
      best = all[at];
      std::size_t first = at, last = at;
      for (std::size_t k = 0; k < all.size(); ++k)
        if (all[k].log_weight > best.log_weight - negligible) {
          first = std::min(first, k);
          last = std::max(last, k);
        }
      const std::array<double, 2> old = range;
      range = {all[first > 0 ? first - 1 : 0].lag.time_constant,
               all[std::min(last + 1, all.size() - 1)].lag.time_constant};
      if (last - first > 3 || range[1] - range[0] > 0.7 * (old[1] - old[0]) ||
          range[1] - range[0] < 4e-3 * best.lag.time_constant)
        break;
    }
    return best;
  }

  std::vector<double> points_between(const std::array<double, 2>& range, double best, double widening) const {
    const std::array<double, 2> limits = this->range();
    const double low = std::max(limits[0], best - widening * (best - range[0])),
                 high = std::min(limits[1], best + widening * (range[1] - best));
    const double step = std::min(lag_options_.step, (high - low) / points_of_grid);
    const int points = step > 0 ? static_cast<int>(std::ceil((high - low) / step)) + 1 : 1;
    std::vector<double> out;
    for (int k = 0; k < points; ++k) out.push_back(points > 1 ? low + k * (high - low) / (points - 1) : low);
    return out;
  }

  std::vector<LagComponent> weighed(const std::vector<model::ActsOn>& kinds,
                                    const std::vector<std::vector<double>>& lags) {
    std::vector<LagComponent> out;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      std::vector<ThrusterLag> asked;
      for (const double lag : lags[kind]) asked.push_back({lag, kinds[kind]});
      const double step = asked.size() > 1 ? lags[kind][1] - lags[kind][0] : 1;
      for (LagComponent& one : components(asked)) {
        one.log_weight += std::log(step);
        out.push_back(std::move(one));
      }
    }
    double most = -infinity, total = 0;
    for (const LagComponent& one : out) most = std::max(most, one.log_weight);
    for (LagComponent& one : out) total += one.weight = std::exp(one.log_weight - most);
    for (LagComponent& one : out) one.weight /= total;
    return out;
  }

  /// Delay and lag add up to what the phase shows: a shorter lag leaves more of it.
  double delay_beside(double lag) const {
    return options_.estimate_delay ? std::clamp(sum_ - lag, 0.0, most_delay_) : options_.delay;
  }

  std::vector<LagComponent> components(const std::vector<ThrusterLag>& lags) {
    std::vector<LagSums::Point> points;
    for (const ThrusterLag& lag : lags) points.push_back({lag, delay_beside(lag.time_constant)});
    sums_.add_to(points);
    std::vector<LagComponent> out;
    std::vector<LagSums::Point> again;
    std::vector<std::size_t> of;
    for (std::size_t k = 0; k < points.size(); ++k) {
      out.push_back(component(points[k]));
      const double delay = std::min(out.back().delay, most_delay_);
      if (std::abs(delay - points[k].delay) > linear_delay) {
        again.push_back({lags[k], delay});
        of.push_back(k);
      }
    }
    sums_.add_to(again);
    for (std::size_t k = 0; k < again.size(); ++k) out[of[k]] = component(again[k]);
    return out;
  }

  /// docs/identification.md eqs. 42 to 44.
  LagComponent component(const LagSums::Point& point) const {
    const Eigen::VectorXd x = solver_.solve(point.moment), by_delay = solver_.solve(point.moment_by_delay);
    const double f = inflation_;
    double cost = point.square - point.moment.dot(x), step = 0;
    LagComponent out{point.lag, point.delay, 0, log_prior(point.lag.time_constant), 0, point.moment, {}};
    if (is_held()) out.log_weight = 0;
    if (options_.estimate_delay) {
      const double prior = f / (lag_options_.delay_sigma * lag_options_.delay_sigma);
      const double curvature =
          std::max(point.square_by_delay - point.moment_by_delay.dot(by_delay), 1e-12 * point.square_by_delay) +
          prior;
      const double slope = point.cross_by_delay - point.moment.dot(by_delay) + prior * point.delay;
      cost += prior * point.delay * point.delay - slope * slope / curvature;
      const double sigma = std::sqrt(f / curvature);
      const Truncated cut = above_zero(point.delay - slope / curvature, sigma);
      step = cut.mean - point.delay;
      out.delay = cut.mean;
      out.delay_sigma = cut.sigma;
      out.log_weight += cut.log_share + std::log(sigma);
    }
    out.log_weight -= cost / (2 * f);
    out.moment = point.moment + step * point.moment_by_delay;
    out.theta = x + step * by_delay;
    return out;
  }

  double inflation_at(const ThrusterLag& lag) {
    const double h = 0.05 * std::max(lag.time_constant, 0.02);
    const double low = std::max(1e-4, lag.time_constant - h);
    return sums_.inflation({lag, delay_beside(lag.time_constant)}, {{low, lag.acts_on}, delay_beside(low)},
                           {{lag.time_constant + h, lag.acts_on}, delay_beside(lag.time_constant + h)},
                           solver_);
  }

  LagSums sums_;
  const FitOptions& options_;
  const LagOptions& lag_options_;
  const StatedLag& stated_;
  double most_delay_, sum_;
  double inflation_ = first_inflation;
  Eigen::LDLT<Eigen::MatrixXd> solver_;
};

/// Mean and covariance of a number over the components, with what each is unsure of.
struct Moments {
  double mean = 0, variance = 0;
};
template <class Value, class Variance>
Moments moments_of(const std::vector<LagComponent>& components, const Value& value, const Variance& variance) {
  Moments out;
  double total = 0;
  for (const LagComponent& one : components) total += one.weight;
  for (const LagComponent& one : components) out.mean += one.weight / total * value(one);
  for (const LagComponent& one : components) {
    const double away = value(one) - out.mean;
    out.variance += one.weight / total * (away * away + variance(one));
  }
  return out;
}

double square(double x) { return x * x; }

/// Means and sigmas of lag, delay and their sum over the components.
void add_lag_and_delay(const FitOptions& options, const Fit& fit, LagAverage& out) {
  double force = 0;
  for (const LagComponent& one : out.components)
    force += one.lag.acts_on == model::ActsOn::force ? one.weight : 0;
  out.lag.acts_on = force >= 0.5 ? model::ActsOn::force : model::ActsOn::shaft;
  out.probability = std::max(force, 1 - force);
  std::vector<LagComponent> likelier;
  std::ranges::copy_if(out.components, std::back_inserter(likelier),
                       [&](const LagComponent& one) { return one.lag.acts_on == out.lag.acts_on; });
  const Moments lag = moments_of(
      likelier, [](const auto& one) { return one.lag.time_constant; }, [](const auto&) { return 0.0; });
  out.lag.time_constant = lag.mean;
  out.sigma = std::sqrt(lag.variance);
  const auto variance = [](const LagComponent& one) { return square(one.delay_sigma); };
  const Moments delay = moments_of(
      likelier, [](const auto& one) { return one.delay; }, variance);
  out.delay = delay.mean;
  out.delay_sigma = std::sqrt(delay.variance);
  if (!options.estimate_delay) {
    out.delay = fit.nuisance.value.delay;
    out.delay_sigma = 0;
  }
  const Moments sum = moments_of(
      out.components, [](const auto& one) { return one.delay + one.lag.time_constant; }, variance);
  out.sum = sum.mean;
  out.sum_sigma = std::sqrt(sum.variance);
}

}  // namespace

bool LagAverage::shows_only_sum() const {
  if (!is_averaged || !(sigma > 0)) return false;
  const double before = stated.time_constant ? stated_sigma : lag.time_constant;
  return sigma > 0.7 * before || sigma > 0.4 * lag.time_constant;
}

double LagAverage::too_long() const {
  if (!is_averaged || !stated.time_constant) return 0;
  const double both = std::hypot(stated_sigma, sigma);
  return std::max(0.0, (*stated.time_constant - lag.time_constant) / std::max(both, 1e-9));
}

LagAverage average_over_lag(const Regression& regression, const solve::ConicSet& constraints, const Fit& fit,
                            const FitOptions& options, const model::Robot& robot,
                            const model::Environment& environment, const StatedLag& stated,
                            const ThrusterLag& from, const LagOptions& lag_options) {
  LagAverage out;
  out.stated = stated;
  out.stated_sigma = sigma_of(stated, lag_options);
  out.fitted_lag = from.time_constant;
  Average average(regression, fit, options, robot, environment, stated, from, lag_options);
  out.components = average.grid(out.inflation);
  out.is_averaged = !average.is_held();
  add_lag_and_delay(options, fit, out);
  const auto n = static_cast<Index>(regression.structure().size());
  Eigen::VectorXd moment = Eigen::VectorXd::Zero(out.components.front().moment.size()), mean = moment;
  for (const LagComponent& one : out.components) {
    moment += one.weight * one.moment;
    mean += one.weight * one.theta;
  }
  out.between.setZero(n, n);
  for (const LagComponent& one : out.components)
    out.between += internal::square_of(std::sqrt(one.weight) * (one.theta - mean).head(n));
  solve::ConicSet set = constraints;
  set.unknowns = static_cast<int>(moment.size());
  solve::ConicObjective objective;
  objective.G = average.sums().gram();
  objective.b = moment;
  objective.c = moment.dot(mean) * 1.0001;  // any sum of squares that is not negative has the same best x
  solve::ConicSolver solver(set);
  out.conic = solver.solve(objective);
  if (out.conic.status != solve::ConicStatus::solved) {
    out.why_not = internal::no_estimate(regression.structure().name, solver.set(), out.conic).message;
    return out;
  }
  out.theta = out.conic.x.head(n);
  out.active = internal::active_constraints(constraints, out.conic);
  if (options.estimate_current)
    out.current_n = fit.nuisance.value.current_n.head<2>() + out.conic.x.segment<2>(n);
  return out;
}

void take_average(const LagAverage& average, Fit& fit) {
  fit.theta = average.theta;
  fit.conic = average.conic;
  fit.active = average.active;
  fit.covariance += average.between;
  fit.information = internal::scaled_inverse(fit.covariance);
  if (average.current_n.size() == 2) fit.nuisance.value.current_n.head<2>() = average.current_n;
  fit.nuisance.value.delay = average.delay;
  fit.nuisance.delay_sigma = average.delay_sigma;
  // A lag that is free takes what is missing to a delay of zero; what is left is the clocks'.
  const double missing =
      fit.delay_wanted + (average.is_averaged ? average.fitted_lag - average.lag.time_constant : 0);
  fit.delay_at_limit = fit.delay_at_limit && (!average.is_averaged || fit.delay_wanted > 0 ||
                                              missing < -3 * fit.nuisance.delay_sigma - 0.02);
}

}  // namespace fathom::identify
