#pragma once

namespace fathom::identify::internal {

/// t with the probability p below it, of Student's distribution; exact, also for few degrees of freedom. p from
/// .5 to below 1, degrees 1 or more.
double student_t(double p, double degrees);

}  // namespace fathom::identify::internal
