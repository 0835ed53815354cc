#include "fathom/identify/vehicle/estimator_choice.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include <Eigen/Eigenvalues>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/parallel_map.hpp"
#include "fathom/base/random.hpp"
#include "fathom/identify/vehicle/internal/structure_trial.hpp"
#include "fathom/identify/vehicle/internal/uncertainty.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using internal::StructureTrial;
using internal::Trial;
using internal::TrialProblem;

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
void find_axes(TrialProblem& problem) {
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

/// Each structure keeps its rows; those of long logs in one structure at a time.
bool is_long(const TrialProblem& problem, const std::vector<model::Structure>& structures) {
  constexpr std::size_t most_kept_numbers = 1000000;  // of one structure, while others are tried beside it
  std::size_t most = 0;
  for (const model::Structure& structure : structures) most = std::max(most, structure.size());
  return problem.plan.samples.size() * 6 * most > most_kept_numbers;
}

/// The trials of all structures, in their order. The delay of the forward estimate is that of the first one in
/// which it is allowed.
std::vector<Trial> all_trials(const TrialProblem& problem, const std::vector<model::Structure>& structures) {
  const auto count = static_cast<int>(structures.size());
  const bool drops = is_long(problem, structures);
  ThreadPool pool(drops ? 1 : problem.how.threads);
  const auto begun = parallel_map(pool, count, [&](int k) {
    auto one = std::make_unique<StructureTrial>(problem, structures[static_cast<std::size_t>(k)]);
    one->fit_consistent();
    if (drops) one->drop_rows();
    return one;
  });
  std::optional<double> forward_delay;
  for (const auto& one : begun)
    if (!forward_delay) forward_delay = one->forward_delay();
  const auto ended = parallel_map(pool, count, [&](int k) {
    StructureTrial& one = *begun[static_cast<std::size_t>(k)];
    std::vector<Trial> list = one.scored(forward_delay);
    if (drops) one.drop_rows();
    return list;
  });
  std::vector<Trial> all;
  for (const auto& of_structure : ended) all.insert(all.end(), of_structure.begin(), of_structure.end());
  return all;
}

}  // namespace

EstimatorChoice choose_estimator(const std::vector<Recording>& recordings, const model::Robot& robot,
                                 const model::Environment& environment, const IdentifyOptions& options,
                                 const Identified& found, const EstimatorChoiceOptions& how) {
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
  TrialProblem problem{recordings, robot, environment, options, found, how};
  problem.plan =
      internal::held_out(Regression(found.structure, recordings, options.regression), found.fit, how);
  choice.whole_logs = problem.plan.whole_logs;
  choice.folds = problem.plan.folds;
  choice.blocks = problem.plan.blocks;
  if (!problem.plan.why_not.empty()) return stay(problem.plan.why_not);
  find_axes(problem);
  if (problem.axes.empty()) return stay("no velocity is both driven and moving");
  for (Trial& trial : all_trials(problem, structures_to_try(found)))
    choice.candidates.push_back(std::move(trial.candidate));
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
          paired_difference(candidate, candidates.front(), all);
  choice.chosen = chosen_by(candidates, all, how.least_gain);
  RandomStream random(how.seed, "estimator choice");
  for (int draw = 0; draw < how.draws; ++draw) {
    for (std::size_t& b : drawn)
      b = std::min(blocks - 1, static_cast<std::size_t>(random.uniform() * static_cast<double>(blocks)));
    candidates[chosen_by(candidates, drawn, how.least_gain)].probability += 1.0 / how.draws;
  }
}

Eigen::MatrixXd mixed_covariance(const EstimatorChoice& choice, const Eigen::VectorXd& theta,
                                 const Eigen::MatrixXd& C) {
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
    one(here, here) = larger_of(other.covariance(there, there), C(here, here)) + apart * apart.transpose();
    one(missing, missing) = C(missing, missing);
    sum += other.probability * one;
  }
  return sum / weight;
}

}  // namespace fathom::identify
