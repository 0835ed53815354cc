#pragma once
#include <vector>

#include "fathom/excite/search.hpp"

namespace fathom::excite::internal {

/// Packs the outcome of a start into numbers for a worker pool, and back.
std::vector<double> numbers_of(const Outcome& outcome);
Outcome outcome_of(int number, const std::vector<double>& numbers);

}  // namespace fathom::excite::internal
