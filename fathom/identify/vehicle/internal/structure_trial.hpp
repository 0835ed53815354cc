#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/identify/vehicle/internal/held_out.hpp"
#include "fathom/identify/vehicle/internal/weighed_rows.hpp"

namespace fathom::identify::internal {

/// What the trials of all structures share.
struct TrialProblem {
  const std::vector<Recording>& recordings;
  const model::Robot& robot;
  const model::Environment& environment;
  const IdentifyOptions& options;
  const Identified& found;
  const EstimatorChoiceOptions& how;
  HeldOut plan = {};
  std::vector<int> axes = {};  ///< of [u v w p q r], by which predictions are judged
  Vec6 spread = Vec6::Ones();  ///< of the velocities [m/s, rad/s]
};

/// An estimate, and its refits without each fold.
struct Trial {
  EstimatorCandidate candidate;
  std::vector<Eigen::VectorXd> by_fold;
};

/// Returns the vehicle with these parameters. Throws InputError where no vehicle can have them.
dynamics::Vehicle vehicle_of(const TrialProblem& problem, const model::Structure& structure,
                             const Eigen::VectorXd& theta);

/// The estimators in one structure: consistent, forward and instrumental. Keeps references to its arguments.
class StructureTrial {
 public:
  StructureTrial(const TrialProblem& problem, const model::Structure& structure);

  /// Fits and refits the consistent estimate; the calls below need it.
  void fit_consistent();
  /// Returns the delay [s] of the least unexplained acceleration; none where forward is not allowed, or finds
  /// no estimate.
  std::optional<double> forward_delay() const;
  /// Returns all three estimates with their scores.
  std::vector<Trial> scored(const std::optional<double>& forward_delay);
  /// Frees the rows that are kept between passes; later passes form them again.
  void drop_rows();

 private:
  std::size_t folds() const { return problem_.plan.folds; }
  Eigen::Index unknowns() const { return static_cast<Eigen::Index>(structure_.size()); }
  /// As the structure's predictions have the motion.
  const Regression& predicting() const { return level_ ? *level_ : *regression_; }
  Trial trial_of(const char* estimator) const;
  void learn_weights();
  std::optional<Eigen::VectorXd> solved(const Normal& sums, bool with_prior, EstimatorCandidate& candidate);
  void refit(const FoldSums& sums, bool with_prior, Trial& trial);
  FoldSums consistent_sums() const;
  void fit_neighbour(const FoldSums& sums);
  bool allows_forward() const;
  void fit_forward(Trial& trial, const std::optional<double>& delay);
  void fit_instrumental(Trial& trial);

  const TrialProblem& problem_;
  const model::Structure& structure_;
  bool is_chosen_;
  std::optional<Regression> regression_, level_;
  solve::ConicSet constraints_;
  solve::ConicSolver solver_;
  FitOptions fit_options_;
  FitState state_;
  Trial consistent_;
};

}  // namespace fathom::identify::internal
