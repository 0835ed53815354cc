#include "fathom/identify/arm/run_guard.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/median.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/arm/arm_run.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;

constexpr double longest_spike = 0.03;  // s; or three samples
constexpr double most_left_out = 0.05;  // of the rows
constexpr double limit_slack = 0.2;     // rad or m beyond an end of the range
constexpr double most_beyond = 0.01;    // of the rows, beyond the range: more of them are no outliers
// An effort is an outlier where it leaves its neighbours by so many sigmas, and by that share of its range. At
// rest brakes and stiction make single samples that are real, and no fit uses them.
constexpr double effort_sigmas = 15, effort_share = 0.3, effort_share_at_rest = 1;
// What a controller wants is computed, and jumps for a sample as friction that it allows for turns its sign.
constexpr double wanted_share = 3;
constexpr double rest = 0.05;  // rad/s or m/s

int line_of(const std::vector<int>& lines, Index row) {
  return lines.empty() ? 0 : lines[static_cast<std::size_t>(row)];
}

double middle_step(const Eigen::VectorXd& times) {
  std::vector<double> steps;
  for (Index k = 1; k < times.size(); ++k)
    if (times[k] > times[k - 1]) steps.push_back(times[k] - times[k - 1]);
  return steps.empty() ? 0 : median(steps);
}

/// The stamp that is wrong where the clock goes back before row k: the one before it is too late, or it is
/// itself too early.
[[noreturn]] void reject_backward(const log::NumberTable& table, const Eigen::VectorXd& times, Index k) {
  const Index n = times.size();
  const bool fits_without_last = k < 2 || times[k] > times[k - 2];
  const bool fits_without_this = k + 1 >= n || times[k + 1] > times[k - 1];
  const std::string hint = "mend the time stamp, or leave the line out";
  if (fits_without_last != fits_without_this) {
    const Index bad = fits_without_last ? k - 1 : k;
    reject(table.file, table.line(bad), "",
           fmt::format("the clock jumps: time {:.9g} s stands between {} and {}", times[bad],
                       bad > 0 ? fmt::format("{:.9g} s", times[bad - 1]) : std::string("the begin"),
                       bad + 1 < n ? fmt::format("{:.9g} s", times[bad + 1]) : std::string("the end")),
           hint);
  }
  reject(table.file, table.line(k), "",
         fmt::format("the clock jumps back from {:.9g} s to {:.9g} s", times[k - 1], times[k]),
         "one file for each recording; its rows in order of time");
}

/// All joints move on over rows k - 1 and k as they do before and after, by what one sample makes; at the ends
/// of the log as on the side that there is.
bool moves_on(const Eigen::VectorXd& times, const Eigen::MatrixXd& q, Index k, double step) {
  bool any = false;
  for (Index j = 0; j < q.cols(); ++j) {
    const auto speed = [&](Index i) { return (q(i, j) - q(i - 1, j)) / (times[i] - times[i - 1]); };
    const double before = speed(k > 1 ? k - 1 : k + 1), after = speed(k + 1 < times.size() ? k + 1 : k - 1);
    const double here = q(k, j) - q(k - 1, j), expected = 0.5 * (before + after) * step;
    const double slack = 0.5 * std::abs(expected) + std::abs(before - after) * step + 1e-9;
    if (std::abs(here - expected) > slack) return false;
    any = any || (std::abs(expected) > 1e-4 && before * after > 0);
  }
  return any;
}

struct Found {
  std::set<Index> rows;
  std::vector<RunOutlier> list;

  void add(Index row, RunOutlier outlier) {
    rows.insert(row);
    list.push_back(std::move(outlier));
  }
};

std::string joint_signal(const char* what, const model::Arm& arm, Index j) {
  return fmt::format("{} of joint {}", what, in_quotes(arm.joints()[static_cast<std::size_t>(j)].name));
}

void find_positions(const ArmRun& run, const model::Arm& arm, const std::vector<int>& lines,
                    const std::string& file, Found& found) {
  const double step = middle_step(run.times);
  const auto longest = std::max<Index>(3, static_cast<Index>(longest_spike / std::max(step, 1e-9)));
  for (Index j = 0; j < run.q.cols(); ++j) {
    const model::Joint& joint = arm.joints()[static_cast<std::size_t>(j)];
    const bool is_shaft = !run.shafts.empty() && run.shafts[static_cast<std::size_t>(j)];
    const char* unit = joint.kind == model::Joint::Kind::revolute ? "rad" : "m";
    const std::string signal = joint_signal(is_shaft ? "shaft angle" : "position", arm, j);
    const Eigen::VectorXd column = run.q.col(j);
    std::set<Index> named;
    for (const Spike& spike : motion_spikes(run.times, column, longest)) {
      named.insert(spike.at);
      found.add(
          spike.at,
          {line_of(lines, spike.at), run.times[spike.at], signal, unit, column[spike.at], spike.expected,
           spike.at == 0 || spike.at + 1 == column.size() ? "it is off all of the motion"
                                                          : "it leaves the motion and comes back at once"});
    }
    if (is_shaft) continue;
    std::vector<Index> beyond;
    for (Index k = 0; k < column.size(); ++k)
      if (named.count(k) == 0 &&
          (column[k] < joint.limits.min - limit_slack || column[k] > joint.limits.max + limit_slack))
        beyond.push_back(k);
    if (static_cast<double>(beyond.size()) <= most_beyond * static_cast<double>(column.size()))
      for (const Index k : beyond) {
        named.insert(k);
        found.add(k,
                  {line_of(lines, k), run.times[k], signal, unit, column[k],
                   std::clamp(column[k], joint.limits.min, joint.limits.max),
                   fmt::format("its range is {:.4g} to {:.4g} {}", joint.limits.min, joint.limits.max, unit)});
      }
    if (joint.kind != model::Joint::Kind::revolute) continue;
    constexpr double half_turn = std::numbers::pi;
    for (Index k = 1; k < column.size(); ++k)
      if (named.count(k) + named.count(k - 1) == 0 && std::abs(column[k] - column[k - 1]) > half_turn &&
          run.times[k] - run.times[k - 1] < 5 * step)
        reject(file, line_of(lines, k), "",
               fmt::format("{} jumps from {:.5g} to {:.5g} rad, and stays there", signal, column[k - 1],
                           column[k]),
               "an angle that wraps? Unwrap it, so that it goes on beyond half a turn");
  }
}

void find_efforts(const ArmRun& run, const model::Arm& arm, const std::vector<int>& lines, const char* what,
                  const Eigen::MatrixXd& efforts, double share, Found& found) {
  for (Index j = 0; j < efforts.cols(); ++j) {
    const Eigen::VectorXd column = efforts.col(j);
    std::vector<double> sorted(column.begin(), column.end());
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double share) {
      return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
    };
    const double range = at(0.99) - at(0.01);
    for (const Spike& spike : noise_spikes(column, effort_sigmas, share)) {
      const Index from = std::max<Index>(0, spike.at - 3), until = std::min(column.size() - 1, spike.at + 3);
      const bool rests = run.shafts.empty() && std::abs(run.q(until, j) - run.q(from, j)) <
                                                   rest * (run.times[until] - run.times[from]);
      if (rests && std::abs(column[spike.at] - spike.expected) < std::max(share, effort_share_at_rest) * range)
        continue;
      found.add(spike.at, {line_of(lines, spike.at), run.times[spike.at], joint_signal(what, arm, j), "",
                           column[spike.at], spike.expected, "it leaves all of its neighbours"});
    }
  }
}

}  // namespace

void check_clock(const log::NumberTable& table, const Eigen::VectorXd& all, const Eigen::VectorXd& times,
                 const Eigen::MatrixXd& q, const std::vector<Index>& kept) {
  for (Index k = 1; k < all.size(); ++k)
    if (all[k] < all[k - 1]) reject_backward(table, all, k);
  const double step = middle_step(times);
  for (Index k = 1; k < times.size() && times.size() > 2; ++k)
    if (times[k] - times[k - 1] > 5 * step && moves_on(times, q, k, step))
      reject(table.file, table.line(kept[static_cast<std::size_t>(k)]), "",
             fmt::format("the clock jumps from {:.9g} s to {:.9g} s, but the joints move on as over {:.3g} s",
                         times[k - 1], times[k], step),
             "mend the time stamps from here on");
}

void take_out_outliers(ArmRun& run, const model::Arm& arm, const std::vector<int>& lines,
                       const std::string& file) {
  Found found;
  find_positions(run, arm, lines, file, found);
  find_efforts(run, arm, lines, "effort", run.effort, effort_share, found);
  if (run.wanted_effort.size() > 0) {
    find_efforts(run, arm, lines, "wanted effort", run.wanted_effort, wanted_share, found);
    find_efforts(run, arm, lines, "wanted torque", run.wanted_torque, wanted_share, found);
  }
  if (found.rows.empty()) return;
  if (static_cast<double>(found.rows.size()) > most_left_out * static_cast<double>(run.samples()))
    reject(file, found.list.front().line, "",
           fmt::format("{} of {} rows have outliers, the first {} = {:.5g} where its neighbours say {:.5g}",
                       found.rows.size(), run.samples(), found.list.front().signal, found.list.front().value,
                       found.list.front().expected),
           "look at that column: its sensor, its unit, its place in the file");
  std::stable_sort(found.list.begin(), found.list.end(),
                   [](const RunOutlier& a, const RunOutlier& b) { return a.time < b.time; });
  run.outliers = std::move(found.list);
  std::vector<Index> kept;
  for (Index k = 0; k < run.samples(); ++k)
    if (found.rows.count(k) == 0) kept.push_back(k);
  run.times = run.times(kept).eval();
  for (auto member : {&ArmRun::q, &ArmRun::effort, &ArmRun::wanted_effort, &ArmRun::wanted_torque})
    if ((run.*member).rows() > 0) run.*member = (run.*member)(kept, Eigen::all).eval();
}

Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic> held_samples(const Eigen::VectorXd& times,
                                                                const Eigen::MatrixXd& series) {
  constexpr double counts = 3;          // a counter that stands still moves on by one, a held sensor by more
  constexpr double longest_hold = 0.1;  // s; what is still for longer is at rest
  Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic> held(series.rows(), series.cols());
  held.setConstant(false);
  for (Index j = 0; j < series.cols(); ++j) {
    double smallest = 0;
    for (Index k = 1; k < series.rows(); ++k)
      if (const double step = std::abs(series(k, j) - series(k - 1, j));
          step > 0 && (smallest == 0 || step < smallest))
        smallest = step;
    Index first = 0;  // of samples that are alike
    for (Index k = 1; k < series.rows(); ++k) {
      if (series(k, j) == series(first, j)) continue;
      if (std::abs(series(k, j) - series(first, j)) > counts * smallest &&
          times[k] - times[first] < longest_hold)
        for (Index i = first + 1; i < k; ++i) held(i, j) = true;
      first = k;
    }
  }
  return held;
}

}  // namespace fathom::identify::internal
