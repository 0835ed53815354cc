#include "fathom/filter/internal/density.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace fathom::filter::internal {
namespace {

constexpr int lowest_decade = -3, highest_decade = 4;
constexpr int golden_steps = 6;  // leave an interval of 0.11 decades, and a parabola in it

/// The top of the parabola through three points, or the middle one where it has none.
double top(double a, double fa, double b, double fb, double c, double fc) {
  const double left = (b - a) * (fb - fc), right = (b - c) * (fb - fa);
  const double curvature = left - right;
  if (!(std::abs(curvature) > 0)) return b;
  const double x = b - 0.5 * ((b - a) * left - (b - c) * right) / curvature;
  return x > a && x < c ? x : b;
}

}  // namespace

std::vector<Span> parts_of(const Span& span, int count, double length) {
  const double whole = span.until - span.from;
  if (whole <= count * length) return {span};
  std::vector<Span> parts;
  for (int i = 0; i < count; ++i) {
    const double from = span.from + (whole - length) * (i + 0.5) / count;
    parts.push_back({from, from + length});
  }
  return parts;
}

double likeliest_density(const std::function<double(double)>& rough,
                         const std::function<double(double)>& fine) {
  int best = lowest_decade;
  double most = -std::numeric_limits<double>::infinity();
  for (int decade = lowest_decade; decade <= highest_decade; ++decade) {
    const double value = rough(std::pow(10.0, decade));
    if (value > most) {
      most = value;
      best = decade;
    }
  }
  const double share = std::numbers::phi - 1;
  const auto at = [&](double x) { return fine(std::pow(10.0, x)); };
  double a = best - 1, d = best + 1, b = d - share * (d - a), c = a + share * (d - a);
  double fb = at(b), fc = at(c);
  double fa = -std::numeric_limits<double>::infinity(), fd = fa;  // the ends are never better
  for (int i = 0; i < golden_steps; ++i) {
    if (fb > fc) {
      d = c, fd = fc;
      c = b, fc = fb;
      b = d - share * (d - a);
      fb = at(b);
    } else {
      a = b, fa = fb;
      b = c, fb = fc;
      c = a + share * (d - a);
      fc = at(c);
    }
  }
  const bool left = fb > fc;
  const double x = left ? b : c;
  const double outer = left ? fa : fb, inner = left ? fc : fd;
  if (!std::isfinite(outer) || !std::isfinite(inner)) return std::pow(10.0, x);
  return std::pow(10.0, left ? top(a, fa, b, fb, c, fc) : top(b, fb, c, fc, d, fd));
}

}  // namespace fathom::filter::internal
