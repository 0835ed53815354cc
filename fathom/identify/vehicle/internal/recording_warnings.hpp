#pragma once
#include <vector>

#include "fathom/identify/vehicle/internal/recording_source.hpp"
#include "fathom/identify/vehicle/recording.hpp"

namespace fathom::identify::internal {

/// What a smoothed log says against itself: sensors that contradict each other, a vehicle that never moved,
/// numbers of another unit. Throws InputError where no vehicle moves like that.
Findings warnings_of(const Source& source, const filter::Smoothed& smoothed);

}  // namespace fathom::identify::internal
