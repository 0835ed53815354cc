#include "fathom/identify/vehicle/internal/check_limits.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/median.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;

constexpr std::size_t fewest_repeats = 3;
/// Of its distance from the median of its series: as far is the nearest other value from one that stands for a
/// missing one.
constexpr double isolated = 0.3;
constexpr double jump_over_steps = 50;  // times the median step from sample to sample
constexpr double turn_over_steps = 15;  // the same of an attitude, which cannot be far from all others
constexpr double least_turn = 0.2;      // rad
constexpr double usual_visits = 0.8;    // of the visits to a value are jumps: some begin near it
constexpr double usual_turn = 2.5;      // rad/s, the median of a log: no vehicle turns like that throughout
constexpr double shortest_step = 0.05;  // s, over which the attitude's noise does not look like a turn

/// One value of a series, and the samples that have it to the last digit, in the order of time.
struct Repeats {
  double value = 0;
  std::vector<Index> at;
};

/// Samples by groups that are equal, for `less`; those that repeat often, but not in most of the samples.
template <class Less>
std::vector<std::vector<Index>> groups_of(std::vector<Index> known, const Less& less) {
  std::stable_sort(known.begin(), known.end(), less);
  std::vector<std::vector<Index>> groups;
  for (auto begin = known.begin(); begin != known.end();) {
    const auto end = std::upper_bound(begin, known.end(), *begin, less);
    const auto count = static_cast<std::size_t>(end - begin);
    if (count >= fewest_repeats && 2 * count <= known.size()) groups.emplace_back(begin, end);
    begin = end;
  }
  return groups;
}

std::vector<Index> known_columns(const Eigen::MatrixXd& values) {
  std::vector<Index> known;
  for (Index k = 0; k < values.cols(); ++k)
    if (values.col(k).allFinite()) known.push_back(k);
  return known;
}

/// Median distance of neighbours that differ: repeated rows are no steps.
template <class Distance>
double usual_distance(const std::vector<Index>& known, const Distance& distance) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < known.size(); ++k)
    if (const double step = distance(known[k - 1], known[k]); step > 0) steps.push_back(step);
  return steps.empty() ? 0 : median(steps);
}

/// Whether the series jumps to these samples and back to where it was, nearly each time that they come.
template <class Distance>
bool jumps_out(const std::vector<Index>& group, const std::vector<Index>& known, double jump,
               const Distance& distance) {
  double visits = 0, jumps = 0;
  for (std::size_t k = 0; k < group.size();) {
    auto at = std::lower_bound(known.begin(), known.end(), group[k]);
    const bool has_before = at != known.begin();
    const Index before = has_before ? *(at - 1) : 0;
    while (at != known.end() && k < group.size() && *at == group[k]) ++at, ++k;
    if (!has_before || at == known.end()) continue;
    const double there = std::min(distance(before, group[k - 1]), distance(*at, group[k - 1]));
    ++visits;
    if (there >= jump && distance(before, *at) <= 0.5 * there) ++jumps;
  }
  return jumps > 0 && jumps >= usual_visits * visits;
}

/// A value that repeats to the last digit, far from all others of its row, to which the series jumps.
Repeats sentinel_of(const Eigen::MatrixXd& row) {
  const std::vector<Index> known = known_columns(row);
  Repeats worst;
  if (known.size() < 2 * fewest_repeats) return worst;
  const auto distance = [&](Index a, Index b) { return std::abs(row(0, a) - row(0, b)); };
  std::vector<double> sorted;
  for (const Index k : known) sorted.push_back(row(0, k));
  std::sort(sorted.begin(), sorted.end());
  const double middle = sorted[sorted.size() / 2], jump = jump_over_steps * usual_distance(known, distance);
  for (std::vector<Index>&group : groups_of(known, [&](Index a, Index b) { return row(0, a) < row(0, b); })) {
    const double value = row(0, group.front());
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    const double below = first == sorted.begin() ? infinity : value - *(first - 1);
    const double above = last == sorted.end() ? infinity : *last - value;
    if (group.size() > worst.at.size() && std::min(below, above) > isolated * std::abs(value - middle) &&
        jumps_out(group, known, jump, distance))
      worst = {value, std::move(group)};
  }
  return worst;
}

Contradiction missing_value(const std::string& channel, const std::string& value, std::size_t rows, Index of,
                            const char* what, const std::string& remedy) {
  Contradiction out{.channels = {channel}, .named = true};
  out.message = fmt::format(
      "{}: {} stands in {} of {} rows of its {}, and nothing else comes near it: a value for missing samples",
      channel, value, rows, of, what);
  out.remedy =
      fmt::format("log description, channels.{}: `invalid: [{}]` (as the file has it, before unit and axes)",
                  channel, remedy);
  return out;
}

/// Values that stand for missing ones, taken out.
void look_for_sentinels(std::optional<CheckedSensor>& sensor, const char* what,
                        std::vector<Contradiction>& found) {
  if (!sensor) return;
  Eigen::MatrixXd& values = sensor->readings.values;
  Repeats worst;
  for (Index i = 0; i < values.rows(); ++i)
    if (Repeats one = sentinel_of(values.row(i)); one.at.size() > worst.at.size()) worst = std::move(one);
  if (worst.at.empty()) return;
  std::size_t rows = 0;
  for (Index k = 0; k < values.cols(); ++k)
    if ((values.col(k).array().abs() == std::abs(worst.value)).any()) {
      values.col(k).setConstant(nan);
      ++rows;
    }
  const std::string text = fmt::format("{:.10g}", worst.value);
  found.push_back(missing_value(sensor->channel, text, rows, values.cols(), what, text));
}

/// The same of attitudes, whose angles wrap: one attitude that comes back to the last digit, by jumps.
void look_for_sentinel_attitude(std::optional<CheckedSensor>& sensor, std::vector<Contradiction>& found) {
  if (!sensor) return;
  Eigen::MatrixXd& values = sensor->readings.values;
  const std::vector<Index> known = known_columns(values);
  const auto with_sign = [&](Index k) {  // q and -q are one attitude
    const Eigen::Vector4d q = values.col(k);
    const auto leading = std::find_if(q.begin(), q.end(), [](double x) { return x != 0; });
    return Eigen::Vector4d(leading != q.end() && *leading < 0 ? -q : q);
  };
  const auto less = [&](Index a, Index b) {
    const Eigen::Vector4d x = with_sign(a), y = with_sign(b);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  };
  // Angle between two attitudes.
  const auto distance = [&](Index a, Index b) {
    return 2 * std::acos(std::min(1.0, std::abs(values.col(a).normalized().dot(values.col(b).normalized()))));
  };
  const double jump = std::max(least_turn, turn_over_steps * usual_distance(known, distance));
  for (const std::vector<Index>& group : groups_of(known, less)) {
    if (!jumps_out(group, known, jump, distance)) continue;
    const auto q = values.col(group.front());
    const Vec3 degrees = 180 / std::numbers::pi * euler_from_quaternion(Quat(q[0], q[1], q[2], q[3]));
    const std::string text =
        fmt::format("roll {:.5g}, pitch {:.5g}, heading {:.5g} deg", degrees[0], degrees[1], degrees[2]);
    found.push_back(missing_value(sensor->channel, text, group.size(), values.cols(), "attitudes", "..."));
    for (const Index k : group) values.col(k).setConstant(nan);
    return;
  }
}

/// Median rate by differences of the attitude over at least shortest_step.
double turn_of(const filter::Readings& attitude) {
  std::vector<double> rates;
  Index last = -1;
  const auto quaternion = [&](Index k) {
    const auto q = attitude.values.col(k);
    return Quat(q[0], q[1], q[2], q[3]).normalized();
  };
  for (Index k = 0; k < attitude.values.cols(); ++k) {
    if (!attitude.values.col(k).allFinite()) continue;
    if (last >= 0) {
      const double dt = attitude.t[static_cast<std::size_t>(k)] - attitude.t[static_cast<std::size_t>(last)];
      if (dt < shortest_step) continue;
      if (dt < 1) rates.push_back(log_rotation(quaternion(last).conjugate() * quaternion(k)).norm() / dt);
    }
    last = k;
  }
  return rates.size() < 20 ? 0 : median(rates);
}

/// Whether a gyro, too, says that the vehicle turns so fast: then the attitude is right.
bool turns_as_fast(const std::optional<CheckedSensor>& gyro, double turn) {
  if (!gyro) return false;
  std::vector<double> rates;
  for (Index k = 0; k < gyro->readings.values.cols(); ++k)
    if (gyro->readings.values.col(k).allFinite()) rates.push_back(gyro->readings.values.col(k).norm());
  return !rates.empty() && 2 * median(rates) > turn;
}

/// Takes a sensor out whose size is beyond a limit in more than a hundredth of the samples.
void look_for_size(std::optional<CheckedSensor>& sensor, const char* what, const char* unit, double limit,
                   const char* remedy, std::vector<Contradiction>& found) {
  if (!sensor) return;
  const Eigen::RowVectorXd sizes = sensor->readings.values.colwise().norm();
  const auto beyond = (sizes.array() > limit).count();
  if (static_cast<double>(beyond) <= 0.01 * static_cast<double>(sizes.size())) return;
  Contradiction out{.channels = {sensor->channel}, .named = true};
  out.message =
      fmt::format("{}: its {} are beyond {:g} {} in {} of {} rows, and no vehicle under water reaches that",
                  sensor->channel, what, limit, unit, beyond, sizes.size());
  out.remedy = fmt::format(fmt::runtime(remedy), sensor->channel);
  found.push_back(std::move(out));
  sensor.reset();
}

}  // namespace

std::vector<Contradiction> beyond_limits(CheckedLog& log) {
  std::vector<Contradiction> found;
  look_for_sentinels(log.velocity, "velocities", found);
  look_for_sentinels(log.rate, "rates", found);
  look_for_sentinels(log.acceleration, "accelerations", found);
  look_for_sentinels(log.depth, "depths", found);
  look_for_sentinels(log.position, "positions", found);
  look_for_sentinel_attitude(log.attitude, found);
  if (log.attitude) {
    const double turn = turn_of(log.attitude->readings);
    if (turn > usual_turn && !turns_as_fast(log.rate, turn)) {
      Contradiction out{.channels = {log.attitude->channel}, .named = true};
      out.message = fmt::format(
          "{}: by its attitude the vehicle turns at {:.2g} rad/s (median) throughout: its angles are "
          "degrees called radians",
          log.attitude->channel, turn);
      out.remedy = fmt::format("log description, channels.{}.attitude: `unit: deg`", log.attitude->channel);
      found.push_back(std::move(out));
      log.attitude.reset();
    }
  }
  return found;
}

std::vector<Contradiction> beyond_speeds(CheckedLog& log) {
  std::vector<Contradiction> found;
  look_for_size(log.velocity, "velocities", "m/s", 50,
                "log description, channels.{}.vectors, `to: velocity`: `unit: mm/s`", found);
  look_for_size(log.rate, "rates", "rad/s", 20,
                "log description, channels.{}.vectors, `to: rate`: `unit: deg/s`", found);
  return found;
}

}  // namespace fathom::identify::internal
