#include "fathom/solve/internal/incomplete_gamma.hpp"

#include <cmath>

#include "fathom/base/constants.hpp"

namespace fathom::solve::internal {
namespace {

constexpr int most_terms = 100000;  // some ten times the root of a are needed

/// x^a e^-x / Gamma(a).
double front(double a, double x) { return std::exp(a * std::log(x) - x - std::lgamma(a)); }

/// P = 1 - Q by its power series (DLMF 8.11.4): all terms are positive, and fall from the start for x < a + 1.
double lower_by_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (int k = 1; k < most_terms && term > epsilon * sum; ++k) sum += term *= x / (a + k);
  return front(a, x) * sum;
}

/// Q by its continued fraction (DLMF 8.9.2) in even form, by Lentz' method.
double upper_by_fraction(double a, double x) {
  double b = x + 1 - a, c = infinity, d = 1 / b, value = d;
  for (int k = 1; k < most_terms; ++k) {
    const double numerator = -k * (k - a);
    b += 2;
    d = 1 / (b + numerator * d);
    c = b + numerator / c;
    value *= c * d;
    if (std::abs(c * d - 1) <= epsilon) break;
  }
  return front(a, x) * value;
}

}  // namespace

double upper_incomplete_gamma(double a, double x) {
  if (x <= 0) return 1;
  return x < a + 1 ? 1 - lower_by_series(a, x) : upper_by_fraction(a, x);
}

}  // namespace fathom::solve::internal
