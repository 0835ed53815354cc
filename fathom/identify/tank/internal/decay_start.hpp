#pragma once
#include <vector>

#include "fathom/identify/tank/free_decay.hpp"

namespace fathom::identify::internal {

/// Where to begin: rates, and the first state of each run.
struct DecayStart {
  DecayRates rates;
  std::vector<Eigen::Vector2d> first;
};

/// The frequency at which a swing that grows or falls in a straight line explains most of all runs, then the
/// best of a few dampings by simulation.
DecayStart decay_start(const std::vector<DecayRun>& runs);

}  // namespace fathom::identify::internal
