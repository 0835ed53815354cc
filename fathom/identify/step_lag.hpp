#pragma once
#include <string>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/identify/step_run.hpp"
#include "fathom/identify/thruster.hpp"

namespace fathom::identify {

/// What a thruster with a first-order lag does in a run (docs/model.md eq. 30): its shaft speed lags, and with
/// it the force where the map is a propeller; else the force lags itself. Empty where the run or the thruster
/// has no such thing.
struct StepResponse {
  Eigen::VectorXd speeds;  ///< rad/s, magnitudes
  Eigen::VectorXd forces;  ///< N
};
StepResponse simulate_lag(const IdentifiedThruster& thruster, const StepRun& run, double time_constant);

struct StepScore {
  std::string run;
  double speed_r2 = nan, force_r2 = nan;  ///< NaN where it was not measured, or never changes
};

struct LagFit {
  double time_constant = 0, sigma = 0;  ///< s, residuals that remember allowed for
  std::vector<StepScore> scores;        ///< the first of the run that was fitted, the rest of runs not seen
};
/// The time constant with the least sum of squares over speed and force of the first run, each in units of its
/// own spread; searched on a grid that is refined. Throws InputError, by the run's name, where the steady laws
/// say nothing of what was measured, the run does not move, or no lag can be seen in it; and for a thruster of
/// several voltages.
LagFit fit_lag(const IdentifiedThruster& thruster, const std::vector<StepRun>& runs);

}  // namespace fathom::identify
