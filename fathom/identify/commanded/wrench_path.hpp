#pragma once
#include "fathom/geometry/types.hpp"
#include "fathom/identify/commanded/commanded_run.hpp"

namespace fathom::identify {

/// What stands between a commanded wrench and the one that acts: it is shared out to thrusters by the
/// pseudo-inverse of B, every thruster gives nothing within its dead band and falls short by it beyond, and all
/// of it is late; docs/identification.md eqs. 27 and 28.
struct WrenchPath {
  Mat6X B = {};          ///< tau_b = B f; without columns the wrench acts as commanded
  double dead_band = 0;  ///< N, of each thruster
  double lag = 0;        ///< s

  /// The wrench that acts on the grid of a run. Throws InputError for a dead band below 0.
  Mat6X wrench_b(const CommandedRun& run) const;
};

/// B of four level thrusters at 45 degrees and four upright ones, all of them mirror images of each other, as
/// vehicles of this kind have them. Levers in m: of the level ones about z, of the upright ones about x and y.
Mat6X vectored_thrusters(double yaw_lever, double roll_lever, double pitch_lever);

}  // namespace fathom::identify
