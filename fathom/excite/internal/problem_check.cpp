#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/excite/bounds.hpp"
#include "fathom/excite/internal/number_text.hpp"
#include "fathom/excite/internal/problem_file.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::excite::internal {
namespace {

constexpr double most_samples = 200000;
constexpr double fewest_samples = 100;
constexpr long fewest_numbers = 3;    // of a coordinate: fewer make no motion worth the name
constexpr double most_entries = 3e6;  // of a coordinate's matrix: half a gigabyte for six

/// How far outside, 0 within and where only rounding is to blame.
double outside(const Range& range, double value) {
  const double by = std::max({range.min - value, value - range.max, 0.0});
  return by > 1e-9 * (range.max - range.min) ? by : 0;
}

std::string in_words(std::size_t k, const Range& range) {
  return k < 3 ? fmt::format("{:.4g} to {:.4g} m", range.min, range.max)
               : fmt::format("{:.4g} to {:.4g} deg", range.min / degree, range.max / degree);
}

/// A value outside of a range, with as many digits as it takes to see that it is.
std::string in_words(std::size_t k, double value, const Range& range) {
  const double unit = k < 3 ? 1 : degree, bound = value < range.min ? range.min : range.max;
  return distinct_texts(value / unit, bound / unit).first + (k < 3 ? " m" : " deg");
}

/// The start or the end: in the tank, and in the limits of the segment that it belongs to.
void check_inside(const std::string& key, const Vec6& pose, const Segment& segment, const Problem& problem,
                  const std::optional<Tank>& tank, Findings& findings) {
  for (std::size_t k = 0; k < 6; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    const double value = pose[axis];
    if (k < 3 && tank) {
      const Range room{tank->room_n[0][axis], tank->room_n[1][axis]};
      if (const double by = outside(room, value); by > 0) {
        add_error(findings, key,
                  fmt::format("is outside the tank by {:.3g} m: {} = {}", by, coordinate_names[k],
                              in_words(k, value, room)),
                  fmt::format("less its clearance, the tank has {}", in_words(k, room)));
        continue;
      }
    }
    if (is_held(problem.structure, k)) continue;
    const Range& range = segment.limits.pose[k];
    if (const double by = outside(range, value); by > 0)
      add_error(findings, key,
                fmt::format("is outside the limits of segment {} by {}: {} = {}", in_quotes(segment.name),
                            of_coordinate(k, by), coordinate_names[k], in_words(k, value, range)),
                fmt::format("it has {}", in_words(k, range)));
  }
}

/// Where one segment ends the next begins.
void check_neighbours(const Problem& problem, Findings& findings) {
  for (std::size_t s = 1; s < problem.segments.size(); ++s)
    for (const int coordinate : problem.coordinates()) {
      const auto k = static_cast<std::size_t>(coordinate);
      const Segment &one = problem.segments[s - 1], &next = problem.segments[s];
      const Range &a = one.limits.pose[k], &b = next.limits.pose[k];
      const double gap = std::max(a.min, b.min) - std::min(a.max, b.max);
      if (gap < 0) continue;
      add_error(findings, fmt::format("segments[{}]", s),
                fmt::format("{} has {} from {}, the one before, {}, from {}: {} apart", in_quotes(next.name),
                            coordinate_names[k], in_words(k, b), in_quotes(one.name), in_words(k, a),
                            of_coordinate(k, gap)),
                "neighbours must have some room in common");
    }
}

/// s, from rest to rest over `way` > 0 at the limits.
double least_time(double way, const Range& rate, const Range& acceleration) {
  const double per_speed = 1 / acceleration.max - 1 / acceleration.min;
  const double ramps = rate.max * rate.max * per_speed / 2;  // the way that full speed and back to rest takes
  return way < ramps ? std::sqrt(2 * way * per_speed) : (way - ramps) / rate.max + rate.max * per_speed;
}

Range widest(Range a, const Range& b) { return {std::min(a.min, b.min), std::max(a.max, b.max)}; }

/// From start to end, with the widest limits of all segments: no path can be quicker.
void check_time(const std::string& key, const Problem& problem, Findings& findings) {
  for (const int coordinate : problem.coordinates()) {
    const auto k = static_cast<std::size_t>(coordinate);
    Range rate{0, 0}, acceleration{0, 0};
    for (const Segment& segment : problem.segments) {
      rate = widest(rate, segment.limits.rate[k]);
      acceleration = widest(acceleration, segment.limits.acceleration[k]);
    }
    const double way = problem.end[coordinate] - problem.start[coordinate];
    const auto mirrored = [](const Range& range) { return Range{-range.max, -range.min}; };
    const double least = way > 0 ? least_time(way, rate, acceleration)
                                 : least_time(-way, mirrored(rate), mirrored(acceleration));
    if (way != 0 && !(least < problem.duration()))
      add_error(
          findings, key,
          fmt::format("is {} of {} from the start, which takes {:.3g} s at the limits, but there are {:g} s",
                      of_coordinate(k, std::abs(way)), coordinate_names[k], least, problem.duration()),
          "a longer duration, or wider limits");
  }
}

/// The camera and the tether at a pose that is given: no path can mend them there.
void check_reach(const std::string& key, const Vec6& pose, const Problem& problem, Findings& findings) {
  const Mat3 R_nb = quaternion_from_euler(pose.tail<3>()).toRotationMatrix();
  const Vec3 p_nb_n = pose.head<3>();
  if (problem.view) {
    double worst = 0;
    Vec3 corner_n = Vec3::Zero();
    bool is_at_camera = false;
    for (const Vec3& corner : problem.view->area_n) {
      const Vec3 sight_b = R_nb.transpose() * (corner - p_nb_n) - problem.view->position_b;
      const Vec3& axis_b = problem.view->axis_b;
      const double angle = std::atan2(axis_b.cross(sight_b).norm(), axis_b.dot(sight_b));
      is_at_camera = sight_b.norm() < 1e-9;
      if (angle >= worst || is_at_camera) worst = angle, corner_n = corner;
      if (is_at_camera) break;
    }
    const std::string corner = fmt::format("[{:g}, {:g}, {:g}]", corner_n.x(), corner_n.y(), corner_n.z());
    const auto [angle, half] = distinct_texts(worst / degree, problem.view->half_angle / degree);
    if (is_at_camera)
      add_error(
          findings, key,
          fmt::format("has the camera at the corner {} of the area, which it cannot see from there", corner),
          "is the area at the right depth?");
    else if (!(worst < problem.view->half_angle))
      add_error(
          findings, key,
          fmt::format("does not see the corner {} of the area: {} degrees off the camera's axis, its half "
                      "angle is {}",
                      corner, angle, half),
          "start and end where all of it is in view");
  }
  if (problem.tether) {
    const double way = (p_nb_n + R_nb * problem.tether->attachment_b - problem.tether->anchor_n).norm();
    const auto [far, length] = distinct_texts(way, problem.tether->length);
    if (!(way < problem.tether->length))
      add_error(findings, key, fmt::format("is {} m from the tether's anchor, its length is {} m", far, length),
                "a longer tether, or an anchor that is nearer");
  }
}

}  // namespace

bool is_held(const model::Structure& structure, std::size_t coordinate) {
  return !model::is_free(structure.dof, static_cast<int>(coordinate));
}

std::string held_hint(const model::Structure& structure) {
  return fmt::format("{} holds {}; use a {}-DoF structure", structure.name,
                     structure.dof == model::Dof::three ? "z, roll and pitch" : "roll and pitch",
                     structure.dof == model::Dof::three ? "4- or 6" : "6");
}

std::string of_coordinate(std::size_t coordinate, double value) {
  return coordinate < 3 ? fmt::format("{:.3g} m", value) : fmt::format("{:.3g} deg", value / degree);
}

void check_path(const Problem& problem, const std::optional<Tank>& tank, bool has_end, Findings& findings) {
  const std::string end = has_end ? "end" : "start";
  check_inside("start", problem.start, problem.segments.front(), problem, tank, findings);
  check_reach("start", problem.start, problem, findings);
  if (has_end || problem.segments.size() > 1)
    check_inside(end, problem.end, problem.segments.back(), problem, tank, findings);
  if (has_end) check_reach(end, problem.end, problem, findings);
  for (Eigen::Index k = 0; k < 5; ++k)
    if (is_held(problem.structure, std::size_t(k)) && problem.end[k] != problem.start[k])
      add_error(findings, end, fmt::format("has another {} than the start", coordinate_names[std::size_t(k)]),
                held_hint(problem.structure));
  check_neighbours(problem, findings);
  check_time(end, problem, findings);
}

void check_sampling(const Problem& problem, Findings& findings) {
  const double duration = problem.duration(), count = duration / problem.sampling;
  if (!(count >= fewest_samples * (1 - 1e-9)))
    add_error(
        findings, "sampling",
        fmt::format("= {} s is too long for a path of {:g} s: {:g} sample{}, at least {:g}", problem.sampling,
                    duration, std::floor(count) + 1, count < 1 ? "" : "s", fewest_samples + 1),
        fmt::format("at most {:g} s", duration / fewest_samples));
  else if (!(count <= most_samples * (1 + 1e-9)))
    add_error(findings, "sampling",
              fmt::format("asks for {:.3g} samples: {:g} s every {:g} s; at most {:g}", count, duration,
                          problem.sampling, most_samples),
              "seconds, not milliseconds?");
  for (const Segment& segment : problem.segments)
    if (!(segment.duration >= problem.sampling))
      add_error(findings, "sampling",
                fmt::format("= {:g} s, but segment {} lasts only {:.3g} s", problem.sampling,
                            in_quotes(segment.name), segment.duration),
                "a larger share of the duration");
}

/// Rest at both ends takes six control points of each coordinate; enough others must be free to distinguish the
/// parameters, and not so many that the bounds fill the memory.
void check_shape(const Problem& problem, Findings& findings) {
  const bool is_bezier = problem.shape.kind == Shape::Kind::bezier;
  const long numbers = free_numbers(problem), moving = static_cast<long>(problem.coordinates().size());
  const long parameters = static_cast<long>(problem.structure.size());
  if (!is_bezier && problem.lines.contains("shape.kind") && problem.shape.interval < problem.sampling)
    add_error(findings, "shape",
              fmt::format("has knots every {:g} s, closer than the samples, every {:g} s",
                          problem.shape.interval, problem.sampling),
              "a longer interval");
  else if (numbers < fewest_numbers || numbers * moving < parameters)
    add_error(findings, "shape",
              fmt::format("leaves {} free number{} in each of {} coordinates, at least {}, for {} parameters",
                          numbers, numbers == 1 ? "" : "s", moving,
                          std::max(fewest_numbers, (parameters + moving - 1) / moving), parameters),
              is_bezier ? "a higher degree" : "a shorter interval");
  else if (const double entries = matrix_entries(problem); entries > most_entries)
    add_error(findings, "shape",
              fmt::format("bounds each coordinate by a matrix of {:.2g} entries, at most {:g}", entries,
                          most_entries),
              is_bezier ? "fewer parts or segments, or a lower degree" : "a longer interval");
}

}  // namespace fathom::excite::internal
