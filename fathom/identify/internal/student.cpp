#include "fathom/identify/internal/student.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom::identify::internal {
namespace {

/// Integral of cos^power from 0 to `angle`, by Simpson's rule.
double cosine_integral(double power, double angle) {
  constexpr int steps = 400;
  const double h = angle / steps;
  const auto at = [&](int k) { return std::pow(std::max(0.0, std::cos(k * h)), power); };
  double sum = at(0) + at(steps);
  for (int k = 1; k < steps; ++k) sum += (k % 2 ? 4 : 2) * at(k);
  return sum * h / 3;
}

}  // namespace

double student_t(double p, double degrees) {
  // With t = sqrt(v) tan(a) the density is that of a power of the cosine: no gamma function, no infinite range.
  const double all = cosine_integral(degrees - 1, std::numbers::pi / 2);
  double low = 0, high = std::numbers::pi / 2;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (0.5 + 0.5 * cosine_integral(degrees - 1, middle) / all < p ? low : high) = middle;
  }
  return std::sqrt(degrees) * std::tan(0.5 * (low + high));
}

}  // namespace fathom::identify::internal
