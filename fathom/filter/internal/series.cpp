#include "fathom/filter/internal/series.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/median.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::filter::internal {

namespace {

constexpr double least_norm = 0.5;  // of a quaternion; a unit one in a file with few digits is within 1e-2

struct Shape {
  const char* name;
  Eigen::Index rows, sigmas;
};

Shape shape_of(Kind kind) {
  switch (kind) {
    case Kind::position: return {"position", 3, 3};
    case Kind::attitude: return {"attitude", 4, 3};
    case Kind::rate: return {"rate", 3, 3};
    case Kind::depth: return {"depth", 1, 1};
    case Kind::force: return {"force", 3, 3};
    case Kind::velocity: break;
  }
  return {"velocity", 3, 3};
}

void check_shape(const Readings& readings, const Shape& shape, const std::string& name) {
  if (readings.values.rows() != shape.rows)
    reject(name, fmt::format("has {} rows, must have {}", readings.values.rows(), shape.rows),
           "a column per sample");
  if (readings.values.cols() != static_cast<Eigen::Index>(readings.t.size()))
    reject(name, fmt::format("has {} samples and {} times", readings.values.cols(), readings.t.size()),
           "a time for each column");
  if (readings.sigma.size() != shape.sigmas)
    reject(name + ".sigma", fmt::format("has {} numbers, must have {}", readings.sigma.size(), shape.sigmas),
           "the standard deviation of one sample");
  for (const double sigma : readings.sigma)
    if (!(sigma > 0 && std::isfinite(sigma)))
      reject(name + ".sigma", fmt::format("= {}, must be > 0", sigma), "the standard deviation of one sample");
  if (!readings.lever_b.allFinite()) reject(name + ".lever_b", "is not finite", "metres in b");
}

void check_times(const std::vector<double>& t, const std::string& name) {
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (!std::isfinite(t[i])) reject(fmt::format("{}[{}]", name, i), "has no time", "seconds");
    if (i > 0 && t[i] < t[i - 1])
      reject(fmt::format("{}[{}]", name, i), fmt::format("t = {} comes after t = {}", t[i], t[i - 1]),
             "samples in order of time");
  }
}

bool is_sample(const Eigen::Ref<const Eigen::VectorXd>& value, Kind kind) {
  return value.allFinite() && (kind != Kind::attitude || value.norm() > least_norm);
}

constexpr std::size_t side = 5;   // neighbours before a sample, and after it
constexpr double reach = 1;       // s, how far they may be
constexpr std::size_t least = 5;  // neighbours, fewer tell nothing

/// What sample i says beyond sample `origin`: a difference, or a small rotation.
Eigen::VectorXd beyond(const Series& series, std::size_t origin, std::size_t i) {
  if (series.kind != Kind::attitude) return series.value(i) - series.value(origin);
  return log_rotation(series.quaternion(origin).conjugate() * series.quaternion(i));
}

/// The usable samples next to i.
std::vector<std::size_t> neighbours_of(const Series& series, std::size_t i) {
  std::vector<std::size_t> found;
  const auto is_near = [&](std::size_t k) { return std::abs(series.t(k) - series.t(i)) <= reach; };
  for (std::size_t k = i, count = 0; count < side && k-- > 0 && is_near(k);)
    if (series.usable[k]) found.push_back(k), ++count;
  for (std::size_t k = i + 1, count = 0; count < side && k < series.size() && is_near(k); ++k)
    if (series.usable[k]) found.push_back(k), ++count;
  return found;
}

/// The neighbour that is nearest to all others, which is no outlier itself.
std::size_t most_central(const Series& series, const std::vector<std::size_t>& neighbours) {
  std::size_t best = neighbours.front();
  double nearest = infinity;
  for (const std::size_t a : neighbours) {
    std::vector<double> distances;
    for (const std::size_t b : neighbours) distances.push_back(beyond(series, a, b).lpNorm<Eigen::Infinity>());
    if (const double distance = median(distances); distance < nearest) {
      nearest = distance;
      best = a;
    }
  }
  return best;
}

/// Whether sample i is far from the lines through pairs of its neighbours, by their median and its spread.
bool outliers(const Series& series, std::size_t i, double limit) {
  const std::vector<std::size_t> neighbours = neighbours_of(series, i);
  if (neighbours.size() < least) return false;
  const std::size_t origin = most_central(series, neighbours);
  const Eigen::VectorXd here = beyond(series, origin, i);
  std::vector<Eigen::VectorXd> there;
  for (const std::size_t k : neighbours) there.push_back(beyond(series, origin, k));
  for (Eigen::Index row = 0; row < here.size(); ++row) {
    std::vector<double> expected;
    for (std::size_t a = 0; a < neighbours.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const double t_a = series.t(neighbours[a]), t_b = series.t(neighbours[b]);
        if (std::abs(t_a - t_b) <= same_time) continue;
        const double share = (series.t(i) - t_a) / (t_b - t_a);
        expected.push_back(there[a][row] + share * (there[b][row] - there[a][row]));
      }
    if (expected.size() < least) return false;
    const double centre = median(expected);
    for (double& value : expected) value = std::abs(value - centre);
    const double spread = sigmas_of_mad * median(expected) + series.sigma(row);
    if (!(std::abs(here[row] - centre) <= limit * spread)) return true;
  }
  return false;
}

/// A cheap test that every outlier fails: far from both the sample before and the one after.
bool may_be_outlier(const Series& series, std::size_t i, std::size_t before, std::size_t after, double limit) {
  const double far = limit * series.readings->sigma.minCoeff();
  const auto is_far = [&](std::size_t k) {
    return k >= series.size() || !(beyond(series, k, i).lpNorm<Eigen::Infinity>() <= far);
  };
  return is_far(before) && is_far(after);
}

}  // namespace

std::string series_name(Kind kind, std::size_t number) {
  return fmt::format("{} {}", shape_of(kind).name, number);
}

double usual_step(const Series& series) {
  constexpr std::size_t enough = 10000;
  std::vector<double> steps;
  const std::size_t stride = std::max<std::size_t>(1, series.size() / enough);
  for (std::size_t k = stride; k < series.size(); k += stride) steps.push_back(series.t(k) - series.t(k - 1));
  return steps.empty() ? 0 : median(steps);
}

void limit(Series& series, const Span& span) {
  for (std::size_t i = 0; i < series.size(); ++i)
    if (series.t(i) < span.from || series.t(i) > span.until) series.usable[i] = 0;
}

std::vector<Series> series_of(const std::vector<Readings>& readings, Kind kind) {
  const Shape shape = shape_of(kind);
  std::vector<Series> all;
  for (const Readings& one : readings) {
    Series series;
    series.number = static_cast<int>(all.size());
    series.name = series_name(kind, all.size());
    check_shape(one, shape, series.name);
    check_times(one.t, series.name);
    series.kind = kind;
    series.anchors = kind != Kind::rate && kind != Kind::depth && kind != Kind::force;
    series.readings = &one;
    series.values = &one.values;
    series.usable.resize(one.t.size());
    for (std::size_t i = 0; i < one.t.size(); ++i)
      series.usable[i] = is_sample(one.values.col(static_cast<Eigen::Index>(i)), kind);
    all.push_back(std::move(series));
  }
  return all;
}

Grid grid_between(double from, double until, double dt) {
  const double first = std::ceil((from - same_time) / dt), last = std::floor((until + same_time) / dt);
  return {first * dt, dt, std::max(0L, static_cast<long>(last - first) + 1)};
}

Span span_of(const std::vector<Series>& series) {
  Span span{infinity, -infinity};
  for (const Series& one : series) {
    if (!one.anchors) continue;
    const auto first = std::find(one.usable.begin(), one.usable.end(), char{1});
    if (first == one.usable.end()) continue;
    const auto last = std::find(one.usable.rbegin(), one.usable.rend(), char{1});
    span.from = std::min(span.from, one.t(static_cast<std::size_t>(first - one.usable.begin())));
    span.until = std::max(span.until, one.t(static_cast<std::size_t>(one.usable.rend() - last) - 1));
  }
  return span;
}

std::size_t usable_values(const std::vector<Series>& series) {
  std::size_t count = 0;
  for (const Series& one : series)
    count += static_cast<std::size_t>(one.readings->sigma.size()) *
             static_cast<std::size_t>(std::count(one.usable.begin(), one.usable.end(), char{1}));
  return count;
}

void leave_out_outliers(Series& series, double limit) {
  std::vector<std::size_t> samples, found;
  for (std::size_t i = 0; i < series.size(); ++i)
    if (series.usable[i]) samples.push_back(i);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const std::size_t none = series.size();
    const std::size_t before = k > 0 ? samples[k - 1] : none,
                      after = k + 1 < samples.size() ? samples[k + 1] : none;
    if (may_be_outlier(series, samples[k], before, after, limit) && outliers(series, samples[k], limit))
      found.push_back(samples[k]);
  }
  for (const std::size_t i : found) series.usable[i] = 0;
  series.outliers += found.size();
}

}  // namespace fathom::filter::internal
