#include "fathom/identify/fit.hpp"

#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "fathom/identify/estimators.hpp"

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

/// Rows of Y with the columns of delay and current beside them, divided by the rows' sigma.
class Weighed {
 public:
  Weighed(const Regression& regression, const Supposition& at, const Extra& extra, const Eigen::VectorXd& theta,
          const Eigen::VectorXd& row_sigma)
      : regression_(regression), at_(at), extra_(extra), theta_(theta), row_sigma_(row_sigma) {}

  /// `take(A, y, block)`: y is tau, so that A [theta; 0] - y is the residual at the supposition.
  template <class Take>
  void pass(const Take& take) const {
    const Index n = static_cast<Index>(regression_.structure().size());
    std::array<std::vector<Eigen::VectorXd>, 2> moved;
    if (extra_.current)
      for (int axis = 0; axis < 2; ++axis) {
        Supposition other = at_;
        other.current_n[axis] += current_step;
        regression_.pass(other, [&](const RowBlock& block) {
          moved[static_cast<std::size_t>(axis)].push_back(block.Y * theta_);
        });
      }
    std::size_t number = 0;
    regression_.pass(at_, [&](const RowBlock& block) {
      Eigen::MatrixXd A(block.Y.rows(), n + extra_.count());
      A.leftCols(n) = block.Y;
      if (extra_.delay) A.col(extra_.delay_column(n)) = -block.tau_by_delay;
      if (extra_.current) {
        const Eigen::VectorXd now = block.Y * theta_;
        for (int axis = 0; axis < 2; ++axis)
          A.col(extra_.current_column(n) + axis) =
              (moved[static_cast<std::size_t>(axis)][number] - now) / current_step;
      }
      Eigen::VectorXd y = block.tau;
      const Index rows = regression_.rows();
      for (Index k = 0; k < A.rows(); ++k) {
        A.row(k) /= row_sigma_[k % rows];
        y[k] /= row_sigma_[k % rows];
      }
      take(A, y, block);
      ++number;
    });
  }

 private:
  const Regression& regression_;
  Supposition at_;
  Extra extra_;
  Eigen::VectorXd theta_, row_sigma_;
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

Eigen::VectorXd residual_rms(const Regression& regression, const Supposition& at,
                             const Eigen::VectorXd& theta) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(regression.rows());
  regression.pass(at, [&](const RowBlock& block) {
    const Eigen::VectorXd r = block.tau - block.Y * theta;
    for (Index k = 0; k < r.size(); ++k) sum[k % regression.rows()] += r[k] * r[k];
  });
  return (sum / static_cast<double>(regression.samples())).cwiseSqrt().cwiseMax(1e-9);
}

/// The conditions with unknowns beside the parameters that nothing bounds.
solve::ConicSet widened(solve::ConicSet set, Index extra) {
  set.unknowns += static_cast<int>(extra);
  return set;
}

struct State {
  Supposition at;
  Eigen::VectorXd theta, row_sigma;
};

void move(Supposition& at, const Extra& extra, Index n, const Eigen::VectorXd& x, double most_delay) {
  if (extra.delay) at.delay = std::clamp(at.delay + x[extra.delay_column(n)], 0.0, most_delay);
  if (extra.current)
    for (int axis = 0; axis < 2; ++axis) at.current_n[axis] += x[extra.current_column(n) + axis];
}

solve::Rows weighed_rows(const Regression& regression, const State& state, const Extra& extra,
                         const FitOptions& options) {
  const Index n = static_cast<Index>(regression.structure().size());
  solve::Rows rows(n + extra.count());
  Weighed(regression, state.at, extra, state.theta, state.row_sigma)
      .pass([&](const Eigen::MatrixXd& A, const Eigen::VectorXd& y, const RowBlock&) { rows.add(A, y); });
  add_prior(rows, extra, n, state.at, options.current_sigma);
  return rows;
}

/// Moments A'r of each sample, for the covariance, and the residuals themselves.
Eigen::MatrixXd moments(const Regression& regression, const State& state, const Extra& extra,
                        Residuals& residuals) {
  const Index n = static_cast<Index>(regression.structure().size()), rows = regression.rows();
  Eigen::MatrixXd m(n + extra.count(), regression.samples());
  residuals.values.resize(rows, regression.samples());
  Weighed(regression, state.at, extra, state.theta, state.row_sigma)
      .pass([&](const Eigen::MatrixXd& A, const Eigen::VectorXd& y, const RowBlock& block) {
        const Eigen::VectorXd r = y - A.leftCols(n) * state.theta;
        if (block.begins) residuals.breaks.push_back(block.first_sample);
        for (std::size_t k = 0; k < block.t.size(); ++k) {
          const Index at = static_cast<Index>(k) * rows;
          const Index sample = block.first_sample + static_cast<Index>(k);
          m.col(sample).noalias() = A.middleRows(at, rows).transpose() * r.segment(at, rows);
          residuals.values.col(sample) = r.segment(at, rows).cwiseProduct(state.row_sigma);
          residuals.t.push_back(block.t[k]);
          residuals.recording.push_back(block.recording);
        }
      });
  return m;
}

/// The pseudo-inverse of a symmetric matrix, with its scale taken off first.
Eigen::MatrixXd inverse_of(const Eigen::MatrixXd& H) {
  const Eigen::VectorXd scale = H.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scale.asDiagonal() * H * scale.asDiagonal());
  Eigen::VectorXd values = eigen.eigenvalues();
  const double least = values.maxCoeff() * 1e-13;
  for (double& value : values) value = 1 / std::max(value, least);
  return scale.asDiagonal() * eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose() *
         scale.asDiagonal();
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
  state.row_sigma = residual_rms(regression, state.at, state.theta);
  solve::LinearFit free_fit;
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    // The current's columns need parameters: the first step is without them.
    const Extra now{extra.delay, extra.current && iteration > 0};
    free_fit = solve::ordinary(weighed_rows(regression, state, now, options));
    state.theta = free_fit.x.head(n);
    move(state.at, now, n, free_fit.x, regression.options().most_delay);
    state.row_sigma = residual_rms(regression, state.at, state.theta);
  }

  Fit out;
  const solve::Rows rows = weighed_rows(regression, state, extra, options);
  out.unconstrained = solve::ordinary(rows).x.head(n);
  solve::ConicSolver solver(widened(conditions, extra.count()));
  out.conic = solver.solve(sum_of_squares(rows));
  if (out.conic.status != solve::ConicStatus::solved)
    throw InputError(Problem{
        Severity::error, "", 0, regression.structure().name,
        fmt::format("the conic solver found no estimate (status {})", static_cast<int>(out.conic.status)),
        "the log may show too little of these parameters; try a smaller structure"});
  state.theta = out.conic.x.head(n);
  move(state.at, extra, n, out.conic.x, regression.options().most_delay);
  for (std::size_t k = 0; k < conditions.matrices.size(); ++k)
    if (out.conic.matrix_active[k]) out.active.push_back(conditions.matrices[k].name);
  for (std::size_t k = 0; k < conditions.scalars.size(); ++k)
    if (out.conic.scalar_active[k]) out.active.push_back(conditions.scalars[k].name);

  out.theta = state.theta;
  out.row_sigma = state.row_sigma;
  const Eigen::MatrixXd m = moments(regression, state, extra, out.residuals);
  const solve::LongRun long_run = solve::long_run_covariance(m, out.residuals.breaks);
  out.bandwidth = long_run.bandwidth;
  const Eigen::MatrixXd H = rows.gram(), H_inverse = inverse_of(H);
  Eigen::MatrixXd S = long_run.covariance * static_cast<double>(regression.samples());
  if (extra.current)
    for (int axis = 0; axis < 2; ++axis) {
      const Index k = extra.current_column(n) + axis;
      S(k, k) += 1 / (options.current_sigma * options.current_sigma);
    }
  Eigen::MatrixXd covariance = H_inverse * S * H_inverse;
  Eigen::VectorXd base(n + extra.count());
  base << out.unconstrained, Eigen::VectorXd::Zero(extra.count());
  base = solve::ordinary(weighed_rows(regression, state, extra, options)).x;
  const Eigen::MatrixXd effect = attitude_effect(regression, state, extra, options, base);
  covariance += effect * effect.transpose();
  out.covariance = covariance.topLeftCorner(n, n);
  out.naive_covariance = inverse_of(H.topLeftCorner(n, n));
  out.information = inverse_of(out.covariance);
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
