#include "fathom/identify/vehicle/forward_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/consistency/constraints.hpp"
#include "fathom/identify/vehicle/estimators.hpp"
#include "fathom/identify/vehicle/internal/conic_words.hpp"
#include "fathom/identify/vehicle/internal/forward_rows.hpp"
#include "fathom/identify/vehicle/internal/uncertainty.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

constexpr int most_forward_rounds = 30;
constexpr double delay_step = 0.02;     // s
constexpr double nearby_delays = 0.06;  // s, to either side of a delay that is roughly known
constexpr double forward_still = 1e-3;  // of the parameters, each against its own size

}  // namespace

ForwardFit forward_estimate(const Regression& regression, const Nuisance& at,
                            const solve::ConicSet& constraints, const Eigen::VectorXd& start,
                            const Eigen::MatrixXd* tau) {
  ForwardFit out;
  out.theta = start;
  solve::ConicSolver solver(constraints);
  while (!out.settled && out.rounds < most_forward_rounds) {
    const solve::ConicResult& result =
        solver.solve(sum_of_squares(internal::ForwardRows(regression, at, out.theta, tau).sums()));
    if (result.status != solve::ConicStatus::solved)
      throw InputError(internal::no_estimate(regression.structure().name, constraints, result));
    const Eigen::VectorXd step = result.x - out.theta;
    out.theta += step;
    ++out.rounds;
    out.settled = (step.array().abs() <= forward_still * out.theta.array().abs() + 1e-6).all();
  }
  out.unexplained = internal::ForwardRows(regression, at, out.theta, tau).sigma();
  return out;
}

ForwardFit forward_fit(const Regression& regression, const Nuisance& at, const solve::ConicSet& constraints,
                       const Eigen::VectorXd& start) {
  ForwardFit out = forward_estimate(regression, at, constraints, start);
  out.covariance = internal::ForwardRows(regression, at, out.theta).covariance();
  return out;
}

namespace {

/// The forward estimate at the delay of the least unexplained acceleration.
struct BestForward {
  Nuisance at;
  ForwardFit fit;
  Eigen::VectorXd by_delay;  ///< slope of theta by the delay there, from its neighbours on the list
};

BestForward best_forward(const Regression& regression, const solve::ConicSet& constraints,
                         const IdentifyOptions& options, const Fit& start, const std::optional<double>& near) {
  const double most = options.fit.estimate_delay ? options.regression.most_delay : 0;
  const auto is_near = [&](double delay) { return !near || std::abs(delay - *near) < nearby_delays + 1e-9; };
  std::vector<std::pair<double, Eigen::VectorXd>> tried;  // those that found an estimate
  BestForward best{start.nuisance.value, {}, Eigen::VectorXd::Zero(start.theta.size())};
  double least = infinity;
  std::size_t at_best = 0;
  for (double delay = 0; delay <= most + 1e-9; delay += delay_step) {
    if (options.fit.estimate_delay && !is_near(delay)) continue;
    Nuisance at = start.nuisance.value;
    if (options.fit.estimate_delay) at.delay = std::min(delay, most);
    try {
      const Eigen::MatrixXd tau = internal::blurred_wrench(regression, at.delay);
      ForwardFit one = forward_estimate(regression, start.nuisance.value, constraints, start.theta, &tau);
      if (!one.settled) continue;
      tried.emplace_back(at.delay, one.theta);
      if (const double cost = one.unexplained.array().log().sum(); cost < least) {
        least = cost;
        at_best = tried.size() - 1;
        best.at = at;
        best.fit = std::move(one);
      }
    } catch (const InputError&) {
      continue;  // a delay that is far off may have no estimate
    }
  }
  if (tried.empty()) reject("--estimator", "forward finds no estimate", "the default one may");
  best.fit.covariance = internal::ForwardRows(regression, best.at, best.fit.theta).covariance();
  const auto& before = tried[at_best > 0 ? at_best - 1 : 0];
  const auto& after = tried[std::min(at_best + 1, tried.size() - 1)];
  if (after.first > before.first) best.by_delay = (after.second - before.second) / (after.first - before.first);
  return best;
}

/// As (10) has it for the fit, and what delay, dead band and scale of the thrust move theta by.
Eigen::MatrixXd forward_covariance(const BestForward& best, double delay_sigma, double thrust_sigma,
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
    return forward_fit(regression, best.at, constraints, fit.theta).theta;
  };
  const auto& band = command_path.dead_band;
  if (band) by_dead_band = internal::moved_by_dead_band(recordings, band->value, band->sigma, estimate);
  if (const auto& most = command_path.saturation)
    by_saturation = internal::moved_by_saturation(recordings, band ? band->value : robot.dead_band(),
                                                  most->value, most->sigma, estimate);
  Eigen::MatrixXd C = forward_covariance(best, options.fit.estimate_delay ? fit.nuisance.delay_sigma : 0,
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
