#include "fathom/filter/internal/density.hpp"

#include <cmath>
#include <limits>

#include "fathom/filter/internal/golden_section.hpp"

namespace fathom::filter::internal {
namespace {

constexpr int lowest_decade = -3, highest_decade = 4;
constexpr int golden_steps = 6;  // leave an interval of 0.11 decades, and a parabola in it

/// The bottom of the parabola through three points, or the middle one where it has none.
double bottom(double a, double fa, double b, double fb, double c, double fc) {
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
  const auto at = [&](double decade) { return -fine(std::pow(10.0, decade)); };
  const GoldenSection g = golden_section(at, best - 1, best + 1, golden_steps);
  const bool left = g.at_b < g.at_c;
  if (!std::isfinite(left ? g.at_a : g.at_b) || !std::isfinite(left ? g.at_c : g.at_d))
    return std::pow(10.0, g.best());
  return std::pow(10.0, left ? bottom(g.a, g.at_a, g.b, g.at_b, g.c, g.at_c)
                             : bottom(g.b, g.at_b, g.c, g.at_c, g.d, g.at_d));
}

}  // namespace fathom::filter::internal
