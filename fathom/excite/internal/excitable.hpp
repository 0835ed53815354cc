#pragma once
#include <vector>

#include "fathom/excite/problem.hpp"

namespace fathom::excite::internal {

/// What is wrong with a structure whose information, each row of the equation of motion counting the same, is
/// `G` over some random motions: parameters that none of them shows, and those that only a combination of them
/// shows. What a few random motions do not show, no motion within the limits does.
Findings unexcitable(const Problem& problem, const Eigen::MatrixXd& G);

}  // namespace fathom::excite::internal
