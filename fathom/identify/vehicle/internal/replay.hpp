#pragma once
#include <list>
#include <span>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/identify/commanded/acceleration_fit.hpp"
#include "fathom/identify/vehicle/recording.hpp"

namespace fathom::identify::internal {

/// A stretch of a recording, all of it usable.
struct CommandedPiece {
  const Recording* recording;
  Eigen::Index first;  ///< sample of the recording
  CommandedRun run;    ///< its commands are those of the whole recording: `asked`, or the wrench

  /// The piece's part of a series of the whole recording, so many samples late.
  Mat6X late(const Mat6X& series, Eigen::Index samples) const;
};

/// Every stretch of usable samples that is at least `shortest` seconds long, cut into even pieces of about
/// `longest` (infinite: not cut).
std::list<CommandedPiece> pieces_of(std::span<const Recording> recordings, double shortest, double longest);

inline constexpr double runaway = 100;  ///< m/s or rad/s: nothing under water does that

/// A wrench linear between its samples; place 2.5 is half-way between samples 2 and 3.
Vec6 between(const Mat6X& wrench, double place);

/// A delay in samples; whole where it is but for rounding.
double lag_of(double delay, double dt);

/// What was measured, as the vehicle's degrees of freedom have it: held velocities are zero, roll and pitch
/// too, unless `measured_tilt` asks for what was measured of them.
dynamics::State measured_state(const Recording& recording, Eigen::Index k, model::Dof dof,
                               bool measured_tilt = false);

}  // namespace fathom::identify::internal
