#pragma once
#include <numbers>

#include "fathom/base/constants.hpp"

namespace fathom::filter::internal {

/// A bracket a < b < c < d of a least value, the inner two in the golden section, and the function there. Ends
/// that were not evaluated are infinite: they are never better.
struct GoldenSection {
  double a, b, c, d;
  double at_a = infinity, at_b, at_c, at_d = at_a;

  double best() const { return at_b < at_c ? b : c; }
};

/// Narrows [a, d] by 0.618 at each step.
template <class Function>
GoldenSection golden_section(const Function& function, double a, double d, int steps) {
  constexpr double share = std::numbers::phi - 1;
  const double b = d - share * (d - a), c = a + share * (d - a);
  GoldenSection g{.a = a, .b = b, .c = c, .d = d, .at_b = function(b), .at_c = function(c)};
  for (int i = 0; i < steps; ++i) {
    if (g.at_b < g.at_c) {
      g.d = g.c, g.at_d = g.at_c;
      g.c = g.b, g.at_c = g.at_b;
      g.b = g.d - share * (g.d - g.a);
      g.at_b = function(g.b);
    } else {
      g.a = g.b, g.at_a = g.at_b;
      g.b = g.c, g.at_b = g.at_c;
      g.c = g.a + share * (g.d - g.a);
      g.at_c = function(g.c);
    }
  }
  return g;
}

}  // namespace fathom::filter::internal
