#include "fathom/identify/vehicle/fit.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/estimators.hpp"
#include "fathom/identify/vehicle/internal/conic_words.hpp"
#include "fathom/identify/vehicle/internal/described_fit.hpp"
#include "fathom/identify/vehicle/internal/uncertainty.hpp"
#include "fathom/identify/vehicle/internal/weighed_rows.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using internal::Extra;
using internal::FitState;

/// In sigmas, as if residuals were white: an estimate that moves by less stands still.
constexpr double still = 1e-2;
/// Of rows that stand a blur apart: h links them by exp(-k^2 / 4), 0.018 for every fourth.
constexpr Index rows_to_independence = 4;

Index size_of(const Regression& regression) { return static_cast<Index>(regression.structure().size()); }

/// The delay [s] at which the free residual is least, each degree of freedom as a share of its wrench, on a
/// grid.
double scan_delay(const Regression& regression) {
  const Index rows = regression.rows();
  const double most = regression.options().most_delay, step = 0.1;
  Eigen::VectorXd square = Eigen::VectorXd::Zero(rows);
  regression.pass(Nuisance{}, [&](const RowBlock& block) {
    for (Index k = 0; k < block.tau.size(); ++k) square[k % rows] += block.tau[k] * block.tau[k];
  });
  // A row without a right side says nothing of its delay.
  constexpr double no_weight = 1e9;
  const double largest = std::max(1e-12, square.maxCoeff());
  Eigen::VectorXd sigma = square.cwiseSqrt();
  for (double& s : sigma)
    if (s * s <= 1e-12 * largest) s = no_weight * std::sqrt(largest);
  double best = 0, least = infinity;
  for (double delay = 0; delay <= most + 1e-9; delay += step) {
    Nuisance at;
    at.delay = std::min(delay, most);
    solve::Rows sums(size_of(regression));
    regression.pass(at, [&](const RowBlock& block) {
      sums.add(block.Y, block.tau, sigma.replicate(block.tau.size() / rows, 1));
    });
    const double rss = solve::ordinary(sums).rss;
    if (rss < least) {
      least = rss;
      best = at.delay;
    }
  }
  return best;
}

/// x = [theta; delta d; delta v_c] of eq. 6, and A'A.
struct Solution {
  Eigen::VectorXd x;
  Eigen::MatrixXd gram;
};

/// Moves the state to what `solve(extra)` finds from it, and returns by how many sigmas. A delay that would
/// leave its limits stays there, and the rest is solved for again, without its column.
template <class Solve>
double move(FitState& state, Extra extra, double most_delay, Fit& out, const Solve& solve) {
  const Index n = state.theta.size();
  Solution found = solve(extra);
  out.delay_wanted = state.at.delay + (extra.delay ? found.x[extra.delay_column(n)] : 0);
  const double delay = std::clamp(out.delay_wanted, 0.0, most_delay);
  out.delay_at_limit = extra.delay && delay != out.delay_wanted;
  if (out.delay_at_limit) {
    state.at.delay = delay;
    extra.delay = false;
    found = solve(extra);
  } else if (extra.delay) {
    state.at.delay = delay;
  }
  if (extra.current) state.at.current_n.head<2>() += found.x.segment<2>(extra.current_column(n));
  Eigen::VectorXd step = found.x;
  step.head(n) -= state.theta;
  state.theta = found.x.head(n);
  return std::sqrt(std::max(0.0, step.dot(found.gram * step)));
}

/// Without conditions, with new weights in each round.
void free_rounds(const Regression& regression, const FitOptions& options, FitState& state, Fit& out) {
  for (int round = 0; round < options.most_rounds && !out.settled; ++round) {
    // The current's columns need parameters: the first step is without them.
    const Extra extra{options.estimate_delay, options.estimate_current && round > 0};
    const double moved = move(state, extra, regression.options().most_delay, out, [&](const Extra& now) {
      const solve::Rows rows = internal::weighed_rows(regression, state, now, options.current_sigma);
      return Solution{solve::ordinary(rows).x, rows.gram()};
    });
    internal::learn_residual(regression, state, options.whiten);
    out.settled = round > 1 && moved < still;
    ++out.rounds;
  }
}

/// Takes the noise's share out of G, but never more than half of any direction; returns the share taken out.
double take_noise(Eigen::MatrixXd& G, const Eigen::MatrixXd& noise) {
  if (noise.isZero(0)) return 0;  // nothing tells it
  const Eigen::VectorXd scale = G.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd scaled = scale.asDiagonal() * G * scale.asDiagonal();
  const Eigen::MatrixXd scaled_noise = scale.asDiagonal() * noise * scale.asDiagonal();
  const Eigen::MatrixXd ridge = scaled + 1e-12 * Eigen::MatrixXd::Identity(G.rows(), G.cols());
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled_noise, ridge,
                                                                        Eigen::EigenvaluesOnly);
  if (eigen.info() != Eigen::Success) return 0;
  const double share = std::min(1.0, 0.5 / std::max(eigen.eigenvalues().maxCoeff(), 1e-12));
  G -= share * noise;
  return share;
}

/// Eq. 9, the noise taken out.
Solution solve_under(const Regression& regression, solve::ConicSet constraints, const FitOptions& options,
                     const FitState& state, const Extra& extra, solve::ConicResult& conic) {
  const solve::Rows rows = internal::weighed_rows(regression, state, extra, options.current_sigma);
  solve::ConicObjective objective = sum_of_squares(rows);
  take_noise(objective.G, internal::noise_gram(regression, state, extra));
  constraints.unknowns += static_cast<int>(extra.count());  // nothing bounds those beside the parameters
  solve::ConicSolver solver(std::move(constraints));
  conic = solver.solve(objective);
  if (conic.status != solve::ConicStatus::solved)
    throw InputError(internal::no_estimate(regression.structure().name, solver.set(), conic));
  return {conic.x, rows.gram()};
}

/// Under the conditions, with the weights of the free estimate.
void conditioned_rounds(const Regression& regression, const solve::ConicSet& constraints,
                        const FitOptions& options, FitState& state, Fit& out) {
  const Extra extra{options.estimate_delay, options.estimate_current};
  bool stands_still = false;
  for (int round = 0; round < options.most_rounds && !stands_still; ++round) {
    const double moved = move(state, extra, regression.options().most_delay, out, [&](const Extra& now) {
      return solve_under(regression, constraints, options, state, now, out.conic);
    });
    stands_still = moved < still;
    ++out.rounds;
  }
  out.settled = out.settled && stands_still;
  out.active = internal::active_constraints(constraints, out.conic);
}

/// What an attitude error of one sigma does to all unknowns: a column per axis.
Eigen::MatrixXd attitude_effect(const Regression& regression, const FitState& state, const Extra& extra,
                                const FitOptions& options, const Eigen::VectorXd& base) {
  Eigen::MatrixXd effect = Eigen::MatrixXd::Zero(base.size(), 3);
  const Vec3 sigma = options.attitude_sigma.value_or(Vec3::Zero());
  for (int axis = 0; axis < 3; ++axis) {
    if (sigma[axis] <= 0) continue;
    FitState turned = state;
    turned.at.attitude_error_b[axis] = sigma[axis];
    const solve::Rows rows = internal::weighed_rows(regression, turned, extra, options.current_sigma);
    effect.col(axis) = solve::ordinary(rows).x - base;
  }
  return effect;
}

/// Of the columns of the parameters alone: R of [A y] holds theirs at its upper left.
void add_condition_numbers_of(const solve::Rows& rows, Index n, Fit& out) {
  solve::Rows own(n);
  own.add(rows.factor().topLeftCorner(n, n), Eigen::VectorXd::Zero(n));
  const solve::LinearFit described = solve::ordinary(own);
  out.condition = described.condition();
  out.scaled_condition = described.scaled_condition();
}

/// docs/identification.md eqs. 10 to 12, of theta, delay and current together.
void add_covariance(const Regression& regression, const FitOptions& options, const FitState& state, Fit& out) {
  const Index n = size_of(regression);
  const Extra extra{options.estimate_delay, options.estimate_current};
  const solve::Rows rows = internal::weighed_rows(regression, state, extra, options.current_sigma);
  add_condition_numbers_of(rows, n, out);
  Eigen::MatrixXd H = rows.gram();
  out.noise_share = take_noise(H, internal::noise_gram(regression, state, extra));
  const Eigen::MatrixXd H_inverse_root = internal::inverse_root(H);
  const Eigen::MatrixXd m = internal::moments(regression, state, extra, out.noise_share, out.residuals);
  const solve::LongRun long_run = solve::long_run_covariance(m, out.residuals.breaks);
  out.bandwidth = long_run.bandwidth;
  const Eigen::MatrixXd S = long_run.covariance * static_cast<double>(regression.samples());
  Eigen::MatrixXd prior = Eigen::MatrixXd::Zero(H.rows(), H.cols());
  if (extra.current)
    prior.diagonal()
        .segment<2>(extra.current_column(n))
        .setConstant(1 / (options.current_sigma * options.current_sigma));
  if (options.prior) prior.topLeftCorner(n, n) = options.prior->information;
  const Eigen::MatrixXd by_prior = internal::sandwich_of(H_inverse_root, prior);
  const Eigen::MatrixXd effect = attitude_effect(regression, state, extra, options, solve::ordinary(rows).x);

  Eigen::MatrixXd covariance =
      internal::sandwich_of(H_inverse_root, S) + by_prior + internal::square_of(effect);
  covariance.topLeftCorner(n, n) += internal::square_of(options.thrust_sigma * state.theta);
  out.covariance = covariance.topLeftCorner(n, n);
  out.naive_covariance = internal::scaled_inverse(H.topLeftCorner(n, n));
  out.information = internal::scaled_inverse(out.covariance);
  if (extra.delay) out.nuisance.delay_sigma = std::sqrt(covariance(n, n));
  if (extra.current)
    out.nuisance.current_sigma.head<2>() =
        covariance.diagonal().segment<2>(extra.current_column(n)).cwiseSqrt();
  const Index k = extra.count();
  const Eigen::MatrixXd H_inverse = internal::square_of(H_inverse_root);
  out.nuisance_errors = {H_inverse.bottomRows(k) * m, by_prior.bottomRightCorner(k, k), effect.bottomRows(k)};
}

/// Every so many of a run's residuals.
Eigen::VectorXd thinned(const Residuals& residuals, Index row) {
  std::vector<double> kept;
  std::size_t run = 0;
  Index first = 0;
  for (Index k = 0; k < residuals.values.cols(); ++k) {
    if (run < residuals.breaks.size() && residuals.breaks[run] == k) {
      first = k;
      ++run;
    }
    if ((k - first) % rows_to_independence == 0) kept.push_back(residuals.values(row, k));
  }
  return Eigen::Map<const Eigen::VectorXd>(kept.data(), static_cast<Index>(kept.size()));
}

}  // namespace

std::vector<solve::Whiteness> whiteness_of(const Residuals& residuals) {
  constexpr int usual_lags = 20;
  std::vector<solve::Whiteness> result;
  for (Index row = 0; row < residuals.values.rows(); ++row) {
    const Eigen::VectorXd apart = thinned(residuals, row);
    // Ljung and Box's chi-square needs some samples to each lag.
    const int lags = std::min(usual_lags, static_cast<int>(apart.size()) / 5);
    solve::Whiteness white;
    white.statistic = white.probability = nan;
    if (lags > 0) white = solve::whiteness(apart, lags);
    white.integral_time = solve::whiteness(residuals.values.row(row).transpose(), 1).integral_time;
    result.push_back(white);
  }
  return result;
}

void internal::describe(const Regression& regression, const FitOptions& options, const FitState& state,
                        Fit& out) {
  out.theta = state.theta;
  out.nuisance.value = state.at;
  out.prior = options.prior;
  out.row_sigma = state.row_sigma;
  out.innovation_sigma = state.innovation_sigma;
  out.memory = state.memory;
  add_covariance(regression, options, state, out);
  out.whiteness = whiteness_of(out.residuals);
}

Fit fit(const Regression& regression, const solve::ConicSet& constraints, const FitOptions& options) {
  FitState state;
  state.at.delay = options.estimate_delay ? scan_delay(regression) : options.delay;
  state.theta = Eigen::VectorXd::Zero(size_of(regression));
  if (options.prior) {
    state.prior_root = options.prior->root();
    state.prior_value = state.prior_root * options.prior->value;
  }
  // Of the wrench at first: nothing is fitted yet.
  state.least_sigma = internal::first_sigma(regression, options.nominal_inertia);
  internal::learn_residual(regression, state, false);
  state.least_sigma = internal::sensor_sigma(regression, options.nominal_inertia);
  Fit out;
  free_rounds(regression, options, state, out);
  conditioned_rounds(regression, constraints, options, state, out);
  internal::describe(regression, options, state, out);
  return out;
}

}  // namespace fathom::identify
