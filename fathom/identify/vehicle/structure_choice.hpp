#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fathom/consistency/constraints.hpp"
#include "fathom/identify/vehicle/fit.hpp"

namespace fathom::identify {

struct ChoiceOptions {
  /// Of time, each held out once; at least 3. A short log has fewer: each has at least 20 samples.
  int blocks = 10;
  std::function<void(std::size_t done)> progress;  ///< as candidates end; it may throw to end it
  int threads = 1;  ///< candidates are tried in parallel; 0: one per core. The numbers are the same
};

/// How one structure predicts stretches of the log that it was not fitted to.
struct Candidate {
  model::Structure structure;
  bool tried = false;
  std::string why_not;  ///< where it was not tried
  double error = 0;     ///< mean square of held-out residuals over surge, sway, heave and yaw, in row sigmas
  Vec6 share = Vec6::Zero();     ///< by degree of freedom: rms of held-out residuals over that of the wrench
  std::vector<double> by_block;  ///< `error` of each block
  double worse = 0, worse_sigma = 0;  ///< than the best one: mean and standard error of the difference by block
};

struct StructureChoice {
  std::vector<Candidate> candidates;
  std::size_t chosen = 0;
};

/// Cross-validation over blocks of time: each candidate is fitted, under its conditions, to all blocks but one
/// and judged by the blurred equation on that one. Chosen is the one with fewest parameters among those that
/// are not worse than the best by more than a standard error. All see the delay, current and row sigmas of
/// `reference`, whose structure has surge, sway, heave and yaw. What is fitted keeps off the held-out block, so
/// that no window sees both. Throws InputError where a log is too short to be cut, or no candidate can be
/// tried.
StructureChoice choose_structure(const std::vector<model::Structure>& candidates,
                                 std::span<const Recording> recordings, const model::Robot& robot,
                                 const model::Environment& environment,
                                 const consistency::ConstraintOptions& constraints,
                                 const RegressionOptions& regression, const Fit& reference,
                                 const ChoiceOptions& options = {});

/// Velocities of [u v w p q r] whose motion stands out of what the smoother calls its own uncertainty, by the
/// ratio of the two.
Vec6 excitation(std::span<const Recording> recordings);
inline constexpr double least_excitation = 5;

/// rms of the thrusters' wrench [N, N m] over the samples that may be used.
Vec6 wrench_rms(std::span<const Recording> recordings);
/// Whether anything but rounding drives a velocity. Where nothing does, its equation has no right side, and
/// theta = 0 solves it.
bool is_driven(const Vec6& wrench_rms, int velocity);
/// Whether a velocity shows its parameters though no thruster drives it: roll or pitch, which the Munk moments
/// (m33 - m22) v w and (m11 - m33) u w move. They give the scale that its own wrench does not.
bool is_coupled(model::Dof dof, int velocity);
/// What the robot file says of the parameters, where the structure has a velocity that no thruster drives:
/// moments that are not measured give less than a wrench does.
std::optional<ParameterPrior> prior_of(const model::Structure& structure, const Vec6& wrench_rms,
                                       const model::Robot& robot, const model::Environment& environment);

}  // namespace fathom::identify
