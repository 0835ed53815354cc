#include "fathom/identify/vehicle/estimator_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/parallel_map.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/forward_fit.hpp"
#include "fathom/identify/vehicle/identified_robot.hpp"
#include "fathom/identify/vehicle/internal/conic_words.hpp"
#include "fathom/identify/vehicle/internal/forward_rows.hpp"
#include "fathom/identify/vehicle/internal/uncertainty.hpp"
#include "fathom/identify/vehicle/internal/weighed_rows.hpp"
#include "fathom/identify/vehicle/prediction.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify {
namespace estimator_trial {
namespace {

using Eigen::Index;
using internal::FitState;

constexpr Index window_overlap = 8;     // samples, of a blur each: two windows of h
constexpr Index shortest_block = 20;    // samples
constexpr Index most_folds = 10;        // of time
constexpr double free_run_step = 0.05;  // s, at most
constexpr double widest_inertia = 0.2;  // full 95 % width over value, up to which 6-DoF forward is tried
constexpr double largest_error = 10;    // spreads of the velocity: a model that runs away is no worse

/// Which samples are held out together, and by which blocks estimates are compared.
struct Plan {
  struct Sample {
    std::size_t recording, fold, block;
    int part;  // of a fold: 0 and 2 are next to another fold
    double t;
  };
  std::vector<Sample> samples;
  std::size_t folds = 0, blocks = 0;
  bool whole_logs = false;
  std::string why_not;  ///< where nothing can be held out
};

/// Cuts samples first to end into as many blocks as are at least so long.
void cut_into_blocks(Plan& plan, std::size_t first, std::size_t end, Index length) {
  const std::size_t count = std::max<std::size_t>(1, (end - first) / static_cast<std::size_t>(length));
  for (std::size_t k = first; k < end; ++k)
    plan.samples[k].block = plan.blocks + (k - first) * count / (end - first);
  plan.blocks += count;
}

Plan plan_of(const Regression& regression, const Fit& fit, const EstimatorChoiceOptions& how) {
  Plan plan;
  regression.pass(fit.nuisance.value, [&](const RowBlock& block) {
    for (const double t : block.t) plan.samples.push_back({block.recording, 0, 0, 1, t});
  });
  double memory = 0;  // samples
  for (std::size_t row = 0; row < fit.whiteness.size(); ++row)
    if (const int i = regression.free()[row]; i != 3 && i != 4)
      memory = std::max(memory, fit.whiteness[row].integral_time);
  const double interval = regression.sample_interval();
  const auto length = static_cast<Index>(std::max(
      {static_cast<double>(shortest_block), std::ceil(2 * memory), std::ceil((how.window + 1) / interval)}));
  const std::size_t all = plan.samples.size();
  std::vector<std::size_t> begins;  // of each log
  for (std::size_t k = 0; k < all; ++k)
    if (k == 0 || plan.samples[k].recording != plan.samples[k - 1].recording) begins.push_back(k);
  begins.push_back(all);
  plan.whole_logs = begins.size() > 3;
  if (!plan.whole_logs) {
    const Index blocks = static_cast<Index>(all) / length;
    if (blocks < how.least_blocks) {
      plan.why_not = fmt::format(
          "the logs have {} blocks of {:.3g} s, two residual correlation times, for the {} "
          "that a comparison takes",
          blocks, static_cast<double>(length) * interval, how.least_blocks);
      return plan;
    }
    const auto folds = static_cast<std::size_t>(std::min(most_folds, blocks));
    begins.clear();
    for (std::size_t k = 0; k <= folds; ++k) begins.push_back(k * all / folds);
  }
  plan.folds = begins.size() - 1;
  for (std::size_t fold = 0; fold < plan.folds; ++fold) {
    const std::size_t first = begins[fold], end = begins[fold + 1];
    for (std::size_t k = first; k < end; ++k) {
      plan.samples[k].fold = fold;
      if (!plan.whole_logs)
        plan.samples[k].part = k < first + window_overlap ? 0 : k + window_overlap >= end ? 2 : 1;
    }
    cut_into_blocks(plan, first, end, length);
  }
  return plan;
}

/// Z'A, Z'y and y'y: for least squares Z is A.
struct Normal {
  Eigen::MatrixXd G;
  Eigen::VectorXd b;
  double c = 0;

  explicit Normal(Index n) : G(Eigen::MatrixXd::Zero(n, n)), b(Eigen::VectorXd::Zero(n)) {}
  void add(const Normal& other) {
    G += other.G;
    b += other.b;
    c += other.c;
  }
};

/// Sums of normal equations by fold.
class FoldSums {
 public:
  FoldSums(const Plan& plan, Index n) : plan_(plan), parts_(plan.folds * 3, Normal(n)), n_(n) {}
  Normal& of(Index sample) {
    const Plan::Sample& at = plan_.samples[static_cast<std::size_t>(sample)];
    return parts_[at.fold * 3 + static_cast<std::size_t>(at.part)];
  }
  /// All folds but one, without what its windows see too.
  Normal without(std::size_t held_out) const {
    Normal sum(n_);
    for (std::size_t fold = 0; fold < plan_.folds; ++fold) {
      if (fold == held_out) continue;
      sum.add(parts_[fold * 3 + 1]);
      if (fold != held_out + 1) sum.add(parts_[fold * 3]);
      if (fold + 1 != held_out) sum.add(parts_[fold * 3 + 2]);
    }
    return sum;
  }
  Normal all() const {
    Normal sum(n_);
    for (const Normal& part : parts_) sum.add(part);
    return sum;
  }

 private:
  const Plan& plan_;
  std::vector<Normal> parts_;
  Index n_;
};

/// What does not depend on the structure.
struct Problem {
  const std::vector<Recording>& recordings;
  const model::Robot& robot;
  const model::Environment& environment;
  const IdentifyOptions& options;
  const Identified& found;
  const EstimatorChoiceOptions& how;
  Plan plan = {};
  std::vector<int> axes = {};  // of [u v w p q r], by which it is judged
  Vec6 spread = Vec6::Ones();
};

/// An estimate, and its refits.
struct Trial {
  EstimatorCandidate candidate;
  std::vector<Eigen::VectorXd> by_fold;
};

/// "damping[0].quadratic[2] = -1.8, must be >= 0".
std::string words_of(const InputError& error) {
  if (error.findings().empty()) return "failed";
  const Finding& first = error.findings().front();
  return first.key.empty() ? first.message : first.key + " " + first.message;
}

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

dynamics::Vehicle vehicle_of(const Problem& problem, const model::Structure& structure,
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

RegressionOptions predicting(RegressionOptions options) {
  options.level = true;
  return options;
}

/// Everything of one structure.
class StructureTrial {
 public:
  StructureTrial(const Problem& problem, const model::Structure& structure)
      : problem_(problem),
        structure_(structure),
        is_chosen_(structure.name == problem.found.structure.name),
        regression_(structure, problem.recordings, problem.options.regression),
        predicting_(structure, problem.recordings, predicting(problem.options.regression)),
        constraints_(consistency::constraints(structure, problem.robot, problem.environment,
                                              problem.options.constraints)),
        solver_(constraints_) {
    state_.at = problem.found.fit.nuisance.value;
  }

  /// Consistent, forward and instrumental, in this order. `forward_delay` is found by the first structure in
  /// which forward is allowed.
  std::vector<Trial> run(const std::optional<double>& forward_delay) {
    std::vector<Trial> trials;
    for (const char* estimator : {"consistent", "forward", "instrumental"}) {
      Trial trial;
      trial.candidate.estimator = estimator;
      trial.candidate.structure = structure_;
      trial.candidate.delay = state_.at.delay;
      try {
        if (trial.candidate.estimator == "consistent")
          fit_consistent(trial);
        else if (!trials.front().candidate.why_not.empty())
          trial.candidate.why_not = "there is no consistent estimate to begin with";
        else if (trial.candidate.estimator == "forward")
          fit_forward(trial, trials.front().candidate, forward_delay);
        else
          fit_instrumental(trial, trials.front().candidate);
        if (trial.candidate.why_not.empty())
          trial.candidate.why_not = broken_constraint(constraints_, trial.candidate.theta);
      } catch (const InputError& error) {
        trial.candidate.why_not = words_of(error);
      }
      trials.push_back(std::move(trial));
    }
    for (Trial& trial : trials)
      if (trial.candidate.why_not.empty()) score(trial);
    return trials;
  }

  /// s, at which the least acceleration is left; none where forward is not allowed or finds nothing.
  std::optional<double> forward_delay() {
    Trial consistent;
    try {
      fit_consistent(consistent);
    } catch (const InputError&) {
      return {};
    }
    if (!consistent.candidate.why_not.empty() || !allows_forward(consistent.candidate)) return {};
    if (!problem_.options.fit.estimate_delay) return state_.at.delay;
    constexpr double coarse = 0.1, fine = 0.02;
    const double most = problem_.options.regression.most_delay;
    double best = nan, least = infinity;
    Eigen::VectorXd start = consistent.candidate.theta;
    const auto attempt = [&](double delay) {
      if (delay < 0 || delay > most + 1e-9) return;
      try {
        const Eigen::MatrixXd tau = internal::blurred_wrench(predicting_, std::min(delay, most));
        const ForwardFit one = forward_estimate(predicting_, state_.at, constraints_, start, &tau);
        const double cost = one.unexplained.array().log().sum();
        if (!one.settled || !(cost < least)) return;
        least = cost;
        best = std::min(delay, most);
      } catch (const InputError&) {
        return;  // a delay that is far off may have no estimate
      }
    };
    for (double delay = 0; delay <= most + 1e-9; delay += coarse) attempt(delay);
    if (!std::isfinite(best)) return {};
    for (const int step : {-1, 1}) {
      const double from = best;
      for (int k = 1; k <= 4; ++k) attempt(from + step * k * fine);
    }
    return best;
  }

 private:
  std::size_t folds() const { return problem_.plan.folds; }
  Index unknowns() const { return static_cast<Index>(structure_.size()); }

  /// Weights of the rows: those of the fit, or for another structure learnt from its own residuals.
  void learn_weights() {
    if (state_.theta.size() > 0) return;
    const Fit& fit = problem_.found.fit;
    const auto prior = is_chosen_
                           ? fit.prior
                           : prior_of(structure_, problem_.found.wrench, problem_.robot, problem_.environment);
    if (prior) {
      state_.prior_root = prior->root();
      state_.prior_value = state_.prior_root * prior->value;
    }
    if (is_chosen_) {
      state_.theta = fit.theta;
      state_.row_sigma = fit.row_sigma;
      state_.innovation_sigma = fit.innovation_sigma;
      state_.memory = fit.memory;
      return;
    }
    const Vec6 nominal =
        (model::rigid_body_inertia(problem_.robot.hull()) + problem_.robot.hull().added_mass.value).diagonal();
    state_.theta = Eigen::VectorXd::Zero(unknowns());
    state_.least_sigma = internal::first_sigma(regression_, nominal);
    internal::learn_residual(regression_, state_, false);
    state_.least_sigma = internal::sensor_sigma(regression_, nominal);
    constexpr int rounds = 2;
    for (int round = 0; round < rounds; ++round) {
      state_.theta = solve::ordinary(internal::weighed_rows(regression_, state_, {false, false}, 1)).x;
      internal::learn_residual(regression_, state_, problem_.options.fit.whiten);
    }
  }

  /// Of normal equations under the constraints; with the prior of the fit.
  std::optional<Eigen::VectorXd> solved(const Normal& sums, bool with_prior, EstimatorCandidate& candidate) {
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
                            ? internal::no_estimate(structure_.name, constraints_, result).message
                            : "a part of the logs does not show its parameters";
    return std::nullopt;
  }

  void refit(const FoldSums& sums, bool with_prior, Trial& trial) {
    for (std::size_t fold = 0; fold < folds() && trial.candidate.why_not.empty(); ++fold)
      if (auto theta = solved(sums.without(fold), with_prior, trial.candidate))
        trial.by_fold.push_back(std::move(*theta));
  }

  void fit_consistent(Trial& trial) {
    learn_weights();
    EstimatorCandidate& out = trial.candidate;
    const double share = problem_.found.fit.noise_share;
    FoldSums sums(problem_.plan, unknowns());
    const Index rows = regression_.rows();
    internal::WeighedRows(regression_, state_, {false, false}, true)
        .pass([&](const auto& A, const auto& y, const auto& D, const RowBlock& block) {
          for (Index k = 0; k * rows < A.rows(); ++k) {
            const auto a = A.middleRows(k * rows, rows);
            const auto d = D.middleRows(k * rows, rows);
            const auto r = y.segment(k * rows, rows);
            Normal& to = sums.of(block.first_sample + k);
            to.G.noalias() += a.transpose() * a;
            to.G.noalias() -= share * (d.transpose() * d);
            to.b.noalias() += a.transpose() * r;
            to.c += r.squaredNorm();
          }
        });
    refit(sums, true, trial);
    if (!out.why_not.empty()) return;
    if (is_chosen_) {
      out.theta = problem_.found.fit.theta;
      out.covariance = problem_.found.fit.covariance;
      return;
    }
    const Normal all = sums.all();
    const auto theta = solved(all, true, out);
    if (!theta) return;
    out.theta = state_.theta = *theta;
    Residuals residuals;
    const Eigen::MatrixXd m = internal::moments(regression_, state_, {false, false}, share, residuals);
    Eigen::MatrixXd H = all.G;
    if (state_.prior_root.rows() > 0) H += state_.prior_root.transpose() * state_.prior_root;
    const solve::LongRun long_run = solve::long_run_covariance(m, residuals.breaks);
    out.covariance = internal::sandwich_of(internal::inverse_root(H),
                                           long_run.covariance * static_cast<double>(regression_.samples()));
  }

  /// In 6-DoF a forward estimate is biased by tens of percent where the logs do not show inertia well.
  bool allows_forward(const EstimatorCandidate& consistent) const {
    if (structure_.dof != model::Dof::six) return true;
    for (std::size_t k = 0; k < structure_.size(); ++k) {
      const model::Term& term = structure_.terms[k];
      const auto i = static_cast<Index>(k);
      if (term.kind == model::Term::Kind::inertia && term.row == term.column &&
          2 * sigmas_of_95 * std::sqrt(consistent.covariance(i, i)) > widest_inertia * consistent.theta[i])
        return false;
    }
    return true;
  }

  void fit_forward(Trial& trial, const EstimatorCandidate& consistent, const std::optional<double>& delay) {
    EstimatorCandidate& out = trial.candidate;
    if (!allows_forward(consistent)) {
      out.why_not =
          fmt::format("the 95 % interval of a diagonal inertia is wider than {:.0f} %", 100 * widest_inertia);
      return;
    }
    if (!delay) {
      out.why_not = "forward finds no estimate";
      return;
    }
    out.delay = *delay;
    const Eigen::MatrixXd tau = internal::blurred_wrench(predicting_, *delay);
    const ForwardFit fit = forward_estimate(predicting_, state_.at, constraints_, consistent.theta, &tau);
    if (!fit.settled) {
      out.why_not = "the forward estimate does not converge";
      return;
    }
    out.theta = fit.theta;
    const internal::ForwardRows linearised(predicting_, state_.at, out.theta, &tau);
    out.covariance = linearised.covariance();
    FoldSums sums(problem_.plan, unknowns());
    linearised.pass([&](Index sample, const Eigen::MatrixXd& A, const Eigen::VectorXd& left) {
      const Eigen::VectorXd y = A * out.theta + left;
      Normal& to = sums.of(sample);
      to.G.noalias() += A.transpose() * A;
      to.b.noalias() += A.transpose() * y;
      to.c += y.squaredNorm();
    });
    refit(sums, false, trial);
  }

  void fit_instrumental(Trial& trial, const EstimatorCandidate& consistent) {
    EstimatorCandidate& out = trial.candidate;
    const std::vector<Recording> motions =
        simulated(regression_, vehicle_of(problem_, structure_, consistent.theta), state_.at);
    const Regression instruments(structure_, motions, regression_.options());
    std::vector<Eigen::MatrixXd> Z;
    instruments.pass(state_.at, [&](const RowBlock& block) { Z.push_back(block.Y); });
    FoldSums sums(problem_.plan, unknowns());
    const Index rows = regression_.rows();
    const Eigen::VectorXd weight = state_.row_sigma.cwiseAbs2().cwiseInverse();
    std::size_t number = 0;
    regression_.pass(state_.at, [&](const RowBlock& block) {
      const Eigen::MatrixXd& z = Z[number++];
      for (Index k = 0; k * rows < block.tau.size(); ++k) {
        const Eigen::MatrixXd weighed = z.middleRows(k * rows, rows).transpose() * weight.asDiagonal();
        Normal& to = sums.of(block.first_sample + k);
        to.G.noalias() += weighed * block.Y.middleRows(k * rows, rows);
        to.b.noalias() += weighed * block.tau.segment(k * rows, rows);
      }
    });
    const Eigen::MatrixXd slope = sums.all().G;
    out.theta = solved_instrumental(sums.all());
    out.why_not = broken_constraint(constraints_, out.theta);
    if (!out.why_not.empty()) return;
    for (std::size_t fold = 0; fold < folds(); ++fold)
      trial.by_fold.push_back(solved_instrumental(sums.without(fold)));
    Eigen::MatrixXd m(unknowns(), regression_.samples());
    std::vector<Index> breaks;
    number = 0;
    regression_.pass(state_.at, [&](const RowBlock& block) {
      if (block.begins) breaks.push_back(block.first_sample);
      const Eigen::MatrixXd& z = Z[number++];
      const Eigen::VectorXd left = block.tau - block.Y * out.theta;
      for (Index k = 0; k * rows < left.size(); ++k)
        m.col(block.first_sample + k) =
            z.middleRows(k * rows, rows).transpose() * weight.cwiseProduct(left.segment(k * rows, rows));
    });
    m.colwise() -= m.rowwise().mean().eval();
    out.covariance = solve::sandwich(slope, solve::long_run_covariance(m, breaks), regression_.samples());
  }

  Eigen::VectorXd solved_instrumental(const Normal& sums) const {
    const Eigen::VectorXd column = sums.G.colwise().norm().transpose().cwiseMax(1e-300);
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(sums.G * column.cwiseInverse().asDiagonal());
    if (!lu.isInvertible()) reject("structure", "the instruments do not tell its parameters apart");
    return lu.solve(sums.b).cwiseQuotient(column);
  }

  /// Sums of squared errors by block, and their number.
  struct Errors {
    Eigen::MatrixXd square;  // axes x blocks
    Eigen::VectorXd count;   // blocks
    Errors(std::size_t axes, std::size_t blocks)
        : square(Eigen::MatrixXd::Zero(static_cast<Index>(axes), static_cast<Index>(blocks))),
          count(Eigen::VectorXd::Zero(static_cast<Index>(blocks))) {}
  };

  /// h * nu_dot of the model less h' * nu, in the held-out fold.
  Errors acceleration_errors(const Trial& trial) const {
    Errors errors(problem_.axes.size(), problem_.plan.blocks);
    std::vector<Eigen::MatrixXd> M_inverse;
    for (const Eigen::VectorXd& theta : trial.by_fold)
      M_inverse.push_back(internal::inverse_mass(predicting_, theta));
    std::vector<Index> places;
    for (const int i : problem_.axes)
      places.push_back(std::find(predicting_.free().begin(), predicting_.free().end(), i) -
                       predicting_.free().begin());
    const Eigen::MatrixXd tau = internal::blurred_wrench(predicting_, trial.candidate.delay);
    const Index rows = predicting_.rows();
    predicting_.pass(state_.at, [&](const RowBlock& block) {
      for (Index k = 0; k * rows < block.tau.size(); ++k) {
        const Index sample = block.first_sample + k;
        const Plan::Sample& at = problem_.plan.samples[static_cast<std::size_t>(sample)];
        const Eigen::VectorXd left =
            M_inverse[at.fold] *
            (tau.col(sample) - block.Y.middleRows(k * rows, rows) * trial.by_fold[at.fold]);
        const auto column = static_cast<Index>(at.block);
        for (std::size_t axis = 0; axis < places.size(); ++axis)
          errors.square(static_cast<Index>(axis), column) += left[places[axis]] * left[places[axis]];
        errors.count[column] += 1;
      }
    });
    return errors;
  }

  /// Adds windows one after the other, from sample `first` of a recording to `end`.
  void add_free_runs(const dynamics::Vehicle& vehicle, const Recording& recording, Index first, Index end,
                     double delay, Index block, Errors& errors) const {
    const double dt = recording.track.dt;
    const auto stride = std::max<Index>(1, static_cast<Index>(std::floor(free_run_step / dt + 1e-9)));
    const auto steps = static_cast<Index>(problem_.how.window / (dt * static_cast<double>(stride)));
    const auto before = static_cast<Index>(std::ceil(delay / (dt * static_cast<double>(stride)) - 1e-9));
    PredictionOptions prediction;
    prediction.delay = delay;
    prediction.current_n = state_.at.current_n;
    for (Index begin = first; begin + steps * stride < end; begin += steps * stride) {
      const Index from = begin - before * stride, count = before + steps + 1;
      if (from < 0) continue;
      Recording slice;
      slice.track.t0 = recording.track.t(from);
      slice.track.dt = dt * static_cast<double>(stride);
      const auto every = Eigen::seqN(from, count, stride);
      slice.track.q_nb = recording.track.q_nb(Eigen::all, every);
      slice.track.nu_b = recording.track.nu_b(Eigen::all, every);
      slice.tau_b = recording.tau_b(Eigen::all, every);
      slice.usable.assign(static_cast<std::size_t>(count), 1);
      const Prediction run = predict(vehicle, slice, prediction);
      for (Index k = before + 1; k < count; ++k) {
        for (std::size_t axis = 0; axis < problem_.axes.size(); ++axis) {
          const int i = problem_.axes[axis];
          const double most = largest_error * problem_.spread[i],
                       error = run.nu_b(i, k) - slice.track.nu_b(i, k);
          errors.square(static_cast<Index>(axis), block) +=
              std::isfinite(error) ? std::min(error * error, most * most) : most * most;
        }
        errors.count[block] += 1;
      }
    }
  }

  Errors free_run_errors(const Trial& trial) const {
    Errors errors(problem_.axes.size(), problem_.plan.blocks);
    const auto& samples = problem_.plan.samples;
    std::optional<dynamics::Vehicle> vehicle;
    std::size_t fold = folds();
    for (std::size_t first = 0; first < samples.size();) {
      std::size_t end = first + 1;
      while (end < samples.size() && samples[end].block == samples[first].block &&
             samples[end].recording == samples[first].recording)
        ++end;
      if (samples[first].fold != fold) {
        fold = samples[first].fold;
        vehicle.emplace(vehicle_of(problem_, structure_, trial.by_fold[fold]));
      }
      const Recording& recording = problem_.recordings[samples[first].recording];
      const auto place = [&](double t) {
        return static_cast<Index>(std::lround((t - recording.track.t0) / recording.track.dt));
      };
      const Index from = place(samples[first].t), until = place(samples[end - 1].t);
      for (const SampleRange& range : usable_ranges(recording.usable)) {
        const auto lag = static_cast<Index>(std::ceil(trial.candidate.delay / recording.track.dt)) + 2;
        const Index begin = std::max(from, range.first + lag), stop = std::min(until, range.end - 1);
        if (begin < stop)
          add_free_runs(*vehicle, recording, begin, stop, trial.candidate.delay,
                        static_cast<Index>(samples[first].block), errors);
      }
      first = end;
    }
    return errors;
  }

  void score(Trial& trial) {
    EstimatorCandidate& out = trial.candidate;
    try {
      const Errors acceleration = acceleration_errors(trial), free = free_run_errors(trial);
      for (Index block = 0; block < acceleration.count.size(); ++block) {
        double sum = 0, terms = 0;
        for (const Errors* errors : {&acceleration, &free}) {
          if (errors->count[block] == 0) continue;
          for (Index axis = 0; axis < errors->square.rows(); ++axis, ++terms)
            sum += 0.5 * std::log(std::max(errors->square(axis, block) / errors->count[block], 1e-18));
        }
        out.by_block.push_back(terms > 0 ? sum / terms : 0);
      }
      out.tried = true;
    } catch (const InputError& error) {
      out.by_block.clear();
      out.why_not = "without a part of the logs: " + words_of(error);
    }
  }

  const Problem& problem_;
  const model::Structure& structure_;
  bool is_chosen_;
  Regression regression_;
  Regression predicting_;  // as the structure's predictions have the motion
  solve::ConicSet constraints_;
  solve::ConicSolver solver_;
  FitState state_;
};

/// The chosen structure first, then its neighbours by number of parameters.
std::vector<model::Structure> structures_to_try(const Identified& found) {
  std::vector<model::Structure> list = {found.structure};
  if (!found.choice) return list;
  std::vector<const model::Structure*> tried;
  for (const Candidate& candidate : found.choice->candidates)
    if (candidate.tried) tried.push_back(&candidate.structure);
  std::stable_sort(tried.begin(), tried.end(),
                   [](const auto* a, const auto* b) { return a->size() < b->size(); });
  for (std::size_t k = 0; k < tried.size(); ++k) {
    if (tried[k]->name != found.structure.name) continue;
    if (k > 0) list.push_back(*tried[k - 1]);
    if (k + 1 < tried.size()) list.push_back(*tried[k + 1]);
  }
  return list;
}

/// Velocities that move and are driven, and how far they spread.
void find_axes(Problem& problem) {
  for (const int i : scored_velocities)
    if (model::is_free(problem.found.structure.dof, i) && problem.found.excitation[i] >= least_excitation &&
        is_driven(problem.found.wrench, i))
      problem.axes.push_back(i);
  Vec6 sum = Vec6::Zero(), square = Vec6::Zero();
  double count = 0;
  each_usable(problem.recordings, [&](const Recording& recording, Index k) {
    const Vec6 nu = recording.track.nu_b.col(k);
    sum += nu;
    square += nu.cwiseAbs2();
    count += 1;
  });
  const Vec6 mean = sum / std::max(1.0, count);
  problem.spread = (square / std::max(1.0, count) - mean.cwiseAbs2()).cwiseMax(1e-12).cwiseSqrt();
}

/// Mean of the paired differences of those blocks, and its standard error.
std::pair<double, double> paired_difference(const EstimatorCandidate& one, const EstimatorCandidate& base,
                                            const std::vector<std::size_t>& blocks) {
  const auto count = static_cast<double>(blocks.size());
  double mean = 0, square = 0;
  for (const std::size_t b : blocks) mean += (one.by_block[b] - base.by_block[b]) / count;
  for (const std::size_t b : blocks) {
    const double d = one.by_block[b] - base.by_block[b] - mean;
    square += d * d;
  }
  return {mean, count > 1 ? std::sqrt(square / (count - 1) / count) : infinity};
}

/// The candidate that those blocks choose.
std::size_t chosen_by(const std::vector<EstimatorCandidate>& candidates, const std::vector<std::size_t>& blocks,
                      double least_gain) {
  std::size_t chosen = 0;
  double least = std::log(1 - least_gain);
  for (std::size_t k = 1; k < candidates.size(); ++k) {
    if (!candidates[k].tried) continue;
    const auto [mean, sigma] = paired_difference(candidates[k], candidates.front(), blocks);
    if (mean < -sigma && mean < least) {
      least = mean;
      chosen = k;
    }
  }
  return chosen;
}

/// The covariance that is no smaller than either, in the directions that make both diagonal.
Eigen::MatrixXd larger_of(const Eigen::MatrixXd& one, const Eigen::MatrixXd& other) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(one, other);
  if (eigen.info() != Eigen::Success || !eigen.eigenvectors().allFinite()) return other;
  const Eigen::MatrixXd root =
      other * eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(1).cwiseSqrt().asDiagonal();
  return internal::square_of(root);
}

}  // namespace
}  // namespace estimator_trial

EstimatorChoice choose_estimator(const std::vector<Recording>& recordings, const model::Robot& robot,
                                 const model::Environment& environment, const IdentifyOptions& options,
                                 const Identified& found, const EstimatorChoiceOptions& how) {
  using namespace estimator_trial;
  EstimatorChoice choice;
  const auto stay = [&](std::string why) {
    choice.candidates = {EstimatorCandidate()};
    choice.candidates.front().estimator = "consistent";
    choice.candidates.front().structure = found.structure;
    choice.candidates.front().theta = found.fit.theta;
    choice.candidates.front().covariance = found.fit.covariance;
    choice.candidates.front().delay = found.fit.nuisance.value.delay;
    choice.candidates.front().probability = 1;
    choice.why_consistent = std::move(why);
    return choice;
  };
  Problem problem{recordings, robot, environment, options, found, how};
  problem.plan = plan_of(Regression(found.structure, recordings, options.regression), found.fit, how);
  choice.whole_logs = problem.plan.whole_logs;
  choice.folds = problem.plan.folds;
  choice.blocks = problem.plan.blocks;
  if (!problem.plan.why_not.empty()) return stay(problem.plan.why_not);
  find_axes(problem);
  if (problem.axes.empty()) return stay("no velocity is both driven and moving");
  const std::vector<model::Structure> structures = structures_to_try(found);
  std::optional<double> forward_delay;
  for (const model::Structure& structure : structures)
    if (!forward_delay) forward_delay = StructureTrial(problem, structure).forward_delay();
  // Each structure keeps its rows; those of long logs in one structure at a time.
  constexpr std::size_t most_kept_numbers = 1000000;  // of one structure, while others are tried beside it
  const std::size_t most_parameters =
      std::max_element(structures.begin(), structures.end(), [](const auto& a, const auto& b) {
        return a.size() < b.size();
      })->size();
  const bool is_long = problem.plan.samples.size() * 6 * most_parameters > most_kept_numbers;
  ThreadPool pool(is_long ? 1 : how.threads);
  const auto trials = parallel_map(pool, static_cast<int>(structures.size()), [&](int k) {
    return StructureTrial(problem, structures[static_cast<std::size_t>(k)]).run(forward_delay);
  });
  for (const auto& of_structure : trials)
    for (const Trial& trial : of_structure) choice.candidates.push_back(trial.candidate);
  if (!choice.candidates.front().tried) return stay(choice.candidates.front().why_not);
  decide(choice, how);
  return choice;
}

void decide(EstimatorChoice& choice, const EstimatorChoiceOptions& how) {
  std::vector<EstimatorCandidate>& candidates = choice.candidates;
  const std::size_t blocks = candidates.front().by_block.size();
  std::vector<std::size_t> all(blocks), drawn(blocks);
  for (std::size_t b = 0; b < blocks; ++b) all[b] = b;
  for (EstimatorCandidate& candidate : candidates)
    if (candidate.tried)
      std::tie(candidate.difference, candidate.difference_sigma) =
          estimator_trial::paired_difference(candidate, candidates.front(), all);
  choice.chosen = estimator_trial::chosen_by(candidates, all, how.least_gain);
  RandomStream random(how.seed, "estimator choice");
  for (int draw = 0; draw < how.draws; ++draw) {
    for (std::size_t& b : drawn)
      b = std::min(blocks - 1, static_cast<std::size_t>(random.uniform() * static_cast<double>(blocks)));
    candidates[estimator_trial::chosen_by(candidates, drawn, how.least_gain)].probability += 1.0 / how.draws;
  }
}

Eigen::MatrixXd mixed_covariance(const EstimatorChoice& choice, const Eigen::VectorXd& theta,
                                 const Eigen::MatrixXd& C) {
  using Eigen::Index;
  const model::Structure& structure = choice.best().structure;
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(C.rows(), C.cols());
  double weight = 0;
  for (std::size_t e = 0; e < choice.candidates.size(); ++e) {
    const EstimatorCandidate& other = choice.candidates[e];
    if (other.probability <= 0) continue;
    weight += other.probability;
    if (e == choice.chosen) {
      sum += other.probability * C;
      continue;
    }
    std::vector<Index> here, there, missing;
    for (std::size_t k = 0; k < structure.size(); ++k) {
      const auto same = std::find_if(other.structure.terms.begin(), other.structure.terms.end(),
                                     [&](const auto& t) { return name_of(t) == name_of(structure.terms[k]); });
      if (same == other.structure.terms.end()) {
        missing.push_back(static_cast<Index>(k));
      } else {
        here.push_back(static_cast<Index>(k));
        there.push_back(same - other.structure.terms.begin());
      }
    }
    Eigen::MatrixXd one = Eigen::MatrixXd::Zero(C.rows(), C.cols());
    const Eigen::VectorXd apart = other.theta(there) - theta(here);
    one(here, here) =
        estimator_trial::larger_of(other.covariance(there, there), C(here, here)) + apart * apart.transpose();
    one(missing, missing) = C(missing, missing);
    sum += other.probability * one;
  }
  sum /= weight;
  return 0.5 * (sum + sum.transpose());
}

}  // namespace fathom::identify
