#include "fathom/filter/internal/series.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

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

}  // namespace

std::vector<Series> series_of(const std::vector<Readings>& readings, Kind kind) {
  const Shape shape = shape_of(kind);
  std::vector<Series> all;
  for (const Readings& one : readings) {
    Series series;
    series.number = static_cast<int>(all.size());
    series.name = fmt::format("{} {}", shape.name, series.number);
    check_shape(one, shape, series.name);
    check_times(one.t, series.name);
    series.kind = kind;
    series.anchors = kind != Kind::rate && kind != Kind::depth;
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

}  // namespace fathom::filter::internal
