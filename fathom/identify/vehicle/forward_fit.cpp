#include "fathom/identify/vehicle/forward_fit.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/consistency/constraints.hpp"
#include "fathom/identify/vehicle/internal/conic_words.hpp"
#include "fathom/identify/vehicle/internal/forward_rows.hpp"
#include "fathom/identify/vehicle/internal/uncertainty.hpp"

namespace fathom::identify {
namespace {

constexpr int most_forward_rounds = 30;
constexpr double delay_step = 0.02, coarse_delay_step = 0.1;  // s
constexpr double nearby_delays = 0.06;  // s, to either side of a delay that is roughly known
constexpr double forward_still = 1e-3;  // of the parameters, each against its own size

/// One estimate on its way.
struct Attempt {
  const Eigen::MatrixXd* tau = nullptr;
  ForwardFit fit = {};
  std::optional<InputError> error = {};  ///< why there is none

  bool goes_on() const { return !error && !fit.settled && fit.rounds < most_forward_rounds; }
  void step_to(const Eigen::VectorXd& theta) {
    const Eigen::VectorXd step = theta - fit.theta;
    fit.theta += step;
    ++fit.rounds;
    fit.settled = (step.array().abs() <= forward_still * fit.theta.array().abs() + 1e-6).all();
  }
};

/// Lanes of those attempts that `which` holds of; an attempt whose mass is singular ends.
template <class Which>
std::pair<std::vector<internal::ForwardLane>, std::vector<Attempt*>> lanes_of(const Regression& regression,
                                                                              std::vector<Attempt>& attempts,
                                                                              const Which& which) {
  std::pair<std::vector<internal::ForwardLane>, std::vector<Attempt*>> out;
  for (Attempt& one : attempts) {
    if (!which(one)) continue;
    try {
      out.first.push_back({internal::ForwardRows(regression, one.fit.theta), one.tau});
      out.second.push_back(&one);
    } catch (const InputError& error) {
      one.error = error;
    }
  }
  return out;
}

/// Gauss' and Newton's steps of all attempts, one pass over the rows for each round.
void estimate_all(const Regression& regression, const Nuisance& at, const solve::ConicSet& constraints,
                  std::vector<Attempt>& attempts) {
  solve::ConicSolver solver(constraints);
  for (int round = 0; round < most_forward_rounds; ++round) {
    const auto [lanes, moving] =
        lanes_of(regression, attempts, [](const Attempt& one) { return one.goes_on(); });
    if (lanes.empty()) break;
    const auto sums = internal::forward_sums(regression, at, lanes);
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const solve::ConicResult& result = solver.solve(sums[k].objective);
      if (result.status == solve::ConicStatus::solved)
        moving[k]->step_to(result.x);
      else
        moving[k]->error = InputError(internal::no_estimate(regression.structure().name, constraints, result));
    }
  }
  const auto [lanes, ended] = lanes_of(regression, attempts, [](const Attempt& one) { return !one.error; });
  const auto sigmas = internal::forward_sigmas(regression, at, lanes);
  for (std::size_t k = 0; k < sigmas.size(); ++k) ended[k]->fit.unexplained = sigmas[k];
}

/// Tries delays and adds those that settle.
void scan(const Regression& regression, const Nuisance& at, const solve::ConicSet& constraints,
          const Eigen::VectorXd& start, std::vector<double> delays, ForwardScan& out) {
  const double most = regression.options().most_delay;
  std::erase_if(delays, [&](double delay) {
    return delay < -1e-9 || delay > most + 1e-9 ||
           std::any_of(out.tried.begin(), out.tried.end(),
                       [&](const auto& one) { return std::abs(one.delay - delay) < 1e-9; });
  });
  for (double& delay : delays) delay = std::clamp(delay, 0.0, most);
  std::vector<Eigen::MatrixXd> wrenches;
  for (const double delay : delays) wrenches.push_back(internal::blurred_wrench(regression, delay));
  std::vector<Attempt> attempts(delays.size());
  for (std::size_t k = 0; k < attempts.size(); ++k) {
    attempts[k].tau = &wrenches[k];
    attempts[k].fit.theta = start;
  }
  estimate_all(regression, at, constraints, attempts);
  for (std::size_t k = 0; k < attempts.size(); ++k)
    if (!attempts[k].error && attempts[k].fit.settled)
      out.tried.push_back({delays[k], std::move(attempts[k].fit)});
  std::sort(out.tried.begin(), out.tried.end(), [](const auto& a, const auto& b) { return a.delay < b.delay; });
  const auto cost = [](const auto& one) { return one.fit.unexplained.array().log().sum(); };
  out.best = static_cast<std::size_t>(
      std::min_element(out.tried.begin(), out.tried.end(),
                       [&](const auto& a, const auto& b) { return cost(a) < cost(b); }) -
      out.tried.begin());
}

/// From `first` on, up to `last`.
std::vector<double> delays_between(double first, double last, double step) {
  std::vector<double> out;
  for (int k = 0; first + k * step <= last + 1e-9; ++k) out.push_back(first + k * step);
  return out;
}

}  // namespace

ForwardFit forward_estimate(const Regression& regression, const Nuisance& at,
                            const solve::ConicSet& constraints, const Eigen::VectorXd& start,
                            const Eigen::MatrixXd* tau) {
  std::vector<Attempt> one(1);
  one.front().tau = tau;
  one.front().fit.theta = start;
  estimate_all(regression, at, constraints, one);
  if (one.front().error) throw *one.front().error;
  return std::move(one.front().fit);
}

ForwardFit forward_fit(const Regression& regression, const Nuisance& at, const solve::ConicSet& constraints,
                       const Eigen::VectorXd& start) {
  ForwardFit out = forward_estimate(regression, at, constraints, start);
  out.covariance = internal::forward_covariance(regression, at, {internal::ForwardRows(regression, out.theta)},
                                                out.unexplained);
  return out;
}

ForwardScan scan_delays(const Regression& regression, const Nuisance& at, const solve::ConicSet& constraints,
                        const Eigen::VectorXd& start, const std::optional<double>& near) {
  ForwardScan out;
  const auto beside = [&](double middle, double away) {
    const double first = delay_step * std::round((middle - away) / delay_step);
    scan(regression, at, constraints, start, delays_between(first, middle + away, delay_step), out);
  };
  if (near) {
    beside(*near, nearby_delays);
    return out;
  }
  scan(regression, at, constraints, start,
       delays_between(0, regression.options().most_delay, coarse_delay_step), out);
  if (!out.tried.empty()) beside(out.tried[out.best].delay, coarse_delay_step - delay_step);
  return out;
}

namespace {

/// The forward estimate at the delay of the least unexplained acceleration.
struct BestForward {
  Nuisance at;
  ForwardFit fit;
  Eigen::VectorXd by_delay;  ///< slope of theta by the delay there, from the delays beside it
};

BestForward best_forward(const Regression& regression, const solve::ConicSet& constraints,
                         const IdentifyOptions& options, const Fit& start, const std::optional<double>& near) {
  BestForward best{start.nuisance.value, {}, Eigen::VectorXd::Zero(start.theta.size())};
  if (!options.fit.estimate_delay) {
    best.fit = forward_fit(regression, best.at, constraints, start.theta);
    if (!best.fit.settled) reject("--estimator", "forward finds no estimate", "the default one may");
    return best;
  }
  ForwardScan scan = scan_delays(regression, start.nuisance.value, constraints, start.theta, near);
  if (scan.tried.empty()) reject("--estimator", "forward finds no estimate", "the default one may");
  const auto& before = scan.tried[scan.best > 0 ? scan.best - 1 : 0];
  const auto& after = scan.tried[std::min(scan.best + 1, scan.tried.size() - 1)];
  if (after.delay > before.delay)
    best.by_delay = (after.fit.theta - before.fit.theta) / (after.delay - before.delay);
  best.at.delay = scan.tried[scan.best].delay;
  best.fit = std::move(scan.tried[scan.best].fit);
  best.fit.covariance = internal::forward_covariance(
      regression, best.at, {internal::ForwardRows(regression, best.fit.theta)}, best.fit.unexplained);
  return best;
}

/// As (10) has it for the fit, and what delay, dead band and scale of the thrust move theta by.
Eigen::MatrixXd whole_covariance(const BestForward& best, double delay_sigma, double thrust_sigma,
                                 const Eigen::VectorXd& by_dead_band, const Eigen::VectorXd& by_saturation) {
  Eigen::MatrixXd C = best.fit.covariance;
  for (const Eigen::VectorXd& moved :
       {Eigen::VectorXd(delay_sigma * best.by_delay), Eigen::VectorXd(thrust_sigma * best.fit.theta),
        by_dead_band, by_saturation})
    C += moved * moved.transpose();
  return C;
}

}  // namespace

ForwardFit take_forward(const std::vector<Recording>& recordings, const model::Robot& robot,
                        const model::Environment& environment, const IdentifyOptions& options,
                        const CommandPathFit& command_path, Identified& found,
                        const std::optional<double>& near_delay) {
  const solve::ConicSet constraints =
      consistency::constraints(found.structure, robot, environment, options.constraints);
  Fit& fit = found.fit;
  BestForward best = best_forward(Regression(found.structure, recordings, options.regression), constraints,
                                  options, fit, near_delay);
  fit.nuisance.delay_sigma = std::max({fit.nuisance.delay_sigma, delay_step / std::sqrt(12.0),
                                       std::abs(best.at.delay - fit.nuisance.value.delay)});
  fit.nuisance.value = best.at;
  const Eigen::VectorXd fitted = std::exchange(fit.theta, best.fit.theta);
  Eigen::VectorXd by_dead_band = Eigen::VectorXd::Zero(fit.theta.size()), by_saturation = by_dead_band;
  const auto estimate = [&](const std::vector<Recording>& other) {
    const Regression regression(found.structure, other, options.regression);
    return forward_estimate(regression, best.at, constraints, fit.theta).theta;
  };
  const auto& band = command_path.dead_band;
  if (band) by_dead_band = internal::moved_by_dead_band(recordings, band->value, band->sigma, estimate);
  if (const auto& most = command_path.saturation)
    by_saturation = internal::moved_by_saturation(recordings, band ? band->value : robot.dead_band(),
                                                  most->value, most->sigma, estimate);
  Eigen::MatrixXd C = whole_covariance(best, options.fit.estimate_delay ? fit.nuisance.delay_sigma : 0,
                                       options.fit.thrust_sigma, by_dead_band, by_saturation);
  best.fit.inconsistent = internal::hausman_test(fitted, fit.covariance, fit.theta, C);
  fit.covariance = C;
  fit.information = internal::scaled_inverse(fit.covariance);
  found.parameters = model::ParameterVector(found.structure.parameters(fit.theta), fit.covariance);
  found.estimates.push_back({"forward",
                             "the commands explain the acceleration: kept in place of the consistent one", true,
                             "", fit.theta, fit.covariance});
  return best.fit;
}

}  // namespace fathom::identify
