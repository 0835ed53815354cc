#include "fathom/excite/assessment.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "fathom/base/text.hpp"
#include "fathom/excite/internal/wrench_rows.hpp"
#include "fathom/trajectory/sinusoid.hpp"

namespace fathom::excite {
namespace {

trajectory::SinusoidBounds::Range range_of(const Range& range) { return {range.min, range.max}; }

constexpr double margin_rounding = 1e-9;  // of a margin's unit

Grid grid_of(const Problem& problem, const trajectory::Bezier& path, double interval,
             GridEnd end = GridEnd::regular) {
  return sample_path(
      problem, [&](double t) { return path.at(t); }, interval, end);
}

std::string broken_by_sinusoids(const Problem& problem, const PathLimits& limits) {
  if (limits.empty()) return "";
  std::vector<std::string> names;
  for (const Margin& margin :
       path_margins(limits, sinusoid_grid(problem, problem.sampling / dense, GridEnd::included)))
    if (!(margin.margin >= -margin_rounding)) names.push_back(margin.limit);
  return join(names, ", ");
}

Eigen::ArrayXXd wrenches(const Problem& problem, const Samples& samples) {
  const dynamics::Vehicle vehicle(problem.robot, problem.environment);
  Eigen::ArrayXXd tau(samples.size(), 6);
  for (Eigen::Index k = 0; k < samples.size(); ++k) {
    tau.row(k) = dynamics::inverse_dynamics(vehicle, internal::motion_at(samples, k)).transpose().array();
  }
  return tau;
}

}  // namespace

bool Assessment::is_inside() const {
  return std::all_of(margins.begin(), margins.end(),
                     [](const Margin& m) { return m.margin >= -margin_rounding; });
}

Grid sinusoid_grid(const Problem& problem, double interval, GridEnd end) {
  const auto coordinates = problem.coordinates();
  std::vector<trajectory::SinusoidSegment> segments;
  for (const Segment& segment : problem.segments) {
    auto& bounds = segments.emplace_back(trajectory::SinusoidSegment{segment.duration, {}}).bounds;
    for (const int k : coordinates) {
      const auto c = static_cast<std::size_t>(k);
      bounds.push_back({range_of(segment.limits.pose[c]), range_of(segment.limits.rate[c]),
                        range_of(segment.limits.acceleration[c])});
    }
  }
  const trajectory::Sinusoids sinusoids(segments, problem.start(coordinates), problem.end(coordinates));
  const auto at = [&](double t) {
    const auto moving = sinusoids.at(t);
    trajectory::Bezier::Sample all{problem.start, Vec6::Zero(), Vec6::Zero()};
    all.value(coordinates) = moving.value;
    all.rate(coordinates) = moving.rate;
    all.acceleration(coordinates) = moving.acceleration;
    return all;
  };
  return sample_path(problem, at, interval, end);
}

Assessment assess(const Designer& designer, const Design& design, std::uint64_t seed) {
  const Problem& problem = designer.problem();
  Grid grid = grid_of(problem, design.path, problem.sampling);
  Eigen::ArrayXXd tau = wrenches(problem, grid.samples);
  const ExpectedAccuracy accuracy = accuracy_of(problem, grid.samples);
  auto margins =
      box_margins(problem, grid_of(problem, design.path, problem.sampling / dense, GridEnd::included));
  const PathLimits limits(problem);
  const auto path_limits = path_margins(problem, limits, design.path);
  margins.insert(margins.end(), path_limits.begin(), path_limits.end());
  const Grid random =
      grid_of(problem, designer.path(designer.random_path(seed, design.best)), problem.sampling);
  Assessment result{std::move(grid),
                    std::move(tau),
                    accuracy,
                    prediction_of(problem, accuracy),
                    std::move(margins),
                    accuracy_of(problem, random.samples),
                    {},
                    {}};
  if (const auto ranked = designer.ranked_multisines(seed); !ranked.empty()) {
    result.multisine_path = designer.path(ranked.front().x);
    result.multisine = accuracy_of(problem, grid_of(problem, *result.multisine_path, problem.sampling).samples);
  }
  try {
    result.sinusoids = accuracy_of(problem, sinusoid_grid(problem, problem.sampling).samples);
    result.sinusoids_break_limits = broken_by_sinusoids(problem, limits);
  } catch (const InputError& error) {
    result.no_sinusoids = error.findings().front().text();
  }
  return result;
}

}  // namespace fathom::excite
