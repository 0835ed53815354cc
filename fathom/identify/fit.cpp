#include "fathom/identify/fit.hpp"

#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "fathom/identify/estimators.hpp"
#include "fathom/identify/internal/conic_words.hpp"
#include "fathom/identify/internal/scaled_inverse.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

/// Columns of what is unknown beside theta, after those of Y: delay, then current north and east.
struct Extra {
  bool delay, current;

  Index count() const { return (delay ? 1 : 0) + (current ? 2 : 0); }
  Index delay_column(Index n) const { return n; }
  Index current_column(Index n) const { return n + (delay ? 1 : 0); }
};

constexpr double current_step = 1e-3;  // m/s, of the difference that gives the current's columns

/// Rows of Y with the columns of delay and current beside them, weighed and whitened; and what the sensors'
/// noise may have added to them.
class Weighed {
 public:
  Weighed(const Regression& regression, const Supposition& at, const Extra& extra, const Eigen::VectorXd& theta,
          const Eigen::VectorXd& row_sigma, const Eigen::VectorXd& memory, bool with_split)
      : regression_(regression), extra_(extra), theta_(theta), row_sigma_(row_sigma), memory_(memory) {
    suppositions_ = {at};
    if (extra.current)
      for (int axis = 0; axis < 2; ++axis) {
        suppositions_.push_back(at);
        suppositions_.back().current_n[axis] += current_step;
      }
    with_split_ = with_split;
    if (with_split)
      for (const double side : {1, -1}) {
        suppositions_.push_back(at);
        suppositions_.back().split = side;
      }
  }

  /// `take(A, y, D, block)`: y is tau, so that A [theta; 0] - y is the residual at the supposition; D, without
  /// rows where no split is asked for, has the size of A's error.
  template <class Take>
  void pass(const Take& take) const {
    const Index n = static_cast<Index>(regression_.structure().size()), columns = n + extra_.count();
    Eigen::MatrixXd last;
    regression_.pass(suppositions_, [&](std::span<const RowBlock> blocks) {
      const RowBlock& block = blocks.front();
      Eigen::MatrixXd all = Eigen::MatrixXd::Zero(block.Y.rows(), columns + 1 + (with_split_ ? n : 0));
      all.leftCols(n) = block.Y;
      if (extra_.delay) all.col(extra_.delay_column(n)) = -block.tau_by_delay;
      if (extra_.current)
        for (Index axis = 0; axis < 2; ++axis)
          all.col(extra_.current_column(n) + axis) =
              (blocks[static_cast<std::size_t>(axis) + 1].Y - block.Y) * theta_ / current_step;
      all.col(columns) = block.tau;
      if (with_split_) all.rightCols(n) = 0.5 * (blocks[blocks.size() - 2].Y - blocks.back().Y);
      for (Index k = 0; k < all.rows(); ++k) all.row(k) /= row_sigma_[k % regression_.rows()];
      whiten(all, last, block.begins);
      take(all.leftCols(columns), all.col(columns), all.rightCols(with_split_ ? n : 0), block);
    });
  }

 private:
  /// Takes from each row what it remembers of the one before (Prais and Winsten 1954).
  void whiten(Eigen::MatrixXd& with, Eigen::MatrixXd& last, bool begins) const {
    const Index rows = regression_.rows();
    const Eigen::MatrixXd end = with.bottomRows(rows);
    for (Index k = with.rows() - 1; k >= 0; --k) {
      const double rho = memory_[k % rows];
      if (k >= rows)
        with.row(k) -= rho * with.row(k - rows);
      else if (!begins)
        with.row(k) -= rho * last.row(k);
      else
        with.row(k) *= std::sqrt(1 - rho * rho);
    }
    last = end;
  }

  const Regression& regression_;
  Extra extra_;
  Eigen::VectorXd theta_, row_sigma_, memory_;
  std::vector<Supposition> suppositions_;
  bool with_split_ = false;
};

/// What is known of the current before, as a row each.
void add_prior(solve::Rows& rows, const Extra& extra, Index n, const Supposition& at, double sigma) {
  if (!extra.current) return;
  for (int axis = 0; axis < 2; ++axis) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(1, n + extra.count());
    A(0, extra.current_column(n) + axis) = 1 / sigma;
    rows.add(A, Eigen::VectorXd::Constant(1, -at.current_n[axis] / sigma));
  }
}

struct State {
  Supposition at;
  Eigen::VectorXd theta, row_sigma, memory;  // memory: lag-one correlation of each row's residual
};

/// rms of each row's residual, or of what is new in it, and its lag-one correlation.
void learn_residual(const Regression& regression, State& state, bool with_memory) {
  const Index rows = regression.rows();
  Eigen::VectorXd square = Eigen::VectorXd::Zero(rows), product = square, wrench = square;
  regression.pass(state.at, [&](const RowBlock& block) {
    const Eigen::VectorXd r = block.tau - block.Y * state.theta;
    for (Index k = 0; k < r.size(); ++k) {
      square[k % rows] += r[k] * r[k];
      wrench[k % rows] += block.tau[k] * block.tau[k];
      if (k >= rows) product[k % rows] += r[k] * r[k - rows];
    }
  });
  state.memory.setZero(rows);
  if (with_memory) state.memory = product.cwiseQuotient(square.cwiseMax(1e-300)).cwiseMax(0).cwiseMin(0.98);
  // No row is known better than a thousandth of its wrench: else a row that fits by accident takes all the
  // weight.
  square = square.cwiseMax(1e-6 * wrench);
  state.row_sigma = (square / static_cast<double>(regression.samples()))
                        .cwiseProduct((1 - state.memory.array().square()).matrix())
                        .cwiseSqrt()
                        .cwiseMax(1e-9);
}

/// The conditions with unknowns beside the parameters that nothing bounds.
solve::ConicSet widened(solve::ConicSet set, Index extra) {
  set.unknowns += static_cast<int>(extra);
  return set;
}

void move(Supposition& at, const Extra& extra, Index n, const Eigen::VectorXd& x, double most_delay) {
  if (extra.delay) at.delay = std::clamp(at.delay + x[extra.delay_column(n)], 0.0, most_delay);
  if (extra.current)
    for (int axis = 0; axis < 2; ++axis) at.current_n[axis] += x[extra.current_column(n) + axis];
}

solve::Rows weighed_rows(const Regression& regression, const State& state, const Extra& extra,
                         const FitOptions& options) {
  const Index n = static_cast<Index>(regression.structure().size());
  solve::Rows rows(n + extra.count());
  Weighed(regression, state.at, extra, state.theta, state.row_sigma, state.memory, false)
      .pass([&](const auto& A, const auto& y, const auto&, const RowBlock&) { rows.add(A, y); });
  add_prior(rows, extra, n, state.at, options.current_sigma);
  return rows;
}

/// Moments A'r + D'D theta of each sample, whose mean is zero, for the covariance; and the residuals
/// themselves.
Eigen::MatrixXd moments(const Regression& regression, const State& state, const Extra& extra,
                        double noise_share, Residuals& residuals) {
  const Index n = static_cast<Index>(regression.structure().size()), rows = regression.rows();
  Eigen::MatrixXd m(n + extra.count(), regression.samples());
  residuals.values.resize(rows, regression.samples());
  Weighed(regression, state.at, extra, state.theta, state.row_sigma, state.memory, true)
      .pass([&](const auto& A, const auto& y, const auto& D, const RowBlock& block) {
        const Eigen::VectorXd r = y - A.leftCols(n) * state.theta, e = noise_share * D * state.theta;
        const Eigen::VectorXd plain = block.tau - block.Y * state.theta;
        if (block.begins) residuals.breaks.push_back(block.first_sample);
        for (std::size_t k = 0; k < block.t.size(); ++k) {
          const Index at = static_cast<Index>(k) * rows;
          const Index sample = block.first_sample + static_cast<Index>(k);
          m.col(sample).noalias() = A.middleRows(at, rows).transpose() * r.segment(at, rows);
          m.col(sample).head(n) += D.middleRows(at, rows).transpose() * e.segment(at, rows);
          residuals.values.col(sample) = plain.segment(at, rows);
          residuals.t.push_back(block.t[k]);
          residuals.recording.push_back(block.recording);
        }
      });
  return m;
}

/// What the sensors' noise added to A'A, as the two halves of their samples show it.
Eigen::MatrixXd noise_gram(const Regression& regression, const State& state, const Extra& extra) {
  const Index n = static_cast<Index>(regression.structure().size());
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(n + extra.count(), n + extra.count());
  Weighed(regression, state.at, extra, state.theta, state.row_sigma, state.memory, true)
      .pass([&](const auto&, const auto&, const auto& D, const RowBlock&) {
        gram.topLeftCorner(n, n).noalias() += D.transpose() * D;
      });
  return gram;
}

/// Takes the noise's share out of G, but never more than half of any direction; returns the share taken out.
double take_noise(Eigen::MatrixXd& G, const Eigen::MatrixXd& noise) {
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

/// What an attitude error of one sigma does to the parameters: a column per axis.
Eigen::MatrixXd attitude_effect(const Regression& regression, const State& state, const Extra& extra,
                                const FitOptions& options, const Eigen::VectorXd& base) {
  const Index n = static_cast<Index>(regression.structure().size());
  Eigen::MatrixXd effect = Eigen::MatrixXd::Zero(n + extra.count(), 3);
  for (int axis = 0; axis < 3; ++axis) {
    if (options.attitude_sigma[axis] <= 0) continue;
    State turned = state;
    turned.at.attitude_error_b[axis] = options.attitude_sigma[axis];
    effect.col(axis) = solve::ordinary(weighed_rows(regression, turned, extra, options)).x - base;
  }
  return effect;
}

}  // namespace

double scan_delay(const Regression& regression) {
  const Index n = static_cast<Index>(regression.structure().size()), rows = regression.rows();
  const double most = regression.options().most_delay, step = 0.05;
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(rows);
  double best = 0, least = std::numeric_limits<double>::infinity();
  for (double delay = 0; delay <= most + 1e-9; delay += step) {
    Supposition at;
    at.delay = std::min(delay, most);
    // Each degree of freedom by itself: its residual as a share of its wrench.
    solve::Rows sums(n);
    Eigen::VectorXd square = Eigen::VectorXd::Zero(rows);
    regression.pass(at, [&](const RowBlock& block) {
      for (Index k = 0; k < block.tau.size(); ++k) square[k % rows] += block.tau[k] * block.tau[k];
    });
    const Eigen::VectorXd sigma = square.cwiseMax(1e-12).cwiseSqrt();
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

Fit fit(const Regression& regression, const solve::ConicSet& conditions, const FitOptions& options) {
  const Index n = static_cast<Index>(regression.structure().size());
  const Extra extra{options.estimate_delay, options.estimate_current};
  State state;
  state.at.delay = options.estimate_delay ? scan_delay(regression) : options.delay;
  state.theta = Eigen::VectorXd::Zero(n);
  learn_residual(regression, state, false);
  solve::LinearFit free_fit;
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    // The current's columns need parameters: the first step is without them.
    const Extra now{extra.delay, extra.current && iteration > 0};
    free_fit = solve::ordinary(weighed_rows(regression, state, now, options));
    state.theta = free_fit.x.head(n);
    move(state.at, now, n, free_fit.x, regression.options().most_delay);
    learn_residual(regression, state, options.whiten);
  }

  Fit out;
  const solve::Rows rows = weighed_rows(regression, state, extra, options);
  solve::ConicObjective objective = sum_of_squares(rows);
  out.noise_share = take_noise(objective.G, noise_gram(regression, state, extra));
  const Eigen::MatrixXd H = objective.G, H_inverse = internal::scaled_inverse(H);
  out.unconstrained = (H_inverse * objective.b).head(n);
  solve::ConicSolver solver(widened(conditions, extra.count()));
  out.conic = solver.solve(objective);
  if (out.conic.status != solve::ConicStatus::solved)
    throw InputError(internal::no_estimate(regression.structure().name, solver.set(), out.conic));
  state.theta = out.conic.x.head(n);
  move(state.at, extra, n, out.conic.x, regression.options().most_delay);
  for (std::size_t k = 0; k < conditions.matrices.size(); ++k)
    if (out.conic.matrix_active[k]) out.active.push_back(conditions.matrices[k].name);
  for (std::size_t k = 0; k < conditions.scalars.size(); ++k)
    if (out.conic.scalar_active[k]) out.active.push_back(conditions.scalars[k].name);

  out.theta = state.theta;
  out.row_sigma = state.row_sigma;
  const Eigen::MatrixXd m = moments(regression, state, extra, out.noise_share, out.residuals);
  const solve::LongRun long_run = solve::long_run_covariance(m, out.residuals.breaks);
  out.bandwidth = long_run.bandwidth;
  Eigen::MatrixXd S = long_run.covariance * static_cast<double>(regression.samples());
  if (extra.current)
    for (int axis = 0; axis < 2; ++axis) {
      const Index k = extra.current_column(n) + axis;
      S(k, k) += 1 / (options.current_sigma * options.current_sigma);
    }
  Eigen::MatrixXd covariance = H_inverse * S * H_inverse;
  const Eigen::VectorXd base = solve::ordinary(weighed_rows(regression, state, extra, options)).x;
  const Eigen::MatrixXd effect = attitude_effect(regression, state, extra, options, base);
  covariance += effect * effect.transpose();
  covariance.topLeftCorner(n, n) +=
      options.thrust_sigma * options.thrust_sigma * state.theta * state.theta.transpose();
  out.covariance = covariance.topLeftCorner(n, n);
  out.naive_covariance = internal::scaled_inverse(H.topLeftCorner(n, n));
  out.information = internal::scaled_inverse(out.covariance);
  out.nuisance.supposition = state.at;
  if (extra.delay) out.nuisance.delay_sigma = std::sqrt(covariance(n, n));
  if (extra.current)
    for (int axis = 0; axis < 2; ++axis)
      out.nuisance.current_sigma[axis] =
          std::sqrt(covariance(extra.current_column(n) + axis, extra.current_column(n) + axis));
  out.condition = free_fit.condition();
  out.scaled_condition = free_fit.scaled_condition();
  for (Index row = 0; row < out.residuals.values.rows(); ++row)
    out.whiteness.push_back(solve::whiteness(out.residuals.values.row(row).transpose()));
  return out;
}

}  // namespace fathom::identify
