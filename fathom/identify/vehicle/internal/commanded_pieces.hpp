#pragma once
#include <list>
#include <span>

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

}  // namespace fathom::identify::internal
