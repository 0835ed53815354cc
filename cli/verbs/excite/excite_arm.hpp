#pragma once
#include "fathom/excite/arm/problem.hpp"

#include "cli/verb.hpp"
#include "cli/verbs/excite/excite_options.hpp"

namespace fathom::cli {

/// `fathom excite` of a problem of an arm; returns the exit status.
int excite_arm(const Verb& verb, const ExciteOptions& options, excite::ArmProblem problem);

}  // namespace fathom::cli
