#pragma once
#include "fathom/identify/vehicle/fit.hpp"
#include "fathom/identify/vehicle/internal/weighed_rows.hpp"

namespace fathom::identify::internal {

/// Sets what follows from where a fit has come to: estimate, residuals and covariances with errors of delay,
/// current, attitude and thrust and with the prior (docs/identification.md eqs. 10 to 12).
void describe(const Regression& regression, const FitOptions& options, const FitState& state, Fit& out);

}  // namespace fathom::identify::internal
