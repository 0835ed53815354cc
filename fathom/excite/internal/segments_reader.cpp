#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/excite/internal/problem_fields.hpp"

namespace fathom::excite::internal {
namespace {

constexpr std::size_t most_segments = 200;
constexpr double longest = 1e7;                        // s
constexpr double default_tilt = 20 * degree;           // of roll and pitch: a vehicle that rights itself
constexpr double default_turn = 2 * std::numbers::pi;  // of yaw, to each side of the start

struct StatedSegment {
  std::string name;
  std::optional<double> duration;  ///< s
  double share = 1;
  StatedLimits limits;
};

StatedSegment read_segment(const Field& item, const SegmentsOf& of, const StatedLimits& stated,
                           std::size_t number) {
  Map map(item);
  StatedSegment segment{fmt::format("segment-{}", number), {}, 1, stated};
  if (const auto f = map.take("name")) {
    segment.name = f->text().value_or(segment.name);
    yaml::check_name(*f, segment.name);
  }
  const auto share = map.take("share"), duration = map.take("duration");
  if (share && duration) duration->error("stands beside share", "keep one of them");
  if (duration) segment.duration = between(*duration, "s", 1e-6, longest);
  if (share) {
    const auto value = share->number("");
    if (value && !(*value > 0 && *value <= 1))
      share->error(fmt::format("= {}, must be > 0 and <= 1", *value), "shares are divided by their sum");
    else if (value)
      segment.share = *value;
  }
  if (const auto f = map.take("limits")) {
    LimitsOf limits_of = of.limits_of;
    limits_of.whose = fmt::format(" of segment {}", in_quotes(segment.name));
    read_limits(*f, limits_of, segment.limits);
  }
  map.finish();
  return segment;
}

std::vector<StatedSegment> read_list(const SegmentsOf& of, const StatedLimits& stated) {
  if (!of.list) return {{"whole", {}, 1, stated}};
  std::vector<StatedSegment> segments;
  const auto items = of.list->items();
  if (of.list->is_list() && (items.empty() || items.size() > most_segments)) {
    of.list->error(fmt::format("has {} entries, expected 1 to {}", items.size(), most_segments),
                   "leave it out for one segment");
    return {};
  }
  for (const Field& item : items) {
    StatedSegment segment = read_segment(item, of, stated, segments.size() + 1);
    for (const StatedSegment& other : segments)
      if (other.name == segment.name)
        item.error(fmt::format("has the name {} of an earlier segment", in_quotes(other.name)),
                   "give each its own 'name: ...'");
    segments.push_back(std::move(segment));
  }
  return segments;
}

/// s, of the whole path, where the file says it.
std::optional<double> stated_duration(const SegmentsOf& of) {
  return of.duration ? between(*of.duration, "s", 1e-6, longest) : std::nullopt;
}

/// Sets every segment's duration. Says why it cannot.
void share_out(const SegmentsOf& of, std::vector<StatedSegment>& segments) {
  double fixed = 0, shares = 0;
  for (const StatedSegment& segment : segments)
    segment.duration ? fixed += * segment.duration : shares += segment.share;
  auto total = stated_duration(of);
  if (of.duration && !total) return;
  if (!total && shares > 0) {
    if (!of.instead) {
      of.root.error("the key duration is missing", "s, of the whole path; or one for every segment");
      return;
    }
    total = of.instead;
  }
  if (shares > 0 && !(*total - fixed > 0)) {
    of.list->error(fmt::format("state {:g} s, which leaves nothing of {:g} s for the others", fixed, *total),
                   "a longer duration, or shares");
    return;
  }
  if (shares == 0 && total && std::abs(*total - fixed) > 1e-9 * fixed) {
    of.duration->error(fmt::format("= {} s, but its segments state {} s", *total, fixed), "leave it out");
    return;
  }
  for (StatedSegment& segment : segments)
    if (!segment.duration) segment.duration = (*total - fixed) * segment.share / shares;
  if (!of.instead) return;
  const double scale = *of.instead / (shares > 0 ? *total : fixed);
  for (StatedSegment& segment : segments) segment.duration = *segment.duration * scale;
}

/// What must be stated and is not, in words.
std::vector<std::string> missing_limits(const StatedLimits& limits, const model::Structure& structure) {
  std::vector<std::string> missing;
  const auto look = [&](const auto& table, std::string_view of_places, std::string_view of_angles) {
    for (std::size_t k = 0; k < 6; ++k) {
      const std::string_view what = k < 3 ? of_places : of_angles;
      if (is_held(structure, k) || table[k] || what.empty()) continue;
      missing.push_back(what == "x" ? std::string(coordinate_names[k])
                                    : fmt::format("{} of {}", what, coordinate_names[k]));
    }
  };
  look(limits.pose, "x", "");
  look(limits.rate, "speed", "turn_rate");
  look(limits.acceleration, "acceleration", "turn_acceleration");
  return missing;
}

Limits complete(const StatedLimits& stated, const SegmentsOf& of) {
  Limits limits;
  const auto copy = [](const auto& from, auto& to) {
    for (std::size_t k = 0; k < 6; ++k)
      if (from[k]) to[k] = from[k]->range;
  };
  if (!is_held(of.limits_of.structure, 3)) limits.pose[3] = limits.pose[4] = {-default_tilt, default_tilt};
  limits.pose[5] = {of.start_yaw - default_turn, of.start_yaw + default_turn};
  copy(stated.pose, limits.pose);
  copy(stated.rate, limits.rate);
  copy(stated.acceleration, limits.acceleration);
  return limits;
}

}  // namespace

std::vector<Segment> read_segments(const SegmentsOf& of, const StatedLimits& stated) {
  std::vector<StatedSegment> segments = read_list(of, stated);
  if (segments.empty()) return {};
  for (const StatedSegment& segment : segments) {
    const auto missing = missing_limits(segment.limits, of.limits_of.structure);
    if (missing.empty()) continue;
    of.root.error(fmt::format("segment {} has no limits on {}", in_quotes(segment.name), join(missing, ", ")),
                  "such as limits: {z: [0.4, 1.2], speed: 0.3, turn_rate: 0.5, acceleration: 0.2, "
                  "turn_acceleration: 0.3}; a tank bounds x, y and z too");
    break;  // the others most likely lack the same
  }
  share_out(of, segments);
  std::vector<Segment> result;
  for (const StatedSegment& segment : segments)
    result.push_back({segment.name, segment.duration.value_or(0), complete(segment.limits, of)});
  return result;
}

}  // namespace fathom::excite::internal
