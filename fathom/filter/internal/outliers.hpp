#pragma once
#include "fathom/filter/internal/series.hpp"

namespace fathom::filter::internal {

/// Makes unusable the samples that lie more than `limit` times the spread off the lines through their
/// neighbours (docs/filters.md, below eq. 11: while it settles), and counts them in `series.strays`. A filter
/// that is yet to settle cannot tell them.
void leave_out_outliers(Series& series, double limit);

}  // namespace fathom::filter::internal
