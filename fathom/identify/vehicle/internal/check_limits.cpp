#include "fathom/identify/vehicle/internal/check_limits.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/median.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;

constexpr std::size_t fewest_repeats = 3;
/// The largest value that is one of a sensor's own, relative to a value that stands for a missing one.
constexpr double isolated = 0.6;
constexpr double usual_turn = 2.5;      // rad/s, the median of a log: no vehicle turns like that throughout
constexpr double shortest_step = 0.05;  // s, over which the attitude's noise does not look like a turn

/// A value far outside all others of its row that repeats to the last digit.
struct Sentinel {
  double value = 0;
  std::size_t count = 0;
};

Sentinel sentinel_of(const Eigen::Ref<const Eigen::RowVectorXd>& row) {
  std::map<double, std::size_t> largest;  // the few largest sizes with their counts
  for (Index k = 0; k < row.size(); ++k) {
    if (!std::isfinite(row[k])) continue;
    const double size = std::abs(row[k]);
    if (const auto known = largest.find(size); known != largest.end()) {
      ++known->second;
    } else if (largest.size() < 2 || size > largest.begin()->first) {
      largest.emplace(size, 1);
      if (largest.size() > 2) largest.erase(largest.begin());
    }
  }
  if (largest.size() < 2) return {};
  const auto [top, count] = *largest.rbegin();
  if (count < fewest_repeats || largest.begin()->first > isolated * top ||
      count > static_cast<std::size_t>(row.size()) / 2)
    return {};
  for (Index k = 0; k < row.size(); ++k)
    if (std::abs(row[k]) == top) return {row[k], count};
  return {};
}

/// Values that stand for missing ones, taken out.
void look_for_sentinels(std::optional<CheckedSensor>& sensor, const char* what, double usual,
                        std::vector<Contradiction>& found) {
  if (!sensor) return;
  Eigen::MatrixXd& values = sensor->readings.values;
  Sentinel worst;
  for (Index i = 0; i < values.rows(); ++i)
    if (const Sentinel one = sentinel_of(values.row(i)); one.count > worst.count && std::abs(one.value) > usual)
      worst = one;
  if (worst.count == 0) return;
  std::size_t rows = 0;
  for (Index k = 0; k < values.cols(); ++k)
    if ((values.col(k).array().abs() == std::abs(worst.value)).any()) {
      values.col(k).setConstant(nan);
      ++rows;
    }
  Contradiction out{.channels = {sensor->channel}, .named = true};
  out.message = fmt::format(
      "{}: {:.10g} stands in {} of {} rows of its {}, and nothing else comes near it: a value for missing "
      "samples",
      sensor->channel, worst.value, rows, values.cols(), what);
  out.remedy = fmt::format(
      "log description, channels.{}: `invalid: [{:.10g}]` (as the file has it, before unit and "
      "axes)",
      sensor->channel, worst.value);
  found.push_back(std::move(out));
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
  look_for_sentinels(log.velocity, "velocities", 5, found);
  look_for_sentinels(log.rate, "rates", 5, found);
  look_for_sentinels(log.acceleration, "accelerations", 100, found);
  look_for_sentinels(log.depth, "depths", 100, found);
  look_for_sentinels(log.position, "positions", 100, found);
  if (log.attitude) {
    if (const double turn = turn_of(log.attitude->readings); turn > usual_turn) {
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
