#pragma once

namespace fathom::solve::internal {

/// Returns the probability that a chi-square variable of `degrees` > 0 degrees of freedom exceeds `x` >= 0: the
/// regularised upper incomplete gamma function Q(degrees / 2, x / 2). NaN outside of these ranges.
double chi_square_tail(double x, double degrees);

}  // namespace fathom::solve::internal
