#pragma once
#include "fathom/filter/clock_alignment.hpp"

namespace fathom::filter::internal {

/// Offsets of `channels` relative to `reference` by weighted least squares over the pairs that are known:
/// docs/filters.md eqs. 25 and 26. Fills channels, chi_square and loops.
void solve_graph(Alignment& alignment, const std::vector<std::string>& channels, const std::string& reference);

/// How much later `to` shows the motion that both show, at t0 and by drift: docs/filters.md eqs. 22 to 24.
PairOffset pair_offset(const MotionSeries& from, const MotionSeries& to, double t0,
                       const AlignmentOptions& options);

}  // namespace fathom::filter::internal
