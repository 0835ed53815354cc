#pragma once
#include "fathom/filter/track.hpp"

namespace fathom::filter::internal {

/// filter::smooth with `window` seconds of the way back in memory at a time; the outcome does not depend on it.
Smoothed smooth_in_windows(const Measurements& measurements, const SmootherOptions& options, double window);

}  // namespace fathom::filter::internal
