#pragma once
#include <vector>

#include "fathom/filter/internal/series.hpp"

namespace fathom::filter::internal {

/// How much accelerations show in a stretch, in sigmas: the rms of the second differences of each second's
/// median, of what anchors (of a velocity the first differences). Medians, so that no outlier counts as motion.
/// 0 where fewer than half of the seconds have a sample.
double activity(const std::vector<Series>& series, const Span& stretch);

}  // namespace fathom::filter::internal
