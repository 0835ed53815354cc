#pragma once
#include <vector>

#include "fathom/solve/conic.hpp"
#include "fathom/solve/interior_point.hpp"

namespace fathom::solve::internal {

/// Throws InputError where sizes differ, a number is NaN, or a row's bounds cross or touch.
void check(const BlockProgram& program);
/// Throws InputError where a row without unknowns cannot be met.
void check_constant_rows(const BlockProgram& program);
/// Throws InputError where an option is out of its range.
void check(const InteriorPointOptions& options);
/// Throws InputError unless `x` has n numbers, all finite.
void check_point(const char* name, const Eigen::VectorXd& x, Eigen::Index n);
/// Rows without unknowns whose bounds do not hold zero.
std::vector<Conflict> constant_conflicts(const BlockProgram& program);

/// Throw InputError where sizes or indices do not fit, or a number is not finite.
void check(const ConicSet& set);
void check(const ConicOptions& options);
void check(const ConicObjective& objective, int unknowns);
/// G + Q is not positive semi-definite: its factor shows it, not a check beforehand.
[[noreturn]] void reject_indefinite(const ConicObjective& objective);

}  // namespace fathom::solve::internal
