#include "fathom/filter/internal/density.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/base/median.hpp"
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

constexpr double cell = 1;  // s

/// Row by row, of the usable samples in [from, until); quaternions in the half space of `near`. Empty: none.
Eigen::VectorXd median_between(const Series& series, double from, double until, const Eigen::VectorXd& near) {
  const std::vector<double>& t = series.readings->t;
  const auto first = static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), from) - t.begin());
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(series.values->rows()));
  Eigen::VectorXd reference = near;
  for (std::size_t i = first; i < t.size() && t[i] < until; ++i) {
    if (!series.usable[i]) continue;
    if (reference.size() == 0) reference = series.value(i);
    const bool other_half = series.kind == Kind::attitude && series.value(i).dot(reference) < 0;
    for (std::size_t row = 0; row < rows.size(); ++row)
      rows[row].push_back((other_half ? -1 : 1) * series.value(i)[static_cast<Eigen::Index>(row)]);
  }
  if (rows.front().empty()) return {};
  Eigen::VectorXd medians(series.values->rows());
  for (std::size_t row = 0; row < rows.size(); ++row)
    medians[static_cast<Eigen::Index>(row)] = median(rows[row]);
  return medians;
}

/// Sum of the squares of one series' differences, and how many there are.
struct Sum {
  double squares = 0;
  int count = 0, filled = 0, cells = 0;
};

Sum differences(const Series& series, const Span& stretch) {
  Sum sum;
  const double sigma = series.readings->sigma.mean();
  const std::size_t order = series.kind == Kind::velocity ? 1 : 2;
  std::vector<Eigen::VectorXd> run;  // medians of seconds that follow each other
  for (double from = stretch.from; from + 0.5 * cell < stretch.until; from += cell, ++sum.cells) {
    Eigen::VectorXd here =
        median_between(series, from, from + cell, run.empty() ? Eigen::VectorXd() : run.back());
    if (here.size() == 0) {
      run.clear();
      continue;
    }
    ++sum.filled;
    run.push_back(std::move(here));
    if (run.size() <= order) continue;
    const Eigen::VectorXd* last = &run.back();
    Eigen::VectorXd difference = last[0] - last[-1];
    if (order == 2) difference -= last[-1] - last[-2];
    sum.squares += difference.squaredNorm() / (sigma * sigma);
    ++sum.count;
  }
  return sum;
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

double activity(const std::vector<Series>& series, const Span& stretch) {
  double squares = 0;
  bool is_measured = false;
  for (const Series& one : series) {
    if (!one.anchors) continue;
    const Sum sum = differences(one, stretch);
    if (sum.count > 0) squares += sum.squares / sum.count;
    is_measured = is_measured || 2 * sum.filled >= sum.cells;
  }
  return is_measured ? std::sqrt(squares) : 0;
}

}  // namespace fathom::filter::internal
