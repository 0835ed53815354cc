#include "fathom/excite/bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/excite/internal/number_text.hpp"
#include "fathom/excite/sampling.hpp"

namespace fathom::excite {
namespace {

using trajectory::Enclosure;

const Range& range_of(const Segment& segment, Enclosure::Kind kind, int coordinate) {
  const auto c = static_cast<std::size_t>(coordinate);
  switch (kind) {
    case Enclosure::Kind::pose: return segment.limits.pose[c];
    case Enclosure::Kind::rate: return segment.limits.rate[c];
    case Enclosure::Kind::acceleration: break;
  }
  return segment.limits.acceleration[c];
}

std::string unit_of(Enclosure::Kind kind, int coordinate) {
  const std::string_view unit = coordinate < 3 ? "m" : "rad";
  const std::array<std::string_view, 3> per = {"", "/s", "/s^2"};
  return fmt::format("{}{}", unit, per[static_cast<std::size_t>(kind)]);
}

std::string name_of(const Problem& problem, int coordinate, const Enclosure::Label& label) {
  const std::array<std::string_view, 3> words = {"", "speed of ", "acceleration of "};
  const Segment& segment = problem.segments[static_cast<std::size_t>(label.segment)];
  return fmt::format("{}{} in segment {}", words[static_cast<std::size_t>(label.kind)],
                     coordinate_names[static_cast<std::size_t>(coordinate)],
                     segment.name.empty() ? std::to_string(label.segment + 1) : segment.name);
}

Problem with_duration(Problem problem, double factor) {
  for (Segment& segment : problem.segments) segment.duration *= factor;
  return problem;
}

bool is_feasible(const Problem& problem) {
  try {
    return solve::find_inner_point(bounds_of(problem).program).found;
  } catch (const InputError&) {
    return false;
  }
}

/// The least duration for which the limits agree, to 1 %; nothing if a hundred times as long is not enough.
std::optional<double> least_duration(const Problem& problem) {
  double low = 1, high = 2;
  while (high <= 128 && !is_feasible(with_duration(problem, high))) low = high, high *= 2;
  if (high > 128) return std::nullopt;
  while (high / low > 1.01) {
    const double middle = std::sqrt(low * high);
    (is_feasible(with_duration(problem, middle)) ? high : low) = middle;
  }
  return problem.duration() * high;
}

/// Where a segment states limits of its own, or else where the problem does.
int line_of_limits(const Problem& problem, int segment) {
  const std::string key = fmt::format("segments[{}].limits", segment);
  return problem.line_of(problem.lines.contains(key) ? key : "limits");
}

/// Throws unless a row on which no free number has a say holds; rounding must not break it.
void check_constant(const Problem& problem, int coordinate, const Enclosure& enclosure, Eigen::Index row,
                    double value) {
  const auto& label = enclosure.labels[static_cast<std::size_t>(row)];
  const Range& range =
      range_of(problem.segments[static_cast<std::size_t>(label.segment)], label.kind, coordinate);
  const double width = range.max - range.min, size = std::max(1.0, std::abs(value));
  const double rounding = 1e-9 * (std::isfinite(width) ? width : size);
  if (value >= range.min - rounding && value <= range.max + rounding) return;
  const bool is_low = value < range.min;
  const auto [got, bound] = internal::distinct_texts(value, is_low ? range.min : range.max);
  const bool has_end = problem.end != problem.start || problem.lines.contains("end");
  const std::string key = enclosure.values.end[row] != 0 && has_end ? "end" : "start";
  reject(problem.file, problem.line_of(key), key,
         fmt::format("{} is {} {} there, must be {} {}", name_of(problem, coordinate, label), got,
                     unit_of(label.kind, coordinate), is_low ? "at least" : "at most", bound),
         "move it inside, or widen the segment's limits");
}

/// For each kind of limit and segment the row that is missed most, worst first.
Findings conflicts_of(const excite::Problem& problem, const Bounds& bounds,
                      const std::vector<solve::Conflict>& conflicts) {
  struct Worst {
    double relative = 0, missed = 0, value = 0;
    Enclosure::Label label{};
    int coordinate = 0;
  };
  std::map<std::array<int, 3>, Worst> worst;
  const auto coordinates = problem.coordinates();
  for (const solve::Conflict& conflict : conflicts) {
    const auto& label = bounds.labels[conflict.block][static_cast<std::size_t>(conflict.row)];
    const int coordinate = coordinates[conflict.block];
    const Range& range =
        range_of(problem.segments[static_cast<std::size_t>(label.segment)], label.kind, coordinate);
    const double relative = conflict.missed / (range.max - range.min);
    Worst& entry = worst[{coordinate, label.segment, static_cast<int>(label.kind)}];
    if (relative >= entry.relative) entry = {relative, conflict.missed, conflict.value, label, coordinate};
  }
  std::vector<Worst> sorted;
  for (const auto& [key, entry] : worst) sorted.push_back(entry);
  std::sort(sorted.begin(), sorted.end(),
            [](const Worst& a, const Worst& b) { return a.relative > b.relative; });
  Findings findings;
  for (const Worst& entry : sorted) {
    if (findings.size() == 6) break;
    const Range& range = range_of(problem.segments[static_cast<std::size_t>(entry.label.segment)],
                                  entry.label.kind, entry.coordinate);
    const std::string unit = unit_of(entry.label.kind, entry.coordinate);
    findings.push_back(
        {Severity::error, problem.file, line_of_limits(problem, entry.label.segment),
         fmt::format("segments[{}].limits", entry.label.segment),
         fmt::format("{} must stay in {:.4g} to {:.4g} {}; together with the others the best path misses "
                     "it by {:.3g} {}, between {:.4g} and {:.4g} s",
                     name_of(problem, entry.coordinate, entry.label), range.min, range.max, unit, entry.missed,
                     unit, entry.label.begin, entry.label.end),
         ""});
  }
  return findings;
}

}  // namespace

std::vector<int> intervals_of(const Problem& problem) {
  constexpr double most = 1e6;  // in a segment: more than a spline may have, and few enough to add up
  std::vector<int> intervals;
  for (const Segment& segment : problem.segments)
    intervals.push_back(
        static_cast<int>(std::clamp(std::ceil(segment.duration / problem.shape.interval - 1e-9), 1.0, most)));
  return intervals;
}

long free_numbers(const Problem& problem) {
  if (problem.shape.kind == Shape::Kind::bezier)  // continuity and rest take three at each border and end
    return static_cast<long>(problem.segments.size()) * (problem.shape.degree - 2) - 3;
  const std::vector<int> intervals = intervals_of(problem);
  return std::accumulate(intervals.begin(), intervals.end(), 0L) - 3;
}

double matrix_entries(const Problem& problem) {
  const bool is_bezier = problem.shape.kind == Shape::Kind::bezier;
  const double degree = is_bezier ? problem.shape.degree : 3;
  const double pieces = is_bezier ? static_cast<double>(problem.segments.size()) * problem.shape.parts
                                  : static_cast<double>(free_numbers(problem) + 3);
  // A piece has 3 degree points of value, rate and acceleration, on degree + 1 free numbers each.
  return pieces * 3 * degree * (degree + 1);
}

trajectory::Basis basis_of(const Problem& problem) {
  std::vector<double> durations;
  for (const Segment& segment : problem.segments) durations.push_back(segment.duration);
  return problem.shape.kind == Shape::Kind::bezier ? trajectory::bezier_basis(durations, problem.shape.degree)
                                                   : trajectory::spline_basis(durations, intervals_of(problem));
}

Bounds bounds_of(const Problem& problem) {
  Bounds bounds;
  bounds.basis = basis_of(problem);
  const int parts = problem.shape.kind == Shape::Kind::bezier ? problem.shape.parts : 1;
  const Enclosure enclosure = trajectory::enclose(bounds.basis, parts);
  const auto rows = static_cast<Eigen::Index>(enclosure.labels.size());
  for (const int coordinate : problem.coordinates()) {
    const Eigen::VectorXd fixed =
        problem.start[coordinate] * enclosure.values.start + problem.end[coordinate] * enclosure.values.end;
    std::vector<Eigen::Triplet<double>> entries;
    std::vector<double> lower, upper;
    auto& labels = bounds.labels.emplace_back();
    for (Eigen::Index row = 0; row < rows; ++row) {
      const auto& label = enclosure.labels[static_cast<std::size_t>(row)];
      const Range& range =
          range_of(problem.segments[static_cast<std::size_t>(label.segment)], label.kind, coordinate);
      const double low = range.min - fixed[row], high = range.max - fixed[row];
      if (std::isinf(low) && std::isinf(high)) continue;
      bool is_constant = true;
      for (trajectory::SparseRows::InnerIterator it(enclosure.values.rows, row); it; ++it) {
        entries.emplace_back(static_cast<int>(lower.size()), static_cast<int>(it.col()), it.value());
        is_constant = false;
      }
      if (is_constant) {
        check_constant(problem, coordinate, enclosure, row, fixed[row]);
        continue;
      }
      lower.push_back(low);
      upper.push_back(high);
      labels.push_back(label);
    }
    solve::Block block;
    const auto count = static_cast<Eigen::Index>(lower.size());
    block.A.resize(count, bounds.basis.size());
    block.A.setFromTriplets(entries.begin(), entries.end());
    block.lower = Eigen::Map<Eigen::VectorXd>(lower.data(), count);
    block.upper = Eigen::Map<Eigen::VectorXd>(upper.data(), count);
    bounds.program.blocks.push_back(std::move(block));
  }
  if (problem.thrusters || problem.view || problem.tether)
    bounds.program.curvature_reach = Sampling::reach(bounds.basis);
  return bounds;
}

Eigen::VectorXd inner_path(const Problem& problem, const Bounds& bounds) {
  const solve::InnerPoint inner = solve::find_inner_point(bounds.program);
  if (inner.found) return inner.x;
  auto findings = conflicts_of(problem, bounds, inner.conflicts);
  const auto least = least_duration(problem);
  Finding summary{Severity::error,
                  problem.file,
                  problem.line_of("duration"),
                  "duration",
                  fmt::format("= {:.4g} s: no path meets all limits", problem.duration()),
                  ""};
  if (least)
    summary.hint = fmt::format("{:.0f} s would do, or wider limits", std::ceil(*least));
  else
    summary.hint = "more time does not help: widen the limits";
  findings.insert(findings.begin(), summary);
  throw InputError(findings);
}

std::vector<Range> ranges_of(const Problem& problem, const trajectory::Basis& basis, int coordinate) {
  std::vector<Range> ranges(static_cast<std::size_t>(basis.size()));
  std::vector<double> most(ranges.size(), 0);
  const auto& rows = basis.points.rows;
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    const int segment = basis.segment[static_cast<std::size_t>(row / (basis.degree + 1))];
    for (trajectory::SparseRows::InnerIterator it(rows, row); it; ++it) {
      const auto k = static_cast<std::size_t>(it.col());
      if (it.value() <= most[k]) continue;
      most[k] = it.value();
      ranges[k] =
          problem.segments[static_cast<std::size_t>(segment)].limits.pose[static_cast<std::size_t>(coordinate)];
    }
  }
  return ranges;
}

}  // namespace fathom::excite
