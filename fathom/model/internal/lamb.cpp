#include "fathom/model/internal/lamb.hpp"

#include <cmath>
#include <numbers>

namespace fathom::model::internal {
namespace {

/// The integral of f over 0 .. infinity, for f that are smooth in the logarithm: double exponential quadrature
/// (Takahasi and Mori 1974), lambda = scale exp(pi/2 sinh x), to 1e-13.
template <class Function>
double half_line(const Function& f, double scale) {
  constexpr double step = 1.0 / 32, end = 4.5;
  double sum = 0;
  for (int k = -static_cast<int>(end / step); k <= static_cast<int>(end / step); ++k) {
    const double x = k * step, lambda = scale * std::exp(std::numbers::pi / 2 * std::sinh(x));
    sum += f(lambda) * lambda * std::cosh(x);
  }
  return std::numbers::pi / 2 * step * sum;
}

}  // namespace

Vec6 ellipsoid_added_mass(const Vec3& semi_axes, double density) {
  const Vec3 s = semi_axes.cwiseAbs2();
  const double abc = semi_axes.prod(), scale = std::cbrt(s.prod());
  const auto integral = [&](const auto& one_over) {
    const auto f = [&](double x) {
      return 1 / (one_over(x) * std::sqrt((s[0] + x) * (s[1] + x) * (s[2] + x)));
    };
    return abc * half_line(f, scale);
  };
  const double displaced = 4.0 / 3 * std::numbers::pi * density * abc;
  Vec6 mass;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double alpha = integral([&](double x) { return s[i] + x; });
    mass[i] = displaced * alpha / (2 - alpha);
    // Lamb's quotient of differences, divided by the one that a body of revolution makes zero in both.
    const double kappa = integral([&](double x) { return (s[j] + x) * (s[k] + x); });
    mass[3 + i] = displaced / 5 * std::pow(s[j] - s[k], 2) * kappa / (2 - (s[j] + s[k]) * kappa);
  }
  return mass;
}

}  // namespace fathom::model::internal
