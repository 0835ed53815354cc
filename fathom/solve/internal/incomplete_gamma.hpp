#pragma once

namespace fathom::solve::internal {

/// Q(a, x) = Gamma(a, x) / Gamma(a) for a > 0, x >= 0: the regularised upper incomplete gamma function.
double upper_incomplete_gamma(double a, double x);

/// The probability that chi-square of that many degrees of freedom exceeds x.
inline double chi_square_tail(double x, double degrees) { return upper_incomplete_gamma(degrees / 2, x / 2); }

}  // namespace fathom::solve::internal
