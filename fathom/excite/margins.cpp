#include "fathom/excite/margins.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/excite/internal/kernel.hpp"
#include "fathom/excite/sampling.hpp"

namespace fathom::excite {
namespace {

/// The nearest approach of a column to a range between two times; a NaN is nearer than all.
Margin nearest(const Grid& grid, const Eigen::ArrayXXd& columns, int coordinate, const Range& range,
               double begin, double end) {
  Margin margin;
  margin.margin = infinity;
  for (Eigen::Index k = 0; k < grid.t.size(); ++k) {
    if (grid.mask[k] == 0 || grid.t[k] < begin - 1e-9 || grid.t[k] > end + 1e-9) continue;
    const double value = columns(k, coordinate);
    for (const double bound : {range.min, range.max}) {
      const double room = bound == range.min ? value - bound : bound - value;
      if (std::isnan(margin.margin) || room >= margin.margin) continue;
      margin.worst = value;
      margin.bound = bound;
      margin.margin = room;
      margin.t = grid.t[k];
    }
  }
  return margin;
}

}  // namespace

Grid sample_path(const Problem& problem, const std::function<trajectory::Bezier::Sample(double)>& at,
                 double interval, GridEnd end) {
  const double duration = problem.duration();
  const auto count = static_cast<Eigen::Index>(std::floor(duration / interval * (1 + 1e-12))) + 1;
  const bool ends_between = static_cast<double>(count - 1) * interval < duration * (1 - 1e-12);
  const Eigen::Index samples = count + (end == GridEnd::included && ends_between ? 1 : 0);
  const Eigen::Index rows = (samples + internal::lanes - 1) / internal::lanes * internal::lanes;
  Grid grid{Eigen::ArrayXd(rows), Eigen::ArrayXd::Zero(rows), Samples(rows)};
  for (Eigen::Index k = 0; k < samples; ++k) {
    const double t = std::min(static_cast<double>(k) * interval, duration);
    const auto sample = at(t);
    grid.t[k] = t;
    grid.mask[k] = 1;
    grid.samples.pose.row(k) = sample.value.transpose().array();
    grid.samples.rate.row(k) = sample.rate.transpose().array();
    grid.samples.acceleration.row(k) = sample.acceleration.transpose().array();
  }
  for (Eigen::Index k = samples; k < rows; ++k) {
    grid.t[k] = grid.t[samples - 1];
    grid.samples.pose.row(k) = grid.samples.pose.row(samples - 1);
  }
  to_body(grid.samples, grid.mask, problem.structure.dof == model::Dof::six);
  return grid;
}

std::vector<Margin> box_margins(const Problem& problem, const Grid& grid) {
  std::vector<Margin> margins;
  const Samples& s = grid.samples;
  const std::array<const Eigen::ArrayXXd*, 3> levels = {&s.pose, &s.rate, &s.acceleration};
  const std::array<std::string_view, 3> words = {"", " speed", " acceleration"}, per = {"", "/s", "/s^2"};
  double begin = 0;
  for (std::size_t k = 0; k < problem.segments.size(); ++k) {
    const Segment& segment = problem.segments[k];
    const std::array<const std::array<Range, 6>*, 3> ranges = {&segment.limits.pose, &segment.limits.rate,
                                                               &segment.limits.acceleration};
    for (const int c : problem.coordinates())
      for (std::size_t level = 0; level < 3; ++level) {
        const Range& range = (*ranges[level])[static_cast<std::size_t>(c)];
        Margin margin = nearest(grid, *levels[level], c, range, begin, begin + segment.duration);
        if (margin.margin == infinity) continue;  // no limit
        margin.limit = fmt::format("{}{}, segment {}", coordinate_names[static_cast<std::size_t>(c)],
                                   words[level], segment.name.empty() ? std::to_string(k + 1) : segment.name);
        margin.unit = fmt::format("{}{}", c < 3 ? "m" : "rad", per[level]);
        margins.push_back(std::move(margin));
      }
    begin += segment.duration;
  }
  return margins;
}

std::vector<Margin> path_margins(const PathLimits& limits, Grid grid) {
  for (Eigen::Index k = 0; k < grid.t.size(); ++k)  // fillers stand at the end
    if (grid.mask[k] == 0) {
      for (Eigen::ArrayXXd* columns : {&grid.samples.nu, &grid.samples.nu_dot, &grid.samples.down})
        columns->row(k) = columns->row(k - 1);
    }
  return limits.margins(grid.samples, grid.t);
}

std::vector<Margin> path_margins(const Problem& problem, const PathLimits& limits,
                                 const trajectory::Bezier& path) {
  if (limits.empty()) return {};
  return path_margins(
      limits, sample_path(
                  problem, [&](double t) { return path.at(t); }, problem.sampling / dense, GridEnd::included));
}

std::vector<Margin> path_margins(const Problem& problem, const trajectory::Bezier& path) {
  return path_margins(problem, PathLimits(problem), path);
}

}  // namespace fathom::excite
