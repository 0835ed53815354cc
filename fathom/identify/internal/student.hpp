#pragma once

namespace fathom::identify::internal {

/// Returns the quantile of Student's t distribution at the probability `p`, from 0 to 1, for any positive
/// number of degrees of freedom, also an infinite one; NaN outside of these ranges.
double student_t(double p, double degrees);

}  // namespace fathom::identify::internal
