#pragma once
#include "fathom/filter/clock_alignment.hpp"

namespace fathom::filter::internal {

/// Offsets of `channels` relative to `reference` by weighted least squares over the pairs that are known:
/// docs/filters.md eqs. 25 and 26. Fills channels, chi_square and loops.
void solve_graph(Alignment& alignment, const std::vector<std::string>& channels, const std::string& reference);

}  // namespace fathom::filter::internal
