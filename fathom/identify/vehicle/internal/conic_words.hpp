#pragma once
#include <string>

#include "fathom/base/error.hpp"
#include "fathom/solve/conic.hpp"

namespace fathom::identify::internal {

/// Why the conic solver has no estimate of a structure, for people. `result` is not `solved`.
Finding no_estimate(const std::string& structure, const solve::ConicSet& constraints,
                    const solve::ConicResult& result);

/// Returns the names of the constraints that hold with equality, matrices first.
std::vector<std::string> active_constraints(const solve::ConicSet& set, const solve::ConicResult& result);

}  // namespace fathom::identify::internal
