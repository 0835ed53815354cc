#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fathom/identify/vehicle/identify.hpp"

namespace fathom::identify {

struct EstimatorChoiceOptions {
  double window = 5;     ///< s, of a free run: from a measured state on with commands alone
  int least_blocks = 8;  ///< to compare by
  /// Share by which errors must be smaller than those of the consistent estimate, besides the standard error:
  /// less is not worth masses that are biased.
  double least_gain = 0.02;
  int draws = 200;  ///< of blocks, for the probability of each candidate
  std::uint64_t seed = 1;
  int threads = 1;  ///< structures are tried in parallel; 0: one per core. The numbers are the same
};

/// One estimator in one structure, and how it predicts held-out data.
struct EstimatorCandidate {
  std::string estimator;  ///< consistent, forward or instrumental
  model::Structure structure;
  bool tried = false;
  std::string why_not;         ///< where it was not tried
  Eigen::VectorXd theta;       ///< of all logs
  Eigen::MatrixXd covariance;  ///< of theta; of the chosen structure's consistent one with errors of lag, map
                               ///< and dead band, of the others without
  double delay = 0;            ///< s
  /// Mean logarithm of the rms errors of each block, over axes, of blurred accelerations and of free runs.
  std::vector<double> by_block;
  /// Mean of `by_block` less that of the consistent estimate, negative: its error is smaller by so many
  /// nepers; and the standard error of that by paired blocks.
  double difference = 0, difference_sigma = 0;
  double probability = 0;  ///< share of the draws of blocks in which it is chosen
};

/// Docs: docs/identification.md, "Which estimator".
struct EstimatorChoice {
  /// The first one is consistent, in the structure that was found.
  std::vector<EstimatorCandidate> candidates;
  std::size_t chosen = 0;
  bool whole_logs = false;  ///< each log was held out as a whole; else blocks of time
  std::size_t folds = 0, blocks = 0;
  std::string why_consistent;  ///< where nothing could be compared
  const EstimatorCandidate& best() const { return candidates[chosen]; }
};

/// Scores the consistent, the forward and the instrumental estimate, in the structure of `found` and in its two
/// neighbours by number of parameters among those that the choice of the structure tried, by held-out data.
/// The consistent one in the structure of `found` is left only where another is better by more than one
/// standard error and by `least_gain`. Refits come from sums by fold: no pass over the rows for each. Estimates
/// that no vehicle can have are no candidates. Does not throw InputError for an estimate that cannot be made:
/// `why_not` says why.
EstimatorChoice choose_estimator(const std::vector<Recording>& recordings, const model::Robot& robot,
                                 const model::Environment& environment, const IdentifyOptions& options,
                                 const Identified& found, const EstimatorChoiceOptions& how = {});

/// Decides by the candidates' `by_block` and sets differences, probabilities and `chosen`.
void decide(EstimatorChoice& choice, const EstimatorChoiceOptions& how = {});

/// Returns the covariance after the choice, about `theta` with covariance C of the chosen candidate:
/// sum_e p_e (C_e + (theta_e - theta)(theta_e - theta)'), on the parameters that candidate e has too. C_e is
/// taken for no smaller than C in any direction: it lacks errors of lag, map and dead band.
Eigen::MatrixXd mixed_covariance(const EstimatorChoice& choice, const Eigen::VectorXd& theta,
                                 const Eigen::MatrixXd& C);

}  // namespace fathom::identify
