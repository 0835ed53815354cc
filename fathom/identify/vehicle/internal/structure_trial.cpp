#include "fathom/identify/vehicle/internal/structure_trial.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/identify/vehicle/forward_fit.hpp"
#include "fathom/identify/vehicle/identified_robot.hpp"
#include "fathom/identify/vehicle/internal/conic_words.hpp"
#include "fathom/identify/vehicle/internal/described_fit.hpp"
#include "fathom/identify/vehicle/internal/forward_rows.hpp"
#include "fathom/identify/vehicle/internal/held_out_errors.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;

constexpr double widest_inertia = 0.2;  // full 95 % width over value, up to which 6-DoF forward is tried

/// Why no vehicle can have the parameters; empty where one can.
std::string broken_constraint(const solve::ConicSet& constraints, const Eigen::VectorXd& theta) {
  if (!theta.allFinite()) return "no finite estimate";
  for (const solve::MatrixInequality& one : constraints.matrices) {
    const Eigen::MatrixXd S = slack(one, theta);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(S, Eigen::EigenvaluesOnly);
    if (eigen.eigenvalues()[0] < -1e-9 * std::max(1.0, S.norm())) return "it breaks " + one.name;
  }
  for (const solve::ScalarInequality& one : constraints.scalars)
    if (slack(one, theta) < -1e-9 * std::max(1.0, std::abs(one.constant))) return "it breaks " + one.name;
  return "";
}

Eigen::VectorXd solved_instrumental(const Normal& sums) {
  const Eigen::VectorXd column = sums.G.colwise().norm().transpose().cwiseMax(1e-300);
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(sums.G * column.cwiseInverse().asDiagonal());
  if (!lu.isInvertible()) reject("structure", "the instruments do not tell its parameters apart");
  return lu.solve(sums.b).cwiseQuotient(column);
}

/// The recordings with what the vehicle makes of the commands less the measured velocity as the split, so that
/// rows and instruments come from one pass.
std::vector<Recording> with_instruments(const Regression& regression, const dynamics::Vehicle& vehicle,
                                        const Nuisance& at) {
  std::vector<Recording> list = simulated(regression, vehicle, at);
  for (std::size_t r = 0; r < list.size(); ++r) {
    const Mat6X& measured = regression.recordings()[r].track.nu_b;
    list[r].nu_split_b = list[r].track.nu_b - measured;
    list[r].track.nu_b = measured;
  }
  return list;
}

/// The variance of the same term in another fit; 0 where that has no such term.
double variance_in(const model::Structure& structure, const Eigen::MatrixXd& covariance,
                   const model::Term& term) {
  for (std::size_t k = 0; k < structure.size(); ++k)
    if (name_of(structure.terms[k]) == name_of(term))
      return covariance(static_cast<Index>(k), static_cast<Index>(k));
  return 0;
}

}  // namespace

dynamics::Vehicle vehicle_of(const TrialProblem& problem, const model::Structure& structure,
                             const Eigen::VectorXd& theta) {
  const Index n = theta.size();
  const model::ParameterVector parameters(structure.parameters(theta), Eigen::MatrixXd::Zero(n, n));
  const double share = dry_body_share(problem.robot, problem.environment, structure, parameters);
  if (share <= 0) reject("structure", "its mass matrix is not positive definite");
  const model::Robot before =
      share < 1 ? with_dry_body_share(problem.robot, problem.environment, share, "trial") : problem.robot;
  return dynamics::Vehicle(identified_robot(before, problem.environment, structure, parameters, "trial"),
                           problem.environment, structure.dof);
}

StructureTrial::StructureTrial(const TrialProblem& problem, const model::Structure& structure)
    : problem_(problem),
      structure_(structure),
      is_chosen_(structure.name == problem.found.structure.name),
      constraints_(
          consistency::constraints(structure, problem.robot, problem.environment, problem.options.constraints)),
      solver_(constraints_),
      fit_options_(fit_options(problem.options, problem.recordings, problem.robot)) {
  drop_rows();
  fit_options_.prior = is_chosen_
                           ? problem.found.fit.prior
                           : prior_of(structure, problem.found.wrench, problem.robot, problem.environment);
  state_.at = problem.found.fit.nuisance.value;
  if (fit_options_.prior) {
    state_.prior_root = fit_options_.prior->root();
    state_.prior_value = state_.prior_root * fit_options_.prior->value;
  }
}

void StructureTrial::drop_rows() {
  RegressionOptions options = problem_.options.regression;
  regression_.emplace(structure_, problem_.recordings, options);
  if (structure_.dof == model::Dof::six) return;  // predicts the motion as it is
  options.level = true;
  level_.emplace(structure_, problem_.recordings, options);
}

Trial StructureTrial::trial_of(const char* estimator) const {
  Trial trial;
  trial.candidate.estimator = estimator;
  trial.candidate.structure = structure_;
  trial.candidate.delay = state_.at.delay;
  return trial;
}

void StructureTrial::fit_consistent() {
  consistent_ = trial_of("consistent");
  try {
    learn_weights();
    const FoldSums sums = consistent_sums();
    refit(sums, true, consistent_);
    if (!consistent_.candidate.why_not.empty()) return;
    if (is_chosen_) {
      consistent_.candidate.theta = problem_.found.fit.theta;
      consistent_.candidate.covariance = problem_.found.fit.covariance;
    } else {
      fit_neighbour(sums);
    }
    if (consistent_.candidate.why_not.empty())
      consistent_.candidate.why_not = broken_constraint(constraints_, consistent_.candidate.theta);
  } catch (const InputError& error) {
    consistent_.candidate.why_not = words_of(error);
  }
}

std::optional<double> StructureTrial::forward_delay() const {
  if (!consistent_.candidate.why_not.empty() || !allows_forward()) return {};
  if (!problem_.options.fit.estimate_delay) return state_.at.delay;
  const ForwardScan scan = scan_delays(predicting(), state_.at, constraints_, consistent_.candidate.theta);
  if (scan.tried.empty()) return {};
  return scan.tried[scan.best].delay;
}

std::vector<Trial> StructureTrial::scored(const std::optional<double>& forward_delay) {
  std::vector<Trial> trials = {consistent_, trial_of("forward"), trial_of("instrumental")};
  for (std::size_t k = 1; k < trials.size(); ++k) {
    EstimatorCandidate& candidate = trials[k].candidate;
    if (!consistent_.candidate.why_not.empty()) {
      candidate.why_not = "there is no consistent estimate to begin with";
      continue;
    }
    try {
      if (k == 1)
        fit_forward(trials[k], forward_delay);
      else
        fit_instrumental(trials[k]);
      if (candidate.why_not.empty()) candidate.why_not = broken_constraint(constraints_, candidate.theta);
    } catch (const InputError& error) {
      candidate.why_not = words_of(error);
    }
  }
  for (Trial& trial : trials)
    if (trial.candidate.why_not.empty()) score(problem_, predicting(), state_.at, trial);
  return trials;
}

/// Weights of the rows: those of the fit, or for another structure learnt from its own residuals.
void StructureTrial::learn_weights() {
  if (is_chosen_) {
    const Fit& fit = problem_.found.fit;
    state_.theta = fit.theta;
    state_.row_sigma = fit.row_sigma;
    state_.innovation_sigma = fit.innovation_sigma;
    state_.memory = fit.memory;
    return;
  }
  state_.theta = Eigen::VectorXd::Zero(unknowns());
  state_.least_sigma = first_sigma(*regression_, fit_options_.nominal_inertia);
  learn_residual(*regression_, state_, false);
  state_.least_sigma = sensor_sigma(*regression_, fit_options_.nominal_inertia);
  constexpr int rounds = 2;
  for (int round = 0; round < rounds; ++round) {
    state_.theta = solve::ordinary(weighed_rows(*regression_, state_, {false, false}, 1)).x;
    learn_residual(*regression_, state_, fit_options_.whiten);
  }
}

/// Of normal equations under the constraints; with the prior of the fit.
std::optional<Eigen::VectorXd> StructureTrial::solved(const Normal& sums, bool with_prior,
                                                      EstimatorCandidate& candidate) {
  solve::ConicObjective objective;
  objective.G = sums.G;
  objective.b = sums.b;
  objective.c = sums.c;
  if (with_prior && state_.prior_root.rows() > 0) {
    objective.G += state_.prior_root.transpose() * state_.prior_root;
    objective.b += state_.prior_root.transpose() * state_.prior_value;
    objective.c += state_.prior_value.squaredNorm();
  }
  const solve::ConicResult& result = solver_.solve(objective);
  if (result.status == solve::ConicStatus::solved) return result.x;
  candidate.why_not = result.status == solve::ConicStatus::infeasible
                          ? no_estimate(structure_.name, constraints_, result).message
                          : "a part of the logs does not show its parameters";
  return std::nullopt;
}

void StructureTrial::refit(const FoldSums& sums, bool with_prior, Trial& trial) {
  for (std::size_t fold = 0; fold < folds() && trial.candidate.why_not.empty(); ++fold)
    if (auto theta = solved(sums.without(fold), with_prior, trial.candidate))
      trial.by_fold.push_back(std::move(*theta));
}

FoldSums StructureTrial::consistent_sums() const {
  const double share = problem_.found.fit.noise_share;
  FoldSums sums(problem_.plan, unknowns());
  const Index rows = regression_->rows();
  WeighedRows(*regression_, state_, {false, false}, true)
      .pass([&](const auto& A, const auto& y, const auto& D, const RowBlock& block) {
        sums.for_runs(block.first_sample, y.size() / rows, [&](Normal& to, Index begin, Index end) {
          const auto a = A.middleRows(begin * rows, (end - begin) * rows);
          const auto d = D.middleRows(begin * rows, (end - begin) * rows);
          const auto r = y.segment(begin * rows, (end - begin) * rows);
          to.G.noalias() += a.transpose() * a;
          to.G.noalias() -= share * (d.transpose() * d);
          to.b.noalias() += a.transpose() * r;
          to.c += r.squaredNorm();
        });
      });
  return sums;
}

/// The consistent estimate of another structure than the fitted one, at the delay and current of the fit.
void StructureTrial::fit_neighbour(const FoldSums& sums) {
  const auto theta = solved(sums.all(), true, consistent_.candidate);
  if (!theta) return;
  state_.theta = *theta;
  Fit fit;
  describe(*regression_, fit_options_, state_, fit);
  consistent_.candidate.theta = fit.theta;
  consistent_.candidate.covariance = fit.covariance;
}

/// In 6-DoF a forward estimate is biased by tens of percent where the logs do not show inertia well. Lag, map
/// and dead band widen the covariance of the fitted structure alone: the larger variance of the two counts.
bool StructureTrial::allows_forward() const {
  if (structure_.dof != model::Dof::six) return true;
  for (std::size_t k = 0; k < structure_.size(); ++k) {
    const model::Term& term = structure_.terms[k];
    if (term.kind != model::Term::Kind::inertia || term.row != term.column) continue;
    const auto i = static_cast<Index>(k);
    const double variance =
        std::max(consistent_.candidate.covariance(i, i),
                 variance_in(problem_.found.structure, problem_.found.fit.covariance, term));
    if (2 * sigmas_of_95 * std::sqrt(variance) > widest_inertia * consistent_.candidate.theta[i]) return false;
  }
  return true;
}

void StructureTrial::fit_forward(Trial& trial, const std::optional<double>& delay) {
  EstimatorCandidate& out = trial.candidate;
  if (!allows_forward()) {
    out.why_not =
        fmt::format("the 95 % interval of a diagonal inertia is wider than {:.0f} %", 100 * widest_inertia);
    return;
  }
  if (!delay) {
    out.why_not = "forward finds no estimate";
    return;
  }
  out.delay = *delay;
  const Eigen::MatrixXd tau = blurred_wrench(predicting(), *delay);
  const ForwardFit fit =
      forward_estimate(predicting(), state_.at, constraints_, consistent_.candidate.theta, &tau);
  if (!fit.settled) {
    out.why_not = "the forward estimate does not converge";
    return;
  }
  out.theta = fit.theta;
  const ForwardLane lane{ForwardRows(predicting(), out.theta), &tau};
  out.covariance = forward_covariance(predicting(), state_.at, lane, fit.unexplained);
  FoldSums sums(problem_.plan, unknowns());
  const Index rows = predicting().rows();
  pass_forward(predicting(), state_.at, lane, fit.unexplained,
               [&](const RowBlock& block, const auto& A, const auto& left) {
                 const Eigen::VectorXd y = A * out.theta + left;
                 sums.for_runs(block.first_sample, y.size() / rows, [&](Normal& to, Index begin, Index end) {
                   const auto a = A.middleRows(begin * rows, (end - begin) * rows);
                   const auto r = y.segment(begin * rows, (end - begin) * rows);
                   to.G.noalias() += a.transpose() * a;
                   to.b.noalias() += a.transpose() * r;
                   to.c += r.squaredNorm();
                 });
               });
  refit(sums, false, trial);
}

void StructureTrial::fit_instrumental(Trial& trial) {
  EstimatorCandidate& out = trial.candidate;
  const std::vector<Recording> both =
      with_instruments(*regression_, vehicle_of(problem_, structure_, consistent_.candidate.theta), state_.at);
  const Regression regression(structure_, both, regression_->options());
  std::vector<Nuisance> sides = {state_.at, state_.at};
  sides[1].split = 1;
  const Index rows = regression.rows();
  const Eigen::VectorXd weight = state_.row_sigma.cwiseAbs2().cwiseInverse();
  const auto weighed_instruments = [&](const RowBlock& block) -> Eigen::MatrixXd {
    return weight.replicate(block.tau.size() / rows, 1).asDiagonal() * block.Y;
  };
  FoldSums sums(problem_.plan, unknowns());
  regression.pass(sides, [&](std::span<const RowBlock> blocks) {
    const RowBlock& block = blocks.front();
    const Eigen::MatrixXd Z = weighed_instruments(blocks.back());
    sums.for_runs(block.first_sample, block.tau.size() / rows, [&](Normal& to, Index begin, Index end) {
      const auto z = Z.middleRows(begin * rows, (end - begin) * rows).transpose();
      to.G.noalias() += z * block.Y.middleRows(begin * rows, (end - begin) * rows);
      to.b.noalias() += z * block.tau.segment(begin * rows, (end - begin) * rows);
    });
  });
  const Normal all = sums.all();
  out.theta = solved_instrumental(all);
  out.why_not = broken_constraint(constraints_, out.theta);
  if (!out.why_not.empty()) return;
  for (std::size_t fold = 0; fold < folds(); ++fold)
    trial.by_fold.push_back(solved_instrumental(sums.without(fold)));
  Eigen::MatrixXd m(unknowns(), regression.samples());
  std::vector<Index> breaks;
  regression.pass(sides, [&](std::span<const RowBlock> blocks) {
    const RowBlock& block = blocks.front();
    if (block.begins) breaks.push_back(block.first_sample);
    const Eigen::MatrixXd Z = weighed_instruments(blocks.back());
    const Eigen::VectorXd left = block.tau - block.Y * out.theta;
    for (Index k = 0; k * rows < left.size(); ++k)
      m.col(block.first_sample + k).noalias() =
          Z.middleRows(k * rows, rows).transpose() * left.segment(k * rows, rows);
  });
  m.colwise() -= m.rowwise().mean().eval();
  out.covariance = solve::sandwich(all.G, solve::long_run_covariance(m, breaks), regression.samples());
}

}  // namespace fathom::identify::internal
