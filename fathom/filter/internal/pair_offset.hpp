#pragma once
#include "fathom/filter/clock_alignment.hpp"

namespace fathom::filter::internal {

/// How much later `to` shows the motion that both show, at t0 and by drift: docs/filters.md eqs. 22 to 24.
PairOffset pair_offset(const MotionSeries& from, const MotionSeries& to, double t0,
                       const AlignmentOptions& options);

}  // namespace fathom::filter::internal
