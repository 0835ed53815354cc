#include "fathom/trajectory/sinusoid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/trajectory/internal/quintic.hpp"

namespace fathom::trajectory {
namespace {

using Eigen::Index;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Bounds = SinusoidBounds;
using Range = SinusoidBounds::Range;
using Swing = Sinusoids::Swing;
using std::numbers::pi;

constexpr double fewest_swings = 2, most_swings = 200;  // in a segment
constexpr double apart = 1.15;  // least ratio of frequencies within a segment: else coordinates look alike
// Places per period where the amplitude is measured, and what of it is used: between two places a peak is
// higher by about (2 pi / 512)^2 / 4.
constexpr int grid = 512;
constexpr double share = 1 - 1e-4;

std::string key_of(std::size_t segment, std::size_t coordinate, const char* name) {
  return fmt::format("segments[{}].bounds[{}].{}", segment, coordinate, name);
}

void check_range(const std::string& key, const Range& range, bool has_zero) {
  if (!(range.min <= range.max) || range.min == infinity || range.max == -infinity)
    reject(key, fmt::format("is {} to {}, holds no number", range.min, range.max));
  if (has_zero && (range.min > 0 || range.max < 0))
    reject(key, fmt::format("is {} to {}, must hold 0", range.min, range.max),
           "the path begins and ends at rest");
}

void check(const std::vector<SinusoidSegment>& segments, const VectorXd& start, const VectorXd& end) {
  if (segments.empty()) reject("segments", "has no entry, at least one is needed");
  if (start.size() == 0) reject("start", "has no entry, at least one coordinate is needed");
  if (!start.allFinite()) reject("start", "is not finite");
  if (end.size() != start.size())
    reject("end", fmt::format("has {} entries, start has {}", end.size(), start.size()));
  if (!end.allFinite()) reject("end", "is not finite");
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const SinusoidSegment& segment = segments[k];
    if (!(segment.duration > 0) || !std::isfinite(segment.duration))
      reject(fmt::format("segments[{}].duration", k),
             fmt::format("= {} s, must be > 0 and finite", segment.duration));
    if (static_cast<Index>(segment.bounds.size()) != start.size())
      reject(fmt::format("segments[{}].bounds", k),
             fmt::format("has {} entries for {} coordinates", segment.bounds.size(), start.size()));
    for (std::size_t c = 0; c < segment.bounds.size(); ++c) {
      check_range(key_of(k, c, "pose"), segment.bounds[c].pose, false);
      check_range(key_of(k, c, "rate"), segment.bounds[c].rate, true);
      check_range(key_of(k, c, "acceleration"), segment.bounds[c].acceleration, true);
    }
  }
}

// What a motion may reach to either side of zero.
double reach(const Range& range) { return std::min(-range.min, range.max); }

// At least an eighth of the segment: without bounds it would be a jump.
double move_time(double distance, const Bounds& bounds, double duration) {
  if (distance == 0) return 0;
  constexpr double rounding = 1 + 1e-9;
  return std::max(duration / 8,
                  rounding * internal::Quintic::least_duration(std::abs(distance), reach(bounds.rate),
                                                               reach(bounds.acceleration)));
}

// The middle of a box; where it has none, the place in it that is nearest to `near`.
double middle(const Range& pose, double near) {
  if (std::isfinite(pose.min) && std::isfinite(pose.max)) return pose.min + (pose.max - pose.min) / 2;
  return std::clamp(near, pose.min, pose.max);
}

// Where one coordinate is at the borders of the segments: half way between the middles of the two boxes, or as
// near to that as both allow.
std::vector<double> borders(const std::vector<SinusoidSegment>& segments, std::size_t c,
                            const std::vector<double>& centres, double start, double end) {
  std::vector<double> places = {start};
  for (std::size_t k = 1; k < segments.size(); ++k) {
    const Range &before = segments[k - 1].bounds[c].pose, &after = segments[k].bounds[c].pose;
    const double low = std::max(before.min, after.min), high = std::min(before.max, after.max);
    if (low > high)
      reject(key_of(k, c, "pose"), fmt::format("is {} to {}, does not meet {} to {} of the segment before",
                                               after.min, after.max, before.min, before.max));
    places.push_back(std::clamp(centres[k - 1] + (centres[k] - centres[k - 1]) / 2, low, high));
  }
  places.push_back(end);
  const auto inside = [&](std::size_t k, const char* name, double place) {
    const Range& pose = segments[k].bounds[c].pose;
    if (place < pose.min || place > pose.max)
      reject(key_of(k, c, "pose"),
             fmt::format("is {} to {}, {} = {} is outside", pose.min, pose.max, name, place));
  };
  inside(0, "start", start);
  inside(segments.size() - 1, "end", end);
  return places;
}

// The swing without its sinusoid. If there is no time to go by way of the middle, it goes to `to` at once.
Swing moves(const SinusoidSegment& segment, std::size_t k, std::size_t c, double from, double centre,
            double to) {
  const Bounds& bounds = segment.bounds[c];
  Swing swing;
  swing.from = from;
  swing.to = to;
  for (const double place : {centre, to}) {
    swing.centre = place;
    swing.move_in = move_time(place - from, bounds, segment.duration);
    swing.move_out = move_time(to - place, bounds, segment.duration);
    if (swing.move_in + swing.move_out <= segment.duration) return swing;
  }
  reject(key_of(k, c, "rate"),
         fmt::format("and acceleration need {:.4g} s from {:.4g} to {:.4g}, the segment has {:.4g} s",
                     swing.move_in, from, to, segment.duration),
         "a longer duration, or boxes that lie closer");
}

double window(const Swing& swing) { return swing.end - swing.move_out - swing.begin - swing.move_in; }

double room(const Swing& swing, const Range& pose) {
  return std::min(swing.centre - pose.min, pose.max - swing.centre);
}

// A sinusoid of amplitude A meets rate and acceleration bounds v, a together at omega = a / v; if A = v^2 / a
// is more than there is room for, A is the room and omega^2 = a / A.
double frequency(const Swing& swing, const Bounds& bounds, const std::vector<double>& taken) {
  const double v = reach(bounds.rate), a = reach(bounds.acceleration), unit = 2 * pi / window(swing);
  const double best = std::max(a / v, std::sqrt(a / room(swing, bounds.pose)));
  // Without a scale of its own (bounds that are zero or infinite): eight swings.
  double omega = std::isfinite(best) && best > 0 ? best : 8 * unit;
  omega = std::clamp(omega, fewest_swings * unit, most_swings * unit);
  const auto near = [&](double other) { return omega < other * apart && other < omega * apart; };
  while (std::any_of(taken.begin(), taken.end(), near)) omega /= apart;
  return omega;
}

// The largest amplitude within the bounds, from the largest values of the sinusoid of amplitude one.
double amplitude(Swing swing, const Bounds& bounds) {
  swing.amplitude = 1;
  const double t0 = swing.begin + swing.move_in, time = window(swing);
  const int places = static_cast<int>(std::ceil(time * swing.omega / (2 * pi) * grid));
  Vector3d largest = Vector3d::Zero();
  for (int i = 1; i < places; ++i)
    largest = largest.cwiseMax((swing.at(t0 + time * i / places) - Vector3d(swing.centre, 0, 0)).cwiseAbs());
  return share * std::min({room(swing, bounds.pose) / largest[0], reach(bounds.rate) / largest[1],
                           reach(bounds.acceleration) / largest[2]});
}

}  // namespace

Vector3d Swing::at(double t) const {
  const internal::Quintic in = internal::Quintic::at(t - begin, move_in),
                          out = internal::Quintic::at(t - (end - move_out), move_out);
  Vector3d sum(from + (centre - from) * in.s + (to - centre) * out.s,
               (centre - from) * in.s_dot + (to - centre) * out.s_dot,
               (centre - from) * in.s_ddot + (to - centre) * out.s_ddot);
  const double t0 = begin + move_in, t1 = end - move_out;
  if (amplitude == 0 || t <= t0 || t >= t1) return sum;
  const internal::Quintic up = internal::Quintic::at(t - t0, fade),
                          down = internal::Quintic::at(t - (t1 - fade), fade);
  const double e = up.s - down.s, e_dot = up.s_dot - down.s_dot, e_ddot = up.s_ddot - down.s_ddot;
  const double sine = std::sin(omega * (t - t0)), cosine = std::cos(omega * (t - t0));
  sum += amplitude * Vector3d(e * sine, e_dot * sine + e * omega * cosine,
                              e_ddot * sine + 2 * e_dot * omega * cosine - e * omega * omega * sine);
  return sum;
}

Sinusoids::Sinusoids(const std::vector<SinusoidSegment>& segments, const VectorXd& start, const VectorXd& end)
    : swings_(segments.size()) {
  check(segments, start, end);
  std::vector<std::vector<double>> taken(segments.size());
  for (std::size_t c = 0; c < static_cast<std::size_t>(start.size()); ++c) {
    std::vector<double> centres;
    for (const SinusoidSegment& segment : segments)
      centres.push_back(middle(segment.bounds[c].pose, centres.empty() ? start[c] : centres.back()));
    const std::vector<double> places = borders(segments, c, centres, start[c], end[c]);
    double begin = 0;
    for (std::size_t k = 0; k < segments.size(); ++k) {
      const Bounds& bounds = segments[k].bounds[c];
      Swing swing = moves(segments[k], k, c, places[k], centres[k], places[k + 1]);
      swing.begin = begin;
      swing.end = begin + segments[k].duration;
      begin = swing.end;
      if (window(swing) > 1e-3 * segments[k].duration) {
        swing.omega = frequency(swing, bounds, taken[k]);
        swing.fade = std::min(window(swing) / 3, 2 * pi / swing.omega);
        swing.amplitude = amplitude(swing, bounds);
        if (!std::isfinite(swing.amplitude))
          reject(key_of(k, c, "pose"), "is free, and so are rate and acceleration: a swing needs a bound");
        if (swing.amplitude > 0) taken[k].push_back(swing.omega);
      }
      swings_[k].push_back(swing);
    }
  }
}

Bezier::Sample Sinusoids::at(double t) const {
  if (std::isnan(t)) reject("t", "is not a number");
  const double inside = std::clamp(t, 0.0, duration());
  const auto after =
      std::upper_bound(swings_.begin() + 1, swings_.end(), inside,
                       [](double time, const auto& swings) { return time < swings.front().begin; });
  const std::vector<Swing>& swings = *(after - 1);
  Bezier::Sample sample{VectorXd(coordinates()), VectorXd(coordinates()), VectorXd(coordinates())};
  for (Index c = 0; c < coordinates(); ++c) {
    const Vector3d values = swings[c].at(inside);
    sample.value[c] = values[0];
    sample.rate[c] = values[1];
    sample.acceleration[c] = values[2];
  }
  return sample;
}

}  // namespace fathom::trajectory
