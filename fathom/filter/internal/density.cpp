#include "fathom/filter/internal/density.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/filter/internal/golden_section.hpp"

namespace fathom::filter::internal {
namespace {

constexpr int lowest_decade = -3, highest_decade = 4;
constexpr double least_share = 0.1;   // of the largest activity: below, a stretch is at rest
constexpr int most_stretches = 1000;  // that are looked at; in a log of hours not all

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

std::vector<Span> lively_parts_of(const std::vector<Series>& series, int count, double length) {
  const Span span = span_of(series);
  std::vector<Span> parts = parts_of(span, count, length);
  if (parts.size() == 1 && count > 1) return parts;
  struct Stretch {
    Span span;
    double activity;
  };
  std::vector<Stretch> others;
  const double stride = std::max(length, (span.until - span.from) / most_stretches);
  for (double from = span.from; from + length <= span.until; from += stride) {
    const Span stretch{from, from + length};
    others.push_back({stretch, activity(series, stretch)});
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const Stretch& a, const Stretch& b) { return a.activity > b.activity; });
  const double least = least_share * others.front().activity;
  const auto is_lively = [&](const Span& part) { return activity(series, part) > least; };
  std::vector<Span> lively;
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(lively), is_lively);
  const auto is_apart = [&](const Span& stretch) {
    return std::all_of(lively.begin(), lively.end(), [&](const Span& other) {
      return stretch.until <= other.from || stretch.from >= other.until;
    });
  };
  for (const Stretch& other : others)
    if (lively.size() < parts.size() && other.activity > least && is_apart(other.span))
      lively.push_back(other.span);
  return lively.empty() ? parts : lively;
}

Likeliest likeliest_density(const std::function<double(double)>& rough,
                            const std::function<double(double)>& fine) {
  int best = lowest_decade;
  double most = -infinity;
  for (int decade = lowest_decade; decade <= highest_decade; ++decade) {
    const double value = rough(std::pow(10.0, decade));
    if (value > most) {
      most = value;
      best = decade;
    }
  }
  const auto at = [&](double decade) { return -fine(std::pow(10.0, decade)); };
  constexpr int golden_steps = 6;  // leave an interval of 0.11 decades, and a parabola in it
  const GoldenSection g = golden_section(at, best - 1, best + 1, golden_steps);
  const bool left = g.at_b < g.at_c;
  const bool is_bare = !std::isfinite(left ? g.at_a : g.at_b) || !std::isfinite(left ? g.at_c : g.at_d);
  const double decade = is_bare ? g.best()
                        : left  ? bottom(g.a, g.at_a, g.b, g.at_b, g.c, g.at_c)
                                : bottom(g.b, g.at_b, g.c, g.at_c, g.d, g.at_d);
  return {std::pow(10.0, decade), decade <= lowest_decade || decade >= highest_decade};
}

}  // namespace fathom::filter::internal
