#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/consistency/identifiability.hpp"
#include "fathom/identify/estimators.hpp"
#include "fathom/identify/structure_choice.hpp"

namespace fathom::identify {

struct IdentifyOptions {
  /// Among which the data decide; with one only, there is no choice.
  std::vector<model::Structure> candidates;
  RegressionOptions regression;
  FitOptions fit;
  consistency::ConditionOptions conditions;
  ChoiceOptions choice;
  bool compare = true;  ///< the other estimators too
  /// A parameter is unseen where one sigma of it makes this share of its row's wrench.
  double unseen_share = 0.5;
};

/// What a vehicle's logs say of its parameters.
struct Identified {
  model::Structure structure;
  model::ParameterVector parameters;
  Fit fit;
  std::optional<StructureChoice> choice;  ///< where there were several candidates
  std::vector<Estimate> estimates;        ///< by other estimators
  Vec6 excitation = Vec6::Zero();         ///< of each velocity: rms over the smoother's sigma
  consistency::Identifiability identifiability;

  bool all_seen() const { return identifiability.unseen.empty(); }
  bool at_a_bound() const { return !fit.active.empty(); }
};

/// Throws InputError where the logs show nothing of a degree of freedom that every candidate has (named), or
/// where nothing can be fitted.
Identified identify(const std::vector<Recording>& recordings, const model::Robot& robot,
                    const model::Environment& environment, const IdentifyOptions& options);

/// rad, what the robot file says of the constant error of its attitude sensors (`bias`): roll, pitch, heading.
Vec3 attitude_sigma(const model::Robot& robot);

}  // namespace fathom::identify
