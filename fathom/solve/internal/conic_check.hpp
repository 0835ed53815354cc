#pragma once
#include "fathom/solve/conic.hpp"

namespace fathom::solve::internal {

/// Throw InputError where sizes or indices do not fit, or a number is not finite.
void check(const ConicSet& set);
void check(const ConicOptions& options);
void check(const ConicObjective& objective, int unknowns);
/// G + Q is not positive semi-definite: its factor shows it, not a check beforehand.
[[noreturn]] void reject_indefinite(const ConicObjective& objective);

}  // namespace fathom::solve::internal
