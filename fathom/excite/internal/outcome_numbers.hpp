#pragma once
#include <vector>

#include "fathom/excite/design.hpp"

namespace fathom::excite::internal {

/// What a crew carries from whoever solved a start, and back.
std::vector<double> numbers_of(const Designer::Outcome& outcome);
Designer::Outcome outcome_of(int number, const std::vector<double>& numbers);

}  // namespace fathom::excite::internal
