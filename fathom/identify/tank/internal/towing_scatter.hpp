#pragma once
#include <cstddef>
#include <vector>

#include "fathom/identify/tank/towing.hpp"

// How far runs lie from each other and from a law, robustly: before it is known which of them to leave out.
namespace fathom::identify::internal {

/// Indices of runs, in groups of one speed, in order of speed.
using SpeedGroups = std::vector<std::vector<std::size_t>>;
SpeedGroups speed_groups(const std::vector<TowedRun>& runs, const std::vector<bool>& kept, double same_speed);

/// c >= 0 through two of the runs, those for which three quarters of all lie nearest.
DragLaw robust_law(const std::vector<TowedRun>& runs);

/// N, scatter between runs of one speed beyond their variances, from differences of pairs; where hardly any
/// speed was run twice, from distances to the law.
double scatter_of_runs(const std::vector<TowedRun>& runs, const SpeedGroups& groups, const DragLaw& law);

/// N, by which points miss the law beyond their variances: that with which the squares of residuals over their
/// sigmas add up to the degrees of freedom (DerSimonian and Laird 1986), each cut at nine.
double misfit_of_law(const std::vector<FusedPoint>& points, const DragLaw& law, double degrees);

}  // namespace fathom::identify::internal
